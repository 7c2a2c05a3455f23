/**
 * Values that an authored query of the model binds for one record, whichever caller wrote it: its
 * values now, and before the current mutation (`@IsNew`, `@Old_<Column>`).
 */
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { FORMER_PREFIX, IS_NEW } from '../../../model/compile/former-names.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { type Context, contextValue, isContextName } from '../context.ts'
import { rowId, type WrittenRows } from './written-row.ts'
import { toArg } from '../value.ts'

/** A record, and in which context it is looked at. */
interface BoundRecord {
  entity: Entity
  row: SqlRow
  /** The record's state before the mutation. */
  former: Former
}

/** The value of a parameter: the context's, held to the record's company, or a column's. */
export function recordValue(name: string, record: BoundRecord, context: Context): SqlArg {
  const { entity, row, former } = record
  if (name === 'CurrentCompanyId') return companyOf(entity, row, context)
  if (isContextName(name, context.model)) return contextValue(name, context)
  const column = entity.columnByName.get(name.toLowerCase())
  const cell = findCell(row, column?.name ?? name)
  if (cell !== undefined) return toArg(column, cell)
  return formerValue(name, entity, former) ?? null
}

/** The company that a record belongs to; the caller's for one that belongs to none. */
export function companyOf(entity: Entity, row: SqlRow, context: Context): SqlValue {
  if (entity.company !== undefined) return row[entity.company] ?? null
  return context.caller?.companyId ?? null
}

/** A cell by its name, whatever its case; undefined where the row has none. */
function findCell(row: SqlRow, name: string): SqlValue | undefined {
  const value = row[name]
  if (value !== undefined) return value
  const key = name.toLowerCase()
  return Object.entries(row).find(([each]) => each.toLowerCase() === key)?.[1]
}

/** A record's state before the mutation. */
export interface Former {
  isNew: boolean
  /** Undefined for a new record. */
  row: SqlRow | undefined
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** The rows that the last after-write pass wrote. */
    changed?: WrittenRows
  }
}

/** Finds a record's state before the last after-write pass's changes; `row` is the row now. */
export function findFormer(
  tx: Tx,
  { entity, key, row }: { entity: Entity; key: readonly SqlValue[]; row: SqlRow },
): Former {
  return formerOf(tx.facts.changed?.get(rowId(entity, key))?.touched, row)
}

/** Reads the former state off the change log; a record that it does not name is unchanged. */
export function formerOf(
  touched: { what: string; before: SqlRow | undefined } | undefined,
  row: SqlRow | undefined,
): Former {
  if (touched === undefined) return { isNew: false, row }
  return { isNew: touched.what === 'insert', row: touched.before }
}

/** The value of `@IsNew` or `@Old_<Column>`; undefined for any other name. */
export function formerValue(
  name: string,
  entity: Pick<Entity, 'columnByName'> | undefined,
  { isNew, row }: Former,
): SqlArg | undefined {
  const key = name.toLowerCase()
  if (key === IS_NEW.toLowerCase()) return isNew ? 1 : 0
  if (!key.startsWith(FORMER_PREFIX.toLowerCase())) return undefined
  const column = entity?.columnByName.get(key.slice(FORMER_PREFIX.length))
  if (!column) return undefined
  return toArg(column, isNew ? null : (row?.[column.name] ?? null))
}
