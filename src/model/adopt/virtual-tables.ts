/** The plain tables in which SQLite's own modules keep what a virtual table shows. */

const MODULE = /\bUSING\s+["'`[]?(\w+)/i

const OF_TEXTS = ['_content', '_docsize', '_segments', '_segdir', '_stat']
const OF_TEXTS_5 = ['_content', '_docsize', '_data', '_idx', '_config']
const OF_BOXES = ['_rowid', '_node', '_parent']

/** Ends of the names of those tables; those with a row for each row stand first. */
const BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['fts3', OF_TEXTS],
  ['fts4', OF_TEXTS],
  ['fts5', OF_TEXTS_5],
  ['rtree', OF_BOXES],
  ['rtree_i32', OF_BOXES],
  ['geopoly', OF_BOXES],
])

/**
 * Lists the names of the tables that a virtual table keeps, those with a row for each of its rows
 * first; none for a module that is not SQLite's own.
 */
export function listInnerTables(name: string, sql: string): string[] {
  const ends = BESIDE.get(MODULE.exec(sql)?.[1]?.toLowerCase() ?? '') ?? []
  return ends.map((end) => `${name}${end}`)
}
