/**
 * The statements that write many rows of a stage at once, and when they may.
 *
 * They write what the statements of a submit would, record by record: the same columns, since both
 * take the fields that are writable, the defaults of `listLacking` and the company; the same keys,
 * counted on from the greatest one; the same stamp and tracking, by `planCorrections`. What a
 * statement for one record alone can do (authored SQL, lists, numbers of sequences, keys that it
 * returns) is left to `row-by-row.ts`.
 */
import type { SqlArg } from '../../../store/sql.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import { planCorrections } from '../after-write/corrections.ts'
import { findSources } from '../after-write/event-rows.ts'
import { feedsSearch } from '../after-write/keep-search.ts'
import type { ImportPlan } from './import-plan.ts'
import type { ImportRequest } from './import-request.ts'
import { composeCell, composeStaged, type ImportStage, STAGED_ROWS } from './import-stage.ts'
import type { StagedSql } from './import-unique.ts'
import type { ImportWrite } from './import-work.ts'
import { planHistory } from './takeover.ts'
import { STAMP } from '../rules/conflict.ts'

/** True when rows need statements of their own: authored ones, lists, details, sequences. */
export function isRowByRow(plan: ImportPlan): boolean {
  const { view, entity, constants, staged } = plan
  const { mode } = plan.request
  if (plan.columns.lists.length > 0 || plan.details.length > 0) return true
  if (mode !== 'insert' && view.update) return true
  if (mode === 'update') return false
  if (view.insert || entity.columns.some(({ sequence }) => sequence !== undefined)) return true
  const isGiven = (key: Column) =>
    staged.some(({ field, isInserted }) => isInserted && field.column === key)
  return !isServerKey(entity) && !entity.keys.every((key) => isGiven(key) && !constants.has(key))
}

/**
 * True when nothing follows from new records that only the after-write pass does: no event,
 * computed column, tree, file or search of other records looks at them, and stamps start over.
 * Rules, audit and search are then those of `bulk-records.ts`.
 */
export function isBulkEligible(
  model: Model,
  entity: Entity,
  { takeover }: Pick<ImportRequest, 'takeover'>,
): boolean {
  if (entity.parent !== undefined) return false
  if (entity.concurrency && !isServerKey(entity)) return false
  if (
    entity.columns.some(({ type, compute }) => FIELD_KINDS[type].structure === 'files' || compute)
  )
    return false
  const isSource = model.computes.some(
    ({ compute }) =>
      compute.from.includes(entity.name) ||
      compute.links.some((link) => link.entity === entity.name),
  )
  const hasEvents = !takeover && findSources(model, entity).length > 0
  return !isSource && !hasEvents && !feedsSearch(model, entity)
}

/** So few rows are added one by one: then the change log lists their keys. */
const ADDED_MIN = 2000

/**
 * True when the new records may be added without a look at each of them (`Tx.addRows`): many, under
 * numbers that the server gives in their order, none of which points to a later one.
 */
export function isAddedTogether({ plan, count, hasCircles, sql }: ImportStage): boolean {
  const { entity, request } = plan
  const [key] = entity.keys
  const isNumbered = isServerKey(entity) && !sql.cells.has(key?.name.toLowerCase() ?? '')
  return request.mode === 'insert' && count > ADDED_MIN && isNumbered && !hasCircles
}

/** A statement over the rows from `@_first` to `@_last`, with its other arguments. */
export interface BulkStatement {
  sql: string
  args: Readonly<Record<string, SqlArg>>
}

/** The parts of statements over staged rows. */
export type BulkRows = Pick<ImportWrite, 'plan' | 'stage' | 'base'>

/** True when the server gives the key: then it is known before the records are there. */
export const isServerKey = ({ keys }: Entity): boolean =>
  keys.length === 1 && keys[0]?.identity === true

/** The new records: `insertRecord` for all rows of a range. */
export function planInsert(rows: BulkRows): BulkStatement {
  const { sql, args } = planAdding(rows)
  return { sql: `INSERT INTO main.${quote(rows.plan.entity.table)} ${sql}`, args }
}

