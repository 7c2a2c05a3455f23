/**
 * Growth of a statement's query plan with the data. On the serving thread there is no deadline, so
 * a read there reads at most one table through: every further loop inside of it finds one row by a
 * unique key. A join over a rare value is quick today and endless for another. A write there writes
 * one row: each takes far longer than to read one.
 */
import { Lru } from '../../kernel/lru.ts'
import {
  type NativeDatabase,
  type NativeStatement,
  openMemory,
  prepareNative,
} from '../connection/native.ts'
import { isConnectionFault } from '../faults.ts'
import { isSteady } from '../gate/steady.ts'
import { type Token, tokenize } from '../gate/tokenize.ts'
import type { SqlValue } from '../sql.ts'

interface Step {
  id: number
  parent: number
  detail: string
}

/** Children that run once, not for every row of their siblings. */
const RUNS_ONCE = new RegExp(
  '^(CO-ROUTINE|MATERIALIZE|LIST SUBQUERY|SCALAR SUBQUERY|COMPOUND|LEFT-MOST|UNION|EXCEPT' +
    '|INTERSECT|MERGE|LEFT$|RIGHT$)',
)
const INDEX = /USING (?:COVERING )?INDEX (\S+) \((.*)\)/
const IS_UNIQUE = `SELECT l."unique" FROM sqlite_schema s
  JOIN pragma_index_list(s.tbl_name) l ON l.name = s.name WHERE s.name = @name`
const COLUMNS = 'SELECT name FROM pragma_index_info(@name)'

/**
 * Answers from a copy of the schema in memory: an EXPLAIN that was read to its end is still open
 * for the package, and would hold a connection to an old state of its file. A table is copied when
 * a statement first names it: copying hundreds of them takes long.
 */
export class PlanShapes {
  readonly #copy = openMemory()
  readonly #reads = new Lru<string, boolean>(SHAPES_MAX)
  readonly #writes = new Lru<string, boolean>(SHAPES_MAX)
  /**
   * Kept as long as the connection: what falls out of sight is finalized by the collector, which
   * waits for whatever the connection runs, and with it the timer that would end a runaway.
   */
  readonly #catalog: { tables: NativeStatement; schemaOf: NativeStatement }
  /** Lower-case names of the tables that are not copied yet. */
  readonly #uncopied: Set<string>
  /** Lower-case names of virtual tables, each of which makes tables of its own behind its name. */
  readonly #virtual: readonly string[]

  constructor(database: NativeDatabase) {
    this.#catalog = {
      tables: prepareNative(database, TABLES),
      schemaOf: prepareNative(database, SCHEMA_OF),
    }
    const tables = [...this.#catalog.tables.iterate({})]
    this.#uncopied = new Set(tables.map(([name]) => String(name)))
    this.#virtual = tables.filter(([, isVirtual]) => isVirtual === 1).map(([name]) => String(name))
  }

  /** Checks that the plan of a SELECT is bounded by one pass over one table; found out once. */
  isBounded(sql: string): boolean {
    return this.#reads.find(sql) ?? this.#reads.keep(sql, isReadBounded(this.#explain(sql)))
  }

  /**
   * Checks that a statement changes at most one row, found by a unique key, and reads at most one
   * whole table for that; the result is cached. False for deletes, also those of a REPLACE, since
   * cascades have no bound, and for statements whose time depends on their values.
   */
  isBoundedWrite(sql: string): boolean {
    const known = this.#writes.find(sql)
    if (known !== undefined) return known
    return this.#writes.keep(sql, this.#findBoundedWrite(sql))
  }

  /**
   * Decides on a write. False for one that the copy cannot explain: it names a temporary table.
   * @throws what the disk refused, of which nothing is kept
   */
  #findBoundedWrite(sql: string): boolean {
    try {
      const tokens = tokenize(sql)
      return addsOrUpdates(tokens) && isSteady(tokens) && isWriteBounded(this.#explain(sql))
    } catch (error) {
      if (isConnectionFault(error)) throw error
      return false
    }
  }

