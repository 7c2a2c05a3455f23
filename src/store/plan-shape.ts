/**
 * How much a statement's query plan can grow with the data. On the serving thread there is no
 * deadline, so what may run there reads at most one table through: every further loop inside of it
 * finds one row by a unique key. A join over a rare value is quick today and endless for another.
 */
import type { NativeDatabase } from './native.ts'
import { prepareNative } from './native.ts'
import type { SqlArgs, SqlValue } from './sql.ts'

interface Step {
  id: number
  parent: number
  detail: string
}

/** Children that run once, not for every row of what stands beside them. */
const RUNS_ONCE = new RegExp(
  '^(CO-ROUTINE|MATERIALIZE|LIST SUBQUERY|SCALAR SUBQUERY|COMPOUND|LEFT-MOST|UNION|EXCEPT' +
    '|INTERSECT|MERGE|LEFT$|RIGHT$)',
)
const INDEX = /USING (?:COVERING )?INDEX (\S+) \((.*)\)/
const IS_UNIQUE = `SELECT l."unique" FROM sqlite_schema s
  JOIN pragma_index_list(s.tbl_name) l ON l.name = s.name WHERE s.name = @name`
const COLUMNS = 'SELECT name FROM pragma_index_info(@name)'

/** Whether the plan of a SELECT is bounded by one pass over one table. */
export function isBounded(database: NativeDatabase, sql: string): boolean {
  const statement = prepareNative(database, `EXPLAIN QUERY PLAN ${sql}`)
  const steps = [...statement.iterate({})].map(([id, parent, , detail]): Step => ({
    id: Number(id),
    parent: Number(parent),
    detail: String(detail),
  }))
  const finds = (detail: string): boolean => findsOne(database, detail)
  return countLoops(steps, 0, finds) <= 1
}

/** Loops over more than one row that stand inside one another; Infinity for what is not bounded. */
function countLoops(
  steps: readonly Step[],
  parent: number,
  finds: (detail: string) => boolean,
): number {
  let loops = 0
  for (const { id, parent: above, detail } of steps) {
    if (above !== parent) continue
    const inner = countLoops(steps, id, finds)
    if (RUNS_ONCE.test(detail)) loops += inner > 1 ? Infinity : 0
    else loops += isLoop(detail, finds) ? 1 : inner
  }
  return loops
}

/** A step that goes over rows, other than one found by a key that only one row has. */
function isLoop(detail: string, finds: (detail: string) => boolean): boolean {
  if (detail.startsWith('MULTI-INDEX')) return true
  if (detail.startsWith('SCAN')) return !detail.startsWith('SCAN CONSTANT ROW')
  return detail.startsWith('SEARCH') && !finds(detail)
}

/** Whether a search is by every column of a unique key. */
function findsOne(database: NativeDatabase, detail: string): boolean {
  if (detail.includes('USING INTEGER PRIMARY KEY (rowid=?)')) return true
  const [, name, terms] = INDEX.exec(detail) ?? []
  if (name === undefined || terms === undefined) return false
  const isUnique = Number(readAll(database, IS_UNIQUE, { name })[0]?.[0]) === 1
  const columns = readAll(database, COLUMNS, { name }).length
  const equal = terms.split(' AND ').filter((term) => term.endsWith('=?'))
  return isUnique && equal.length === columns
}

/**
 * All rows. An EXPLAIN that was iterated to its end is still open for the package, and would hold
 * the connection to an old state of the file: `get` ends it.
 */
function readAll(database: NativeDatabase, sql: string, args: SqlArgs): SqlValue[][] {
  const statement = prepareNative(database, sql)
  const rows = [...statement.iterate(args)]
  statement.get(args)
  return rows
}
