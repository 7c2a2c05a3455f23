/**
 * The watch over the entities' tables: TEMP triggers on the writer that no statement gets around,
 * authored or not. They log every touched row and hold a transaction to its company.
 */
import { joinTerms } from '../join-terms.ts'
import type { WatchedTable } from '../store.ts'

/** `what` of a log row; while the log is silent `SILENT` is added, and only the table counts. */
export const LOGGED = { insert: 1, update: 2, delete: 3 } as const
export const SILENT = 4

/** TEMP names come before main ones, so they bear the engine's prefix, which no entity may have. */
export const CONTEXT_TABLE = 'svc_writer_context'
export const LOG_TABLE = 'svc_writer_log'

/**
 * Columns of the widest table that the engine can write: SQLite takes 2,000 of a table, and the
 * change log, the stage of an import and the statements over them have some beside the table's own.
 */
export const COLUMNS_MAX = 1900

/** Checks that a table is wider than can be logged: all writes to it fail, and all else goes on. */
const isTooWide = (table: WatchedTable): boolean => loggedColumns(table).length > COLUMNS_MAX

const COMPANY = `(SELECT Company FROM temp.${CONTEXT_TABLE})`

/** The tables that the watch keeps for itself; as wide as the widest logged one. */
export function planLog(tables: readonly WatchedTable[]): string[] {
  const logged = tables.filter((table) => !isTooWide(table))
  const width = Math.max(1, ...logged.map((table) => loggedColumns(table).length))
  const cells = Array.from({ length: width }, (_, at) => `c${at}`)
  return [
    `CREATE TEMP TABLE IF NOT EXISTS ${CONTEXT_TABLE} (Company INTEGER, Silent INTEGER NOT NULL)`,
    `INSERT INTO temp.${CONTEXT_TABLE} SELECT 0, 0 ` +
      `WHERE NOT EXISTS (SELECT 1 FROM temp.${CONTEXT_TABLE})`,
    `DROP TABLE IF EXISTS temp.${LOG_TABLE}`,
    // Columns without a type keep every value as it was.
    `CREATE TEMP TABLE ${LOG_TABLE} ` +
      `(Seq INTEGER PRIMARY KEY, Entity INTEGER, What INTEGER, ${cells.join(', ')})`,
  ]
}

/** Columns in the order of the log's cells: all of them, keys included. */
export const loggedColumns = (table: WatchedTable): string[] => [
  ...new Set([...table.columns, ...table.keys]),
]

/**
 * The triggers of one table; `index` is its number in the log. One for each moment, whatever there
 * is to be done then: making a trigger takes the longer the more there are.
 */
export function planTriggers(table: WatchedTable, index: number): string[] {
  if (isTooWide(table)) return planRefusals(table, index)
  return [...planGuards(table, index), ...planLogging(table, index)]
}

/** Refuses writes to a table that cannot be logged: a change would be in no audit entry. */
const planRefusals = (table: WatchedTable, index: number): string[] =>
  ['INSERT', 'UPDATE', 'DELETE'].map(
    (moment) =>
      `CREATE TEMP TRIGGER svc_wide_${moment.toLowerCase()}_${index} BEFORE ${moment} ` +
      `ON main.${quote(table.table)} ` +
      `BEGIN SELECT RAISE(ABORT, ${text(`wide:${table.entity}`)}); END`,
  )

/** The triggers that look at each row that is inserted, by their names. */
const nameInserts = (index: number): string[] =>
  ['guard', 'tree', 'log'].map((what) => `svc_${what}_insert_${index}`)

/** Takes away what looks at each row that is inserted into a table. */
export const planUnwatchedInserts = (index: number): string[] =>
  nameInserts(index).map((name) => `DROP TRIGGER IF EXISTS temp.${name}`)

/** Puts it back. */
export const planWatchedInserts = (table: WatchedTable, index: number): string[] =>
  planTriggers(table, index).filter((sql) =>
    nameInserts(index).some((name) => sql.startsWith(`CREATE TEMP TRIGGER ${name} `)),
  )

