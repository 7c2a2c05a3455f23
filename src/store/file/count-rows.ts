/** Counts of rows, which prove a copy and a migration. */
import type { Connection } from '../connection/connection.ts'

/** Rows of each table by its name. */
export type RowCounts = Readonly<Record<string, number>>

const TABLES = `SELECT name AS Name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
  ORDER BY name`

/** Counts the rows of each table, as the connection sees them. */
export function countRows(connection: Connection): RowCounts {
  const names = connection
    .statement(TABLES)
    .all({})
    .map(({ Name }) => String(Name))
  return Object.fromEntries(
    names.map((name) => {
      const sql = `SELECT count(*) AS Count FROM "${name.replaceAll('"', '""')}"`
      return [name, Number(connection.statement(sql).get({})?.Count)]
    }),
  )
}

/** Names of tables behind these words of a statement, in whatever quotes. */
const named = (words: string): RegExp => new RegExp(`\\b(?:${words})\\s+["\`[]?(\\w+)`, 'gi')

const MOVING = named('INSERT\\s+(?:OR\\s+\\w+\\s+)?INTO|REPLACE\\s+INTO|DELETE\\s+FROM')
const REMOVING = named('DROP\\s+TABLE(?:\\s+IF\\s+EXISTS)?|ALTER\\s+TABLE')

/**
 * Lists tables whose rows a migration lost or added without a statement that names them, as
 * `orders has 388 rows and had 400`. A table that is built anew under its old name keeps its rows.
 */
export function findRowFaults(
  before: RowCounts,
  after: RowCounts,
  migrations: readonly string[],
): string[] {
  const text = migrations.join('\n')
  const findNames = (form: RegExp) =>
    new Set([...text.matchAll(form)].map(([, name = '']) => name.toLowerCase()))
  const [moved, removed] = [findNames(MOVING), findNames(REMOVING)]
  return Object.entries(before).flatMap(([table, rows]) => {
    const now = after[table]
    const isMeant = (now === undefined ? removed : moved).has(table.toLowerCase())
    return now === rows || isMeant ? [] : [`${table} has ${now ?? 0} rows and had ${rows}`]
  })
}
