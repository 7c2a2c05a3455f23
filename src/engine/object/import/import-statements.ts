/** The statements by which rows of a stage become records, many at once. */
import type { Column, Entity } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlArg, SqlValue } from '../../../store/sql.ts'
import { STAMP } from '../write/conflict.ts'
import type { ImportPlan } from './import-plan.ts'
import { composeCell, composeStaged, STAGED_ROWS, type StagedSql } from './import-stage.ts'

/** A statement over the rows from `@_first` to `@_last`, with its other arguments. */
export interface BulkStatement {
  sql: string
  args: Readonly<Record<string, SqlArg>>
}

/** What statements of an import are made of. */
export interface BulkScope {
  plan: ImportPlan
  staged: StagedSql
  /** New records of an Identity key get this and their number in the stage, or keep their own. */
  base: number | undefined
}

/** Whether the server gives the key: then it is known before the records are there. */
export const isServerKey = ({ keys }: Entity): boolean =>
  keys.length === 1 && keys[0]?.identity === true

/** The new records. Stamp and tracking are what the after-write pass would make them. */
export function planInsert({ plan, staged, base }: BulkScope): BulkStatement {
  const { entity, constants, context } = plan
  const values = new Map<string, string>()
  const args: Record<string, SqlArg> = { _base: base ?? 0 }
  const add = (column: Column | undefined, sql: string) => {
    if (column) values.set(column.name, sql)
  }
  for (const { field, isInserted } of plan.staged) {
    const cell = staged.cells.get((field.column?.name ?? field.name).toLowerCase())
    if (isInserted && cell !== undefined) add(field.column, composeCell(plan, cell))
  }
  if (isServerKey(entity)) add(entity.keys[0], listNewKey({ plan, staged, base })[0] ?? 'NULL')
  for (const [at, [column, value]] of [...constants].entries()) {
    args[`v${at}`] = value
    add(column, `@v${at}`)
  }
  for (const [name, value] of planTracking(entity, plan)) {
    args[`_${name}`] = value
    values.set(name, `@_${name}`)
  }
  args._now = context.now.toISOString()
  const names = [...values.keys()].map(quote).join(', ')
  const cells = [...values.values()].join(', ')
  return {
    sql:
      `INSERT INTO main.${quote(entity.table)} (${names}) ` +
      `SELECT ${cells} FROM ${STAGED_ROWS} AND s.isNew = 1 ORDER BY s.n`,
    args,
  }
}

/** Stamp and tracking of a new record. */
function planTracking(entity: Entity, { context }: ImportPlan): Map<string, SqlValue> {
  const kept = new Map<string, SqlValue>()
  const now = context.now.toISOString()
  const by = context.caller?.userId ?? null
  if (entity.concurrency) kept.set(STAMP, context.now.getTime())
  if (entity.tracking) {
    kept.set('CreatedAt', now).set('CreatedBy', by).set('ChangedAt', now).set('ChangedBy', by)
  }
  return kept
}

/**
 * The stored records; one whose stamp has moved since it was looked at is left alone. Undefined
 * where no column could change, as in an entity that is nothing but its key.
 */
export function planUpdate({ plan, staged, base }: BulkScope): BulkStatement | undefined {
  const { entity, context } = plan
  const sets = plan.staged.flatMap(({ field, isUpdated }) => {
    const cell = staged.cells.get((field.column?.name ?? field.name).toLowerCase())
    if (!isUpdated || !field.column || cell === undefined) return []
    return [`${quote(field.column.name)} = ${composeCell(plan, cell)}`]
  })
  if (entity.concurrency) sets.push(`${STAMP} = t.${STAMP} + 1`)
  if (entity.tracking) sets.push('ChangedAt = @now', 'ChangedBy = @by')
  if (sets.length === 0) return undefined
  const isSame = entity.concurrency ? ` AND t.${STAMP} IS s.stamp` : ''
  return {
    sql:
      `UPDATE main.${quote(entity.table)} AS t SET ${sets.join(', ')} ` +
      `FROM ${composeStaged(0)} WHERE ${composeKey(entity, staged)}${isSame}`,
    args: {
      now: context.now.toISOString(),
      by: context.caller?.userId ?? null,
      _base: base ?? 0,
    },
  }
}

