/** What an authored query of the model binds for one record, whoever wrote it. */
import type { Entity } from '../../../model/model.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import { contextValue, isContextName, type Context } from '../context.ts'
import { formerValue, type Former } from './former.ts'
import { toArg } from '../value.ts'

/** A record, and in which context it is looked at. */
export interface BoundRecord {
  entity: Entity
  row: SqlRow
  /** What it was before the mutation. */
  former: Former
}

/** The value of a parameter: the context's, held to the record's company, or a column's. */
export function recordValue(name: string, record: BoundRecord, context: Context): SqlArg {
  const { entity, row, former } = record
  if (name === 'CurrentCompanyId') return companyOf(entity, row, context)
  if (isContextName(name)) return contextValue(name, context)
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
