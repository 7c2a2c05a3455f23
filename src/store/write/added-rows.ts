/**
 * Very many new rows of a watched table by one statement. The watch looks at each row and SQLite at
 * each reference, and since either may refuse one, SQLite keeps a copy of every page before the
 * statement changes it: together that is half of the time. So the watch over inserts is taken away
 * for the statement, foreign keys are off, and what they would have refused is looked for in all
 * the rows at once, behind it. Whatever is found, or fails, takes the transaction with it; with the
 * transaction the triggers of the connection come back, as all of its schema.
 */
import type { Connection } from '../connection/connection.ts'
import { SqlError } from '../faults.ts'
import type { SqlArgs } from '../sql.ts'
import type { AddedRows, WatchedTable, Written } from '../store.ts'
import { planUnwatchedInserts, planWatchedInserts } from './watch.ts'

/** The rows cannot be added in this way; the transaction is gone. One by one it may be told why. */
export class AddedRowsRefused extends Error {
  constructor(cause?: unknown) {
    super('Rows were refused, or could not be added together', { cause })
    this.name = 'AddedRowsRefused'
  }
}

/** The connection and its watch, with which rows are added. */
interface AddingTo {
  connection: Connection
  watched: readonly WatchedTable[]
}

/**
 * Runs the INSERT without the watch over each row, and looks through the rows, all by `run`, off
 * the event loop; gives how many there are and the name of their table.
 * @throws AddedRowsRefused where one of the rows may not be there.
 */
export async function addRows(
  { connection, watched }: AddingTo,
  rows: AddedRows & { adds: string | undefined; company: number | null },
  run: (sql: string, args: SqlArgs) => Promise<Written>,
): Promise<{ changes: number; table: string }> {
  const index = watched.findIndex((each) => each.table === rows.adds)
  const watchedTable = watched[index]
  if (!watchedTable) throw new Error('Rows are added to a table that the writer was not told of')
  const { table } = watchedTable
  const { database } = connection
  database.exec(planUnwatchedInserts(index).join(';\n'))
  // SQLite keeps no copies of pages for an INSERT that leaves what it did before it failed.
  const insert = `INSERT OR FAIL INTO main.${quote(table)} ${rows.sql}`
  const { changes } = await run(insert, rows.args).catch(refuse)
  database.exec(planWatchedInserts(watchedTable, index).join(';\n'))
  const { first, last, company } = rows
  for (const sql of planChecks(watchedTable, listReferences(connection, table))) {
    const found = await run(sql, { first, last, company })
    if (found.rows.length > 0) throw new AddedRowsRefused()
  }
  return { changes, table }
}

function refuse(error: unknown): never {
  throw error instanceof SqlError ? new AddedRowsRefused(error) : error
}

/** A foreign key: its own columns with the columns that they refer to. */
interface ForeignKey {
  parent: string
  columns: readonly { from: string; to: string }[]
}

const FOREIGN_KEYS = `SELECT f.id AS Id, f."table" AS Parent, f."from" AS Own,
    coalesce(f."to", p.name) AS Other
  FROM pragma_foreign_key_list(@table) AS f
  LEFT JOIN pragma_table_info(f."table") AS p ON f."to" IS NULL AND p.pk = f.seq + 1
  ORDER BY f.id, f.seq`

function listReferences(connection: Connection, table: string): ForeignKey[] {
  const rows = connection.statement(FOREIGN_KEYS).all({ table })
  return [...Map.groupBy(rows, ({ Id }) => Id).values()].map((list) => ({
    parent: String(list[0]?.Parent),
    columns: list.map(({ Own, Other }) => ({ from: String(Own), to: String(Other) })),
  }))
}

/** Statements that find a row which the watch or a foreign key would have refused. */
function planChecks(table: WatchedTable, references: readonly ForeignKey[]): string[] {
  const own = `main.${quote(table.table)} AS n`
  const isNew = `n.${quote(table.keys[0] ?? '')} BETWEEN @first AND @last`
  // Rows refer to few others, again and again.
  const distinct = (columns: readonly string[], filled: readonly string[]): string =>
    `(SELECT DISTINCT ${columns.map((name) => `n.${quote(name)}`).join(', ')} FROM ${own} ` +
    `WHERE ${[isNew, ...filled.map((name) => `n.${quote(name)} IS NOT NULL`)].join(' AND ')}) AS n`
  const checks = references.map(({ parent, columns }) => {
    const names = columns.map(({ from }) => from)
    const same = columns.map(({ from, to }) => `p.${quote(to)} = n.${quote(from)}`)
    const found = `SELECT 1 FROM main.${quote(parent)} AS p WHERE ${same.join(' AND ')}`
    return `SELECT 1 AS found FROM ${distinct(names, names)} WHERE NOT EXISTS (${found}) LIMIT 1`
  })
  const { company } = table
  if (company === undefined) return checks
  const isForeign = `@company IS NOT NULL AND n.${quote(company)} IS NOT @company`
  const crossing = table.references.map(
    ({ column, table: parent, key, company: other }) =>
      `SELECT 1 AS found FROM ${distinct([column, company], [column])} ` +
      `CROSS JOIN main.${quote(parent)} AS r ON r.${quote(key)} = n.${quote(column)} ` +
      `WHERE r.${quote(other)} IS NOT n.${quote(company)} LIMIT 1`,
  )
  const foreign = `SELECT 1 AS found FROM ${own} WHERE ${isNew} AND ${isForeign} LIMIT 1`
  return [foreign, ...crossing, ...checks]
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
