/** What a record is called, as an SQL expression: its Display columns, found by its key. Pure. */
import type { Column, Entity } from './compiled/entity.ts'
import type { LabelStep } from './compiled/label-sql.ts'
import { quote } from './quote.ts'

/** Labels of labels (a Display that is a reference itself) are followed this far. */
const DEPTH_MAX = 3

/** What a label is made of. */
export interface RecordLabel {
  entity: Entity
  /** The columns that are the label. */
  columns: readonly Column[]
  /** The referring value, as SQL. */
  value: string
  /** Whether the row that refers is a company's own. */
  isTenant: boolean
  /** Whether a row refers to the records of some keys, given as a query of them. */
  refers?: (keys: string) => string
}

/** The keys of records that have changed, as a query. */
export const CHANGED_KEYS = 'SELECT value FROM json_each(@_changed)'

/** The columns that name a record. */
export const displayOf = (entity: Entity): Column[] =>
  entity.display.flatMap((name) => entity.columnByName.get(name.toLowerCase()) ?? [])

/** Several texts as one, separated by a blank; NULL among them is left out. */
export const joinTexts = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? 'NULL') : `concat_ws(' ', ${parts.join(', ')})`

/**
 * A scalar subquery by the key; the tables that it reads are added to `steps`. Its inner names
 * begin with `_`, as no column of a model does: the referring value is always the row's own.
 */
export function composeLabel(
  entities: ReadonlyMap<string, Entity>,
  { entity, columns, value, isTenant, refers = (keys) => `${value} IN (${keys})` }: RecordLabel,
  scope: 'company' | 'all',
  steps: LabelStep[],
  depth = 1,
): string {
  const key = entity.keys[0]
  if (!key) return 'NULL'
  steps.push({ table: entity.table, condition: refers(CHANGED_KEYS) })
  const table = `main.${quote(entity.table)}`
  const inner = columns.map((column, at) => `${quote(column.name)} AS _d${depth}_${at}`)
  const company = entity.company !== undefined ? [`${quote(entity.company)} AS _c${depth}`] : []
  const parts = columns.map((column, at) => {
    const name = `_d${depth}_${at}`
    const next = depth < DEPTH_MAX ? entities.get(column.references ?? '') : undefined
    if (!next) return column.type === 'Text' ? name : `CAST(${name} AS TEXT)`
    const nested: RecordLabel = {
      ...{ entity: next, columns: displayOf(next), value: name, isTenant },
      refers: (keys) =>
        refers(`SELECT ${quote(key.name)} FROM ${table} WHERE ${quote(column.name)} IN (${keys})`),
    }
    return composeLabel(entities, nested, scope, steps, depth + 1)
  })
  const list = [`${quote(key.name)} AS _k${depth}`, ...inner, ...company].join(', ')
  return (
    `(SELECT ${joinTexts(parts)} FROM (SELECT ${list} FROM ${table}) ` +
    `WHERE _k${depth} = ${value}${planCompany(entity, scope, isTenant, depth)})`
  )
}

/**
 * A record of another company has no label. A user who has left stays known to the records of the
 * company that they served; records that all companies share tell of the company's users alone.
 */
function planCompany(
  entity: Entity,
  scope: 'company' | 'all',
  isTenant: boolean,
  depth: number,
): string {
  if (scope === 'all') return ''
  if (entity.company !== undefined) return ` AND _c${depth} = @CurrentCompanyId`
  if (!entity.builtIn || isTenant) return ''
  const members = 'SELECT UserId FROM main.svc_user_companies WHERE CompanyId = @CurrentCompanyId'
  return ` AND _k${depth} IN (${members})`
}