function planLogging(table: WatchedTable, index: number): string[] {
  const columns = loggedColumns(table)
  const keys = columns
    .map((column, at) => ({ column, at }))
    .filter((c) => table.keys.includes(c.column))
  const into = (cells: string[], values: string[], what: number | string): string =>
    `INSERT INTO ${LOG_TABLE} (Entity, What, ${cells.join(', ')}) ` +
    `SELECT ${index}, ${what} + Silent, ${values.join(', ')} FROM ${CONTEXT_TABLE}`
  const before = (what: number | string): string =>
    into(
      columns.map((_, at) => `c${at}`),
      columns.map((column) => `OLD.${quote(column)}`),
      what,
    )
  const inserted = into(
    keys.map((key) => `c${key.at}`),
    keys.map((key) => `NEW.${quote(key.column)}`),
    LOGGED.insert,
  )
  const isSame = table.keys.map((key) => `OLD.${quote(key)} IS NEW.${quote(key)}`).join(' AND ')
  // A changed key: one record went and another came.
  const updated = `CASE WHEN ${isSame} THEN ${LOGGED.update} ELSE ${LOGGED.delete} END`
  const on = `ON main.${quote(table.table)}`
  return [
    `CREATE TEMP TRIGGER svc_log_insert_${index} AFTER INSERT ${on} BEGIN ${inserted}; END`,
    `CREATE TEMP TRIGGER svc_log_delete_${index} AFTER DELETE ${on} ` +
      `BEGIN ${before(LOGGED.delete)}; END`,
    `CREATE TEMP TRIGGER svc_log_update_${index} AFTER UPDATE ${on} ` +
      `BEGIN ${before(updated)}; ${inserted} WHERE NOT (${isSame}); END`,
  ]
}

/** A reason to keep a row from being written, and the refusal: the first that holds. */
interface Guard {
  when: string
  then: string
}

function planGuards(table: WatchedTable, index: number): string[] {
  if (table.company === undefined) return []
  const company = quote(table.company)
  const refuse = `RAISE(ABORT, ${text(`company:${table.entity}`)})`
  const isForeign = (row: string): string =>
    `${COMPANY} IS NOT NULL AND ${row}.${company} IS NOT ${COMPANY}`
  const skip = { when: isForeign('OLD'), then: 'RAISE(IGNORE)' }
  const isTree = (each: Reference): boolean => each.table === table.table
  const plan = (each: Reference) => planReference(table, company, each)
  const references = table.references.filter((each) => !isTree(each)).map(plan)
  const trees = table.references.filter(isTree).map(plan)
  const trigger = (name: string, moment: string, guards: readonly Guard[]): string => {
    const cases = guards.map(({ when, then }) => `WHEN ${when} THEN ${then}`)
    return (
      `CREATE TEMP TRIGGER svc_${name}_${index} ${moment} ON main.${quote(table.table)} ` +
      `WHEN ${joinTerms(
        guards.map(({ when }) => `(${when})`),
        'OR',
      )} ` +
      `BEGIN SELECT CASE ${cases.join(' ')} END; END`
    )
  }
  return [
    trigger('guard_insert', 'BEFORE INSERT', [
      { when: isForeign('NEW'), then: refuse },
      ...references,
    ]),
    trigger('guard_update', 'BEFORE UPDATE', [
      skip,
      // Not even engine work moves a record to another company: its references would stay behind.
      { when: `NEW.${company} IS NOT OLD.${company}`, then: refuse },
      ...references.map(onMove),
    ]),
    // One that never holds: where SQLite finds no ABORT in what a cascade fires, it keeps what a
    // delete did that then fails, and a row that was skipped would refer to one that is gone.
    trigger('guard_delete', 'BEFORE DELETE', [skip, { when: 'FALSE', then: refuse }]),
    // The record above may come with a later row: whether there is any the foreign key says.
    ...(trees.length > 0
      ? [
          trigger('tree_insert', 'AFTER INSERT', trees),
          trigger('tree_update', 'AFTER UPDATE', trees.map(onMove)),
        ]
      : []),
  ]
}

type Reference = WatchedTable['references'][number]

const onMove = ({ column, when, then }: Guard & { column: string }): Guard => ({
  when: `NEW.${column} IS NOT OLD.${column} AND ${when}`,
  then,
})

/**
 * A reference that crosses companies is refused. Work for one company is refused one to no record
 * at all by the same words and at the same moment, before any rule of the table: what else would be
 * wrong with the row must not tell the two from each other.
 */
function planReference(
  table: WatchedTable,
  company: string,
  reference: Reference,
): Guard & { column: string } {
  const column = quote(reference.column)
  const found = (test: string): string =>
    `EXISTS (SELECT 1 FROM main.${quote(reference.table)} AS r ` +
    `WHERE r.${quote(reference.key)} = NEW.${column} ` +
    `AND r.${quote(reference.company)} ${test} NEW.${company})`
  const isTree = reference.table === table.table
  const isStrange = isTree
    ? found('IS NOT')
    : `CASE WHEN ${COMPANY} IS NULL THEN ${found('IS NOT')} ELSE NOT ${found('IS')} END`
  // A tree's guard reads as a failure of a foreign key, which the other one is.
  const guard = isTree ? 'tree' : 'reference'
  const message = text(`${guard}:${table.entity}.${reference.column}`)
  const when = `NEW.${column} IS NOT NULL AND ${isStrange}`
  return { column, when, then: `RAISE(ABORT, ${message})` }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
