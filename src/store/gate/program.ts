/** The gate's second pass: what SQLite would do, read from EXPLAIN on the scratch connection. */
import type Database from 'libsql'
import { Yielder } from '../../kernel/yielder.ts'
import { SqlFault } from './fault.ts'
import { FUNCTIONS, MODULES, OPCODES, PUBLISHED_TABLES } from './lists.ts'

/** A table of the scratch database. */
interface KnownTable {
  name: string
  columns: readonly string[]
}

/** The scratch database: its tables by lower-case name, and whose root page is which. */
export interface Catalog {
  tables: ReadonlyMap<string, KnownTable>
  /** Root pages of tables and of their indexes, to the table's name. */
  roots: ReadonlyMap<number, string>
  /** Root pages of indexes. */
  indexes: ReadonlySet<number>
  /** Lower-case names of tables that are there and that authored SQL may not name. */
  hidden: ReadonlySet<string>
}

/** The tables and cells that a statement opens. */
export interface Program {
  reads: ReadonlySet<string>
  writes: ReadonlySet<string>
  /** `table.Column` of every cell that it takes from a table, but for keys found by an index. */
  cells: ReadonlySet<string>
}

interface Instruction {
  opcode: string
  p1: number
  p2: number
  p3: number
  p4: string | null
}

/** SQLite's own table of AUTOINCREMENT keys: written with the table that has one. */
const SEQUENCE_TABLE = 'sqlite_sequence'

const SCHEMA_TABLES = 'sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema'.split(' ')

/**
 * Compiles a statement without running it.
 *
 * @throws Error with SQLite's message when it does not compile; SqlFault when it would do what no
 *   authored statement may
 */
export function readProgram(db: Database.Database, sql: string, catalog: Catalog): Program {
  const instructions = explain(db, sql)
  const reads = new Set<string>()
  const writes = new Set<string>()
  for (const instruction of instructions) {
    if (!OPCODES.has(instruction.opcode))
      throw new SqlFault(`It would run an operation that is not allowed: ${instruction.opcode}`, 0)
    const table = openedTable(instruction, catalog)
    if (table !== undefined && table !== SEQUENCE_TABLE)
      (/^Open(Read|Dup)|^Reopen/.test(instruction.opcode) ? reads : writes).add(table)
    requireListedFunction(instruction)
  }
  requireListedModules(db, instructions)
  return { reads, writes, cells: listCells(instructions, catalog) }
}

/** A cursor's number may be used again, so a cell counts for each table that it was opened on. */
function listCells(instructions: readonly Instruction[], catalog: Catalog): Set<string> {
  const opened = new Map<number, Set<string>>()
  for (const { opcode, p1, p2 } of instructions) {
    if (opcode !== 'OpenRead' && opcode !== 'OpenWrite') continue
    const table = catalog.indexes.has(p2) ? undefined : catalog.roots.get(p2)
    if (table !== undefined) opened.set(p1, (opened.get(p1) ?? new Set()).add(table))
  }
  const cells = new Set<string>()
  for (const { opcode, p1, p2 } of instructions) {
    if (opcode !== 'Column') continue
    for (const table of opened.get(p1) ?? []) {
      const column = catalog.tables.get(table.toLowerCase())?.columns[p2]
      if (column !== undefined) cells.add(`${table}.${column}`)
    }
  }
  return cells
}

/** The tables of a database that authored SQL may name, and all root pages. */
export async function readCatalog(db: Database.Database): Promise<Catalog> {
  const rows = db
    .prepare('SELECT type, name, tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 0')
    .all() as { type: string; name: string; tbl_name: string; rootpage: number }[]
  const columnsOf = db.prepare('SELECT name FROM pragma_table_info(?)')
  const names = rows.filter(({ type }) => type === 'table').map(({ name }) => name)
  const tables = new Map<string, KnownTable>()
  const pacing = new Yielder()
  for (const name of names.filter((each) => isReadable(each.toLowerCase()))) {
    const columns = columnsOf.all(name) as { name: string }[]
    tables.set(name.toLowerCase(), { name, columns: columns.map((column) => column.name) })
    await pacing.yieldWhenDue()
  }
  return {
    tables,
    roots: new Map(rows.map((row) => [row.rootpage, row.tbl_name])),
    indexes: new Set(rows.filter(({ type }) => type === 'index').map((row) => row.rootpage)),
    hidden: new Set([
      ...names.map((name) => name.toLowerCase()).filter((key) => !isReadable(key)),
      ...SCHEMA_TABLES,
    ]),
  }
}

/** Checks for readable names: not the membership behind the published tables, none of SQLite's. */
const isReadable = (key: string): boolean =>
  Object.hasOwn(PUBLISHED_TABLES, key) || !/^(svc|sqlite)_/.test(key)

const explain = (db: Database.Database, sql: string): Instruction[] =>
  db.prepare(`EXPLAIN ${sql}`).all() as Instruction[]

/** Returns the table behind a root page, which is in P2 where one is opened, in P1 of Clear. */
function openedTable(instruction: Instruction, { roots }: Catalog): string | undefined {
  const { opcode, p1, p2, p3 } = instruction
  const isClear = opcode === 'Clear'
  if (!isClear && opcode !== 'OpenRead' && opcode !== 'OpenWrite' && opcode !== 'ReopenIdx')
    return undefined
  const table = (isClear ? p2 : p3) === 0 ? roots.get(isClear ? p1 : p2) : undefined
  if (table === undefined) throw new SqlFault('It opens a table that is not in the model', 0)
  return table
}

function requireListedFunction({ opcode, p4 }: Instruction): void {
  if (opcode !== 'Function' && opcode !== 'PureFunc' && !opcode.startsWith('Agg')) return
  const name = (p4 ?? '').replace(/\(-?\d+\)$/, '').toLowerCase()
  if (!FUNCTIONS.has(name)) throw new Error(`no such function: ${name}`)
}

/** Virtual tables are named by their address alone, so the listed ones are opened to compare. */
function requireListedModules(db: Database.Database, instructions: readonly Instruction[]): void {
  const opened = instructions.filter(({ opcode }) => opcode === 'VOpen').map(({ p4 }) => p4)
  if (opened.length === 0) return
  const listed = [...MODULES].map((module) => `${module}('[]')`).join(', ')
  const addresses = new Set(
    explain(db, `SELECT 1 FROM ${listed}`)
      .filter(({ opcode }) => opcode === 'VOpen')
      .map(({ p4 }) => p4),
  )
  if (!opened.every((address) => addresses.has(address)))
    throw new SqlFault('It opens a table function that is not available', 0)
}