  /**
   * Explains a statement. Copies all tables where a name that is not a word may have been missed.
   */
  #explain(sql: string): PlanSteps {
    this.#copyTables(sql.match(WORDS) ?? [])
    try {
      return explain(this.#copy, sql)
    } catch (error) {
      if (this.#uncopied.size === 0) throw error
      this.#copyTables([...this.#uncopied])
      return explain(this.#copy, sql)
    }
  }

  /** A table counts as copied once it is there whole: reading the schema may fail for a moment. */
  #copyTables(words: readonly string[]): void {
    for (const table of words.map((word) => word.toLowerCase())) {
      if (!this.#uncopied.has(table)) continue
      this.#copyTables(this.#virtual.filter((name) => table.startsWith(`${name}_`)))
      const parts = [...this.#catalog.schemaOf.iterate({ table })].map(([sql]) => String(sql))
      if (readAll(this.#copy, IS_TABLE, table).length === 0) this.#make(parts)
      this.#uncopied.delete(table)
    }
  }

  /** Makes a table with its indexes, or nothing of them. */
  #make(parts: readonly string[]): void {
    try {
      this.#copy.exec(['BEGIN', ...parts, 'COMMIT'].join(';\n'))
    } catch (error) {
      if (this.#copy.inTransaction) this.#copy.exec('ROLLBACK')
      throw error
    }
  }
}

const SHAPES_MAX = 2000
const WORDS = /[\w$\u0080-\uffff]+/g
const TABLES = `SELECT lower(name), rootpage = 0 FROM sqlite_schema
  WHERE type = 'table' AND sql IS NOT NULL AND name NOT LIKE 'sqlite%'`
const IS_TABLE = 'SELECT 1 FROM sqlite_schema WHERE lower(name) = @name'
const SCHEMA_OF = `SELECT sql FROM sqlite_schema WHERE lower(tbl_name) = @table
  AND sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND type IN ('table', 'index')
  ORDER BY type DESC`

/** A plan, and which of its steps find one row. */
interface PlanSteps {
  steps: readonly Step[]
  finds: (detail: string) => boolean
}

function explain(copy: NativeDatabase, sql: string): PlanSteps {
  const rows = [...prepareNative(copy, `EXPLAIN QUERY PLAN ${sql}`).iterate({})]
  const steps = rows.map(([id, parent, , detail]): Step => ({
    id: Number(id),
    parent: Number(parent),
    detail: String(detail),
  }))
  return { steps, finds: (detail) => findsOne(copy, detail) }
}

const isReadBounded = ({ steps, finds }: PlanSteps): boolean => countLoops(steps, 0, finds) <= 1

/** Steps of a statement that writes which go over no rows of their own. */
const ASIDE = /^(?:CORRELATED )?SCALAR SUBQUERY/
/** Steps that the data does not bound. */
const ENDLESS = /^RECURSIVE STEP|VIRTUAL TABLE/

function isWriteBounded({ steps, finds }: PlanSteps): boolean {
  const own = steps.filter(({ parent, detail }) => parent === 0 && !ASIDE.test(detail))
  const isOne = own.every(({ detail }) => STEP_OVER_ROWS.test(detail) && !isLoop(detail, finds))
  const isEnding = !steps.some(({ detail }) => ENDLESS.test(detail))
  return isOne && isEnding && countLoops(steps, 0, finds) <= 1
}

const STEP_OVER_ROWS = /^(?:SCAN|SEARCH) /

/** Checks that a statement inserts or updates, and removes no row that is in its way. */
function addsOrUpdates(tokens: readonly Token[]): boolean {
  let depth = 0
  const words = tokens.filter(({ kind, value }) => {
    if (kind === 'mark' && value === '(') depth++
    if (kind === 'mark' && value === ')') depth--
    return kind === 'word' && depth === 0
  })
  const at = words.findIndex(({ key }) => VERBS.has(key))
  const isReplacing = words[at + 1]?.key === 'or' && words[at + 2]?.key === 'replace'
  const verb = words[at]?.key
  return (verb === 'update' || verb === 'insert') && !isReplacing
}

const VERBS: ReadonlySet<string> = new Set(['select', 'insert', 'update', 'delete', 'replace'])

/** Counts nested loops over more than one row; Infinity for an unbounded statement. */
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

/** Checks that a search is by every column of a unique key. */
function findsOne(database: NativeDatabase, detail: string): boolean {
  if (detail.includes('USING INTEGER PRIMARY KEY (rowid=?)')) return true
  const [, name, terms] = INDEX.exec(detail) ?? []
  if (name === undefined || terms === undefined) return false
  const isUnique = Number(readAll(database, IS_UNIQUE, name)[0]?.[0]) === 1
  const columns = readAll(database, COLUMNS, name).length
  const equal = terms.split(' AND ').filter((term) => term.endsWith('=?'))
  return isUnique && equal.length === columns
}

const readAll = (database: NativeDatabase, sql: string, name: string): SqlValue[][] => [
  ...prepareNative(database, sql).iterate({ name }),
]
