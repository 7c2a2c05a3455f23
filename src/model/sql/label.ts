/** Record labels as SQL expressions: the Display columns, found by the record's key. Pure. */
import type { Column, Entity } from '../compiled/entity.ts'
import type { LabelJoin, LabelStep } from '../compiled/label-sql.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from './quote.ts'

/** Labels of labels (a Display that is a reference itself) are followed this far. */
const DEPTH_MAX = 3

/** A label: the Display columns of an entity and the columns that refer to it. */
export interface RecordLabel {
  entity: Entity
  /** The columns that are the label. */
  columns: readonly Column[]
  /** The referring value, as SQL. */
  value: string
  /** True when the row that refers is a company's own. */
  isTenant: boolean
  /** True when a row refers to the records of some keys, given as a query of them. */
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
  label: RecordLabel,
  scope: 'company' | 'all',
  steps: LabelStep[],
  depth = 1,
): string {
  const { entity, columns, value, isTenant } = label
  const key = entity.keys[0]
  if (!key) return 'NULL'
  const parts = composeParts(entities, label, { scope, steps, depth })
  return (
    `(SELECT ${joinTexts(parts)} FROM ${selectNamed(entity, key, columns, String(depth))} ` +
    `WHERE _k${depth} = ${value}${planCompany(entity, scope, isTenant, String(depth))})`
  )
}

/** See `LabelJoin`. */
function composeKeys(
  entities: ReadonlyMap<string, Entity>,
  label: RecordLabel,
  scope: 'company' | 'all',
): LabelJoin['keys'] {
  const { entity, columns, isTenant } = label
  const key = entity.keys[0]
  if (!key) return { rows: 'SELECT NULL WHERE NULL', label: 'NULL' }
  const parts = composeParts(entities, label, { scope, steps: [], depth: 1 })
  const rows = selectNamed(entity, key, columns, '1')
  const company = planCompany(entity, scope, isTenant, '1')
  return { rows: `SELECT _k1 FROM ${rows} WHERE TRUE${company}`, label: joinTexts(parts) }
}

interface Depth {
  scope: 'company' | 'all'
  steps: LabelStep[]
  depth: number
}

/** The texts of a label, over the named columns of its record. */
function composeParts(
  entities: ReadonlyMap<string, Entity>,
  { entity, columns, value, isTenant, refers = (keys) => `${value} IN (${keys})` }: RecordLabel,
  { scope, steps, depth }: Depth,
): string[] {
  steps.push({ table: entity.table, condition: refers(CHANGED_KEYS) })
  const key = quote(entity.keys[0]?.name ?? '')
  const table = `main.${quote(entity.table)}`
  return columns.map((column, at) => {
    const name = `_d${depth}_${at}`
    const next = depth < DEPTH_MAX ? entities.get(column.references ?? '') : undefined
    if (!next) return toText(name, column)
    const nested: RecordLabel = {
      entity: next,
      columns: displayOf(next),
      value: name,
      isTenant,
      refers: (keys) =>
        refers(`SELECT ${key} FROM ${table} WHERE ${quote(column.name)} IN (${keys})`),
    }
    return composeLabel(entities, nested, scope, steps, depth + 1)
  })
}

/** True when a value means one record at most, so that a join leaves the rows as they are. */
export const isJoined = ({ keys }: Entity): boolean => keys.length === 1

/**
 * The same as `composeLabel`, beside joined rows; for an entity that `isJoined`. Its names end with
 * that of the field: no other label of a view has them.
 */
export function composeJoinedLabel(
  entities: ReadonlyMap<string, Entity>,
  label: RecordLabel,
  scope: 'company' | 'all',
  name: string,
): LabelJoin {
  const joins: string[] = []
  return { joins, text: join(label, 1), keys: composeKeys(entities, label, scope) }

  function join({ entity, columns, value, isTenant }: RecordLabel, depth: number): string {
    const key = entity.keys[0]
    if (!key) return 'NULL'
    const tag = `j${joins.length + 1} ${name}`
    const found = quote(`_k${tag}`)
    const rows = `${selectNamed(entity, key, columns, tag)} AS ${quote(`_${tag}`)}`
    joins.push(
      `LEFT JOIN ${rows} ON ${found} = ${value}${planCompany(entity, scope, isTenant, tag)}`,
    )
    const parts = columns.map((column, at) => {
      const part = quote(`_d${tag}_${at}`)
      const next = depth < DEPTH_MAX ? entities.get(column.references ?? '') : undefined
      if (!next) return toText(part, column)
      const nested = { entity: next, columns: displayOf(next), value: part, isTenant }
      if (isJoined(next)) return join(nested, depth + 1)
      return composeLabel(entities, nested, scope, [], depth + 1)
    })
    // Several texts of no record would be one that is empty.
    const text = joinTexts(parts)
    return parts.length === 1 ? text : `iif(${found} IS NULL, NULL, ${text})`
  }
}

const toText = (name: string, { type }: Column): string =>
  FIELD_KINDS[type].isText ? name : `CAST(${name} AS TEXT)`

/** The records of an entity, under names that end with `tag`. */
function selectNamed(
  { table, company }: Entity,
  key: Column,
  columns: readonly Column[],
  tag: string,
): string {
  const cells = [
    `${quote(key.name)} AS ${quote(`_k${tag}`)}`,
    ...columns.map((column, at) => `${quote(column.name)} AS ${quote(`_d${tag}_${at}`)}`),
    ...(company === undefined ? [] : [`${quote(company)} AS ${quote(`_c${tag}`)}`]),
  ]
  return `(SELECT ${cells.join(', ')} FROM main.${quote(table)})`
}

/**
 * Plans the condition on a label: none of another company's record. A user who has left stays known
 * to the records of the company served; shared records show only the company's users.
 */
function planCompany(
  entity: Entity,
  scope: 'company' | 'all',
  isTenant: boolean,
  tag: string,
): string {
  if (scope === 'all') return ''
  if (entity.company !== undefined) return ` AND ${quote(`_c${tag}`)} = @CurrentCompanyId`
  if (!entity.builtIn || isTenant) return ''
  const members = 'SELECT UserId FROM main.svc_user_companies WHERE CompanyId = @CurrentCompanyId'
  return ` AND ${quote(`_k${tag}`)} IN (${members})`
}
