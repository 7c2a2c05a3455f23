/** Rebuilds a table with its rows: the only way to change what SQLite cannot alter. */
import { FIELD_KINDS } from '../fields/kinds.ts'
import { planProjection, type Projected } from './projection.ts'
import { newKey, oldKey, type TableMatch } from './schema-match.ts'
import type { TableSchema } from './table-schema.ts'
import { renderTable } from '../sql/ddl.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** The SQL of a rebuild; `copy` must insert as many rows as the old table had. */
export interface Rebuild {
  before: readonly string[]
  copy: string
  after: readonly string[]
}

/** Returns a name that no table of the model has, since theirs hold no dot. */
const draftName = (table: string): string => `${table}.new`

/**
 * Plans the rebuild of a table that has its new name and the new names of its columns already. It
 * must run with foreign keys off, or dropping a cascading parent deletes its children.
 */
export function planRebuild(match: TableMatch, schema: TableSchema = match.wanted): Rebuild {
  const { keyChange, removed } = match
  const names = new Set(schema.columns.map((column) => column.name))
  const cells = [
    ...planProjection(match).flatMap((column) => {
      const value = newValue(column, match)
      return value === undefined ? [] : [{ value, name: column.wanted.name }]
    }),
    ...removed.flatMap(({ name }) => (names.has(name) ? [{ value: quote(name), name }] : [])),
  ]
  const keys = keyChange && quote(keyChange.table)
  const on = keyChange?.stored.map(({ name }, at) => `${keys}.${oldKey(at)} = ${quote(name)}`)
  // CROSS keeps the rows in their order: SQLite does not begin with the map.
  const join = on === undefined ? '' : ` CROSS JOIN ${keys} ON ${on.join(' AND ')}`
  const values = cells.map(({ value }) => value).join(', ')
  const rows = `SELECT ${values} FROM ${storedRows(match)}${join}`
  const wasNumbered = match.stored?.columns.some((column) => column.identity) ?? false
  return planCopy(schema, { names: cells.map(({ name }) => name), rows, wasNumbered })
}

/** Plans the rebuild of an open table into the wanted one: requirements hold from then on. */
export function planClosing({ wanted }: TableMatch): Rebuild {
  const names = wanted.columns.map(({ name }) => name)
  const rows = `SELECT ${names.map(quote).join(', ')} FROM ${quote(wanted.table)}`
  return planCopy(wanted, { names, rows, wasNumbered: true })
}

interface Copy {
  /** Columns that are written, and the SELECT that gives them. */
  names: readonly string[]
  rows: string
  /** The table so far gave its keys itself. */
  wasNumbered: boolean
}

function planCopy(schema: TableSchema, { names, rows, wasNumbered }: Copy): Rebuild {
  const { table } = schema
  const draft = draftName(table)
  const isNumbered = wasNumbered && schema.columns.some((column) => column.identity)
  return {
    before: [renderTable(schema, draft)],
    copy: `INSERT INTO ${quote(draft)} (${names.map(quote).join(', ')}) ${rows}`,
    after: [
      ...(isNumbered ? keepSequence(table, draft) : []),
      `DROP TABLE ${quote(table)}`,
      `ALTER TABLE ${quote(draft)} RENAME TO ${quote(table)}`,
    ],
  }
}

/**
 * Returns the table while rows, fills and migrations are written: with its new columns and those to
 * be removed, only the key required, no reference held.
 */
export function openSchema({ wanted, removed }: TableMatch): TableSchema {
  const loose = { notNull: false, references: null }
  return {
    ...wanted,
    columns: [
      ...wanted.columns.map((column) => ({
        ...column,
        notNull: wanted.keys.includes(column.name),
        references: null,
      })),
      ...removed.map((column) => ({ ...column, ...loose, identity: false, default: null })),
    ],
  }
}

/** A new key comes from the map of keys; a stamp moves with what its record refers to. */
function newValue(column: Projected, { wanted, keyChange, columns }: TableMatch) {
  const at = wanted.keys.indexOf(column.wanted.name)
  if (keyChange !== undefined && at >= 0) return `${quote(keyChange.table)}.${newKey(at)}`
  const isMoved = keyChange !== undefined || columns.some(({ follows }) => follows !== undefined)
  const isStamp =
    column.column.kind === 'stamp' &&
    column.stored !== undefined &&
    FIELD_KINDS[column.stored.type].number === 'whole'
  return isMoved && isStamp && column.value ? `${column.value} + 1` : column.value
}

/** The rows by their stored names, in which conversions and fills speak, after the renames. */
export function storedRows({ wanted, columns, removed }: TableMatch): string {
  const renamed = columns.flatMap(({ stored, wanted: now }) =>
    stored === undefined ? [] : [`${quote(now.name)} AS ${quote(stored.name)}`],
  )
  const all = [...renamed, ...removed.map((column) => quote(column.name)), 'rowid AS ".row"']
  return `(SELECT ${all.join(', ')} FROM ${quote(wanted.table)})`
}

/** The keys of deleted records stay used. */
function keepSequence(table: string, draft: string): string[] {
  const last = `SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(table)}`
  return [
    `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(draft)}, 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${quoteText(draft)})`,
    `UPDATE sqlite_sequence SET seq = max(seq, coalesce((${last}), 0))
      WHERE name = ${quoteText(draft)}`,
  ]
}