/** The same behind the name of the table, as `Tx.addRows` takes it. */
export function planAdding({ plan, stage, base }: BulkRows): BulkStatement {
  const { entity, constants, context } = plan
  const staged = stage.sql
  const values = new Map<string, string>()
  const args: Record<string, SqlArg> = { _base: base ?? 0 }
  const add = (column: Column | undefined, sql: string) => {
    if (column) values.set(column.name, sql)
  }
  for (const { field, isInserted } of plan.staged) {
    const cell = staged.cells.get((field.column?.name ?? field.name).toLowerCase())
    if (isInserted && cell !== undefined) add(field.column, composeCell(plan, cell))
  }
  if (isServerKey(entity)) add(entity.keys[0], listNewKey({ plan, stage })[0] ?? 'NULL')
  for (const [at, [column, value]] of [...constants].entries()) {
    args[`v${at}`] = value
    add(column, `@v${at}`)
  }
  const scope = { context, keeps: planHistory(plan)?.keeps }
  for (const [name, value] of planCorrections(entity, { before: undefined }, {}, scope)) {
    args[`_${name}`] = value
    values.set(name, `@_${name}`)
  }
  if (entity.concurrency) {
    args._stamp = context.now.getTime()
    values.set(STAMP, '@_stamp')
  }
  const names = [...values.keys()].map(quote).join(', ')
  const cells = [...values.values()].join(', ')
  return {
    sql: `(${names}) SELECT ${cells} FROM ${STAGED_ROWS} AND s.isNew = 1 ORDER BY s.n`,
    args,
  }
}

const CHANGED = [
  ['ChangedAt', '@now'],
  ['ChangedBy', '@by'],
] as const

/**
 * The stored records: `updateRecord` for all rows of a range. One whose stamp has moved since it
 * was looked at is left alone. Undefined where no column could change, as in an entity that is
 * nothing but its key.
 */
export function planUpdate({ plan, stage, base }: BulkRows): BulkStatement | undefined {
  const { entity, context } = plan
  const staged = stage.sql
  const sets = plan.staged.flatMap(({ field, isUpdated }) => {
    const cell = staged.cells.get((field.column?.name ?? field.name).toLowerCase())
    if (!isUpdated || !field.column || cell === undefined) return []
    return [`${quote(field.column.name)} = ${composeCell(plan, cell)}`]
  })
  if (entity.concurrency) sets.push(`${STAMP} = t.${STAMP} + 1`)
  for (const [name, value] of entity.tracking ? CHANGED : [])
    if (!planHistory(plan)?.keeps.has(name)) sets.push(`${name} = ${value}`)
  if (sets.length === 0) return undefined
  const isSame = entity.concurrency ? ` AND t.${STAMP} IS s.stamp` : ''
  return {
    sql:
      `UPDATE main.${quote(entity.table)} AS t SET ${sets.join(', ')} ` +
      `FROM ${composeStaged(0)} WHERE ${composeStoredKey(entity, staged)}${isSame}`,
    args: {
      now: context.now.toISOString(),
      by: context.caller?.userId ?? null,
      _base: base ?? 0,
    },
  }
}

/** `t` is the record of the row `s`. */
export const composeStoredKey = (entity: Entity, { keys }: StagedSql): string =>
  entity.keys.map(({ name }, at) => `t.${quote(name)} = s.${keys[at]}`).join(' AND ')

/** The key of a new record, as a list of expressions over its row. */
export function listNewKey({ plan, stage }: Pick<BulkRows, 'plan' | 'stage'>): string[] {
  return plan.entity.keys.map((key) => {
    const cell = stage.sql.cells.get(key.name.toLowerCase())
    if (key.identity && isServerKey(plan.entity)) {
      return cell === undefined ? '(@_base + s.n)' : `coalesce(s.${cell}, @_base + s.n)`
    }
    return cell === undefined ? 'NULL' : `s.${cell}`
  })
}
