/** A table made anew with its rows: the only way to change what SQLite cannot alter. */
import { renderTable } from '../ddl.ts'
import { quote, quoteText } from '../quote.ts'
import type { TableMatch } from './match.ts'
import { planProjection } from './projection.ts'

/** The SQL of a rebuild; `copy` must insert as many rows as the old table had. */
export interface Rebuild {
  before: readonly string[]
  copy: string
  after: readonly string[]
}

/** Names of the model hold no dot, so that no table of it can be called so. */
const draftName = (table: string): string => `${table}.new`

/**
 * Plans the rebuild of a table that has its new name and the new names of its columns already. It
 * must run with foreign keys off, or dropping a cascading parent deletes its children.
 */
export function planRebuild(match: TableMatch): Rebuild {
  const { table } = match.wanted
  const draft = draftName(table)
  const filled = planProjection(match).flatMap(({ value, wanted }) =>
    value === undefined ? [] : [{ value, name: quote(wanted.name) }],
  )
  const copy =
    `INSERT INTO ${quote(draft)} (${filled.map(({ name }) => name).join(', ')}) ` +
    `SELECT ${filled.map(({ value }) => value).join(', ')} FROM ${storedRows(match)}`
  return {
    before: [renderTable(match.wanted, draft)],
    copy,
    after: [
      ...keepSequence(match, draft),
      `DROP TABLE ${quote(table)}`,
      `ALTER TABLE ${quote(draft)} RENAME TO ${quote(table)}`,
    ],
  }
}

/** The rows by their stored names, in which conversions and fills speak, after the renames. */
function storedRows({ wanted, columns, removed }: TableMatch): string {
  const renamed = columns.flatMap(({ stored, wanted: now }) =>
    stored === undefined ? [] : [`${quote(now.name)} AS ${quote(stored.name)}`],
  )
  const all = [...renamed, ...removed.map((column) => quote(column.name))]
  return `(SELECT ${all.join(', ')} FROM ${quote(wanted.table)})`
}

/** The keys of deleted records stay used. */
function keepSequence({ wanted, stored }: TableMatch, draft: string): string[] {
  const wasIdentity = stored?.columns.some((column) => column.identity) ?? false
  if (!wasIdentity || !wanted.columns.some((column) => column.identity)) return []
  const last = `SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(wanted.table)}`
  return [
    `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(draft)}, 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${quoteText(draft)})`,
    `UPDATE sqlite_sequence SET seq = max(seq, coalesce((${last}), 0))
      WHERE name = ${quoteText(draft)}`,
  ]
}
