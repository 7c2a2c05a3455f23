/** A migration of the application's tables, alone on the writer. */
import { Failure, outcomeUnknown } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Yielder } from '../../kernel/yielder.ts'
import { toFailure } from '../faults.ts'
import type { FileReader } from '../read/reading.ts'
import type { SqlRead } from '../sql.ts'
import type { Reader, Tx, WatchedTable } from '../store.ts'
import { commit, overwriteFailedCommit } from './commit.ts'
import { runEffects, type WriterParts } from './group.ts'
import { WriterTx } from './transaction.ts'
import type { WriterConnection } from './writer-connection.ts'

/** The writer of a migration, with a reader of the state before it. */
interface MigrationHost extends WriterParts {
  /** Sees the last commit, so the tables as they were. */
  reader: FileReader
}

/** See `Store.migrate`. */
interface MigrationOptions {
  watch: readonly WatchedTable[] | undefined
  shrinking: readonly string[]
}

/**
 * Runs `work` in one transaction with foreign keys off (they are switched outside of it: inside,
 * that does nothing, and dropping a cascading parent would delete its children), without triggers.
 * Commits only when every reference holds and no rebuilt table has lost a row. In any case the
 * writer is opened again afterwards, with foreign keys on and the watch over the tables that exist;
 * after the commit that is `watch`, so that no write comes in between.
 */
export async function runMigration<T>(
  host: MigrationHost,
  work: (tx: Tx) => Promise<T>,
  options: MigrationOptions,
): Promise<T> {
  const { disk } = host.writer
  try {
    return await migrateTables(host, work, options)
  } catch (error) {
    disk.noteFailure(error)
    throw error
  }
}

async function migrateTables<T>(
  { writer, counters, reader }: MigrationHost,
  work: (tx: Tx) => Promise<T>,
  { watch, shrinking }: MigrationOptions,
): Promise<T> {
  const { chain, versions } = writer
  let watched = writer.watched
  try {
    await writer.reopen([], true)
    writer.connection.database.exec('PRAGMA foreign_keys=OFF')
    writer.run('BEGIN IMMEDIATE')
    chain.begin()
    const untimed = { writeTimeoutMs: undefined, isLong: false }
    const tx = new WriterTx({ writer, counters, afterWrite: undefined, company: null, ...untimed })
    const before = rootPages(writer)
    const value = await runWork(tx, work)
    await requireReferences(writer)
    await requireRows(writer, reader, withoutTables(before, shrinking))
    const after = rootPages(writer)
    versions.beginCommit('all')
    const end = await commit(writer)
    if (end.outcome === 'refused') throw end.fault
    if (end.outcome === 'unknown')
      throw (await overwriteFailedCommit(writer)) ? end.fault : outcomeUnknown(end.fault)
    watched = watch ?? watched
    runEffects(tx.effects)
    reader.renew()
    versions.lift(after.keys())
    if (end.outcome === 'astray') throw end.fault
    return value
  } catch (error) {
    writer.rollback()
    throw toFailure(error)
  } finally {
    versions.endCommit()
    await renewWriter(writer, watched)
  }
}

/**
 * Opens the writer again, which tells nothing about earlier commits: if it fails the next group
 * opens it again.
 */
async function renewWriter(
  writer: WriterConnection,
  watched: readonly WatchedTable[],
): Promise<void> {
  let intact = watched
  try {
    intact = await listIntact(writer, watched)
  } catch (error) {
    writer.disk.noteFailure(toFailure(error))
  }
  try {
    await writer.reopen(intact)
  } catch (error) {
    writer.disk.noteFailure(toFailure(error))
  }
}

async function runWork<T>(tx: WriterTx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    const value = await work(tx)
    await tx.finish()
    return value
  } finally {
    await tx.end()
  }
}

async function requireReferences(writer: WriterConnection): Promise<void> {
  const broken = await writer.connection.statement('PRAGMA foreign_key_check').allOffLoop({})
  if (broken.length === 0) return
  const tables = [...new Set(broken.map((row) => `${row.table} to ${row.parent}`))]
  throw new Failure('conflict', say`The migration would break references: ${tables.join(', ')}`, {
    code: 'MIGRATION_BREAKS_REFERENCES',
  })
}

/** A table on another root page was rebuilt; it must hold at least the rows that it had. */
async function requireRows(
  writer: WriterConnection,
  reader: Reader,
  before: Map<string, number>,
): Promise<void> {
  for (const [table, page] of rootPages(writer)) {
    const old = before.get(table)
    if (old === undefined || old === page) continue
    const sql = `SELECT count(*) AS Rows FROM main."${table.replaceAll('"', '""')}"`
    const read: SqlRead = { sql, args: {}, runs: 'lane' }
    const had = Number((await reader.get(read))?.Rows)
    const [has] = await writer.connection.statement(sql).allOffLoop({})
    if (Number(has?.Rows) >= had) continue
    throw new Failure('conflict', say`The migration would lose rows of ${table}`, {
      code: 'MIGRATION_LOSES_ROWS',
    })
  }
}

function withoutTables(
  pages: ReadonlyMap<string, number>,
  tables: readonly string[],
): Map<string, number> {
  const rest = new Map(pages)
  for (const table of tables) rest.delete(table.toLowerCase())
  return rest
}

function rootPages(writer: WriterConnection): Map<string, number> {
  const tables = writer.connection
    .statement(
      `SELECT name AS Name, rootpage AS Page FROM main.sqlite_schema
       WHERE type = 'table' AND rootpage > 0`,
    )
    .all({})
  return new Map(tables.map((table) => [String(table.Name).toLowerCase(), Number(table.Page)]))
}

async function listIntact(
  writer: WriterConnection,
  tables: readonly WatchedTable[],
): Promise<WatchedTable[]> {
  const pacing = new Yielder()
  const intact: WatchedTable[] = []
  for (const table of tables) {
    if (isIntact(writer, table)) intact.push(table)
    await pacing.yieldWhenDue()
  }
  return intact
}

function isIntact(writer: WriterConnection, table: WatchedTable): boolean {
  const names = writer.connection
    .statement('SELECT lower(name) AS Name FROM pragma_table_info(@table)')
    .all({ table: table.table })
  const columns = new Set(names.map((row) => String(row.Name)))
  const needed = [...table.columns, ...table.keys, ...table.references.map((each) => each.column)]
  return needed.every((column) => columns.has(column.toLowerCase()))
}