/** `t` is the record of the row `s`. */
const composeKey = (entity: Entity, { keys }: StagedSql): string =>
  entity.keys.map(({ name }, at) => `t.${quote(name)} = s.${keys[at]}`).join(' AND ')

/** The key of a new record, as a list of expressions over its row. */
export function listNewKey({ plan, staged }: BulkScope): string[] {
  return plan.entity.keys.map((key) => {
    const cell = staged.cells.get(key.name.toLowerCase())
    if (key.identity && isServerKey(plan.entity)) {
      return cell === undefined ? '(@_base + s.n)' : `coalesce(s.${cell}, @_base + s.n)`
    }
    return cell === undefined ? 'NULL' : `s.${cell}`
  })
}

/** What stored records were, before they are changed. */
export function planBefore({ plan: { entity }, staged }: BulkScope): BulkStatement {
  const keys = entity.keys.map(({ name }) => `t.${quote(name)}`).join(', ')
  return {
    sql:
      `INSERT INTO main.svc_import_rows (Row, RowKey, Before) SELECT @from + s.line, ` +
      `json_array(${keys}), ${composeImage(entity)} FROM ${composeStaged(0)} ` +
      `CROSS JOIN main.${quote(entity.table)} t WHERE ${composeKey(entity, staged)}`,
    args: {},
  }
}

/** Which records are new, with what tells whether they change from here on. */
export function planNewRows(scope: BulkScope): BulkStatement {
  const { entity } = scope.plan
  const key = listNewKey(scope)
  const join = entity.keys.map(({ name }, at) => `t.${quote(name)} = ${key[at]}`).join(' AND ')
  return {
    sql:
      `INSERT INTO main.svc_import_rows (Row, RowKey, After) SELECT @from + s.line, ` +
      `json_array(${key.join(', ')}), ${composeMark(entity)} FROM ${composeStaged(1)} ` +
      `CROSS JOIN main.${quote(entity.table)} t WHERE ${join}`,
    args: { _base: scope.base ?? 0 },
  }
}

/** The mark of records that were changed, after the after-write pass. */
export const planMarks = (entity: Entity): string =>
  `UPDATE main.svc_import_rows AS r SET After = (SELECT ${composeMark(entity)} FROM ` +
  `main.${quote(entity.table)} t WHERE ${composeRowKey(entity)}) ` +
  `WHERE r.Row BETWEEN @first AND @last AND r.After IS NULL`

/** `t` is the record of the row `r` of an import. */
export const composeRowKey = (entity: Entity): string =>
  entity.keys
    .map(({ name }, at) => `t.${quote(name)} = json_extract(r.RowKey, '$[${at}]')`)
    .join(' AND ')

/** What moves with every change of a record `t`: its stamp, else all that it is. */
export const composeMark = (entity: Entity): string =>
  entity.concurrency ? `CAST(t.${STAMP} AS TEXT)` : composeImage(entity)

/** The columns that are put back, of a record `t`. */
export const listImage = (entity: Entity): Column[] =>
  entity.columns.filter((column) => column.kind === 'declared' && !column.key && !column.compute)

const CELLS_MAX = 100

/** Their values as a JSON array. */
export function composeImage(entity: Entity): string {
  const cells = listImage(entity).map(({ name }) => `t.${quote(name)}`)
  if (cells.length <= CELLS_MAX) return `json_array(${cells.join(', ')})`
  const parts: string[] = []
  for (let at = 0; at < cells.length; at += CELLS_MAX) {
    const text = `json_array(${cells.slice(at, at + CELLS_MAX).join(', ')})`
    parts.push(`substr(${text}, 2, length(${text}) - 2)`)
  }
  return `'[' || ${parts.join(` || ',' || `)} || ']'`
}
