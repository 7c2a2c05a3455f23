/** What records were before the mutation that is under way: `@IsNew` and `@Old_<Column>`. */
import { FORMER_PREFIX, IS_NEW } from '../../../model/compile/former-names.ts'
import type { Entity } from '../../../model/model.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { toArg } from '../value.ts'
import { rowId, type WrittenRows } from './written-row.ts'

/** A record's state before the mutation. */
export interface Former {
  isNew: boolean
  /** Undefined for a new record. */
  row: SqlRow | undefined
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** What the last after-write pass came to. */
    changed?: WrittenRows
  }
}

/** What a record was before the changes of the last after-write pass; `row` is what it is now. */
export function findFormer(
  tx: Tx,
  { entity, key, row }: { entity: Entity; key: readonly SqlValue[]; row: SqlRow },
): Former {
  return formerOf(tx.facts.changed?.get(rowId(entity, key))?.touched, row)
}

/** The same from what the change log says; a record that it does not name has not changed. */
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
