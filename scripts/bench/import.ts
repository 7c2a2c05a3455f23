/** Imports through the executable: how fast, in how much memory, and what others feel of them. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/executable.ts'
import { engineJob, startEngine, workOf } from './compare.ts'
import { median, perSecond, signIn, watchMemory } from './export.ts'
import { runLoad, runLoadBeside, type ServerProcess } from './processes.ts'
import { OBJECTS } from './work.ts'
import { USER, type World } from './world.ts'

const ROWS = 100_000
const MILLION = 1_000_000
const ROUNDS = 5
const READERS = 2
const HEADS = ['Code', 'Name', 'GroupCode', 'Status', 'TakenOn', 'Amount', 'Pieces'] as const
const GROUPS = ['tools', 'hand-tools', 'power-tools', 'fixings', 'screws', 'anchors', 'safety']

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/** Rows whose codes begin with two letters of their own. */
async function writeRows(path: string, letters: string, count: number): Promise<void> {
  const file = Bun.file(path).writer()
  file.write(`${HEADS.join(',')}\n`)
  for (let at = 0; at < count; at++) {
    const cells = [
      `${letters}-${pad(at, 7)}`,
      `"Measure number ${(at * 7919) % count}, of ${count}"`,
      GROUPS[at % GROUPS.length],
      at % 3 === 0 ? 'checked' : 'new',
      `20${pad(at % 25, 2)}-${pad(1 + (at % 12), 2)}-${pad(1 + (at % 28), 2)}`,
      `${(at * 37) % 800_000}.${pad(at % 100, 2)}`,
      at % 1000,
    ]
    file.write(`${cells.join(',')}\n`)
    if (at % 10_000 === 0) await file.flush()
  }
  await file.end()
}

/** Sends a file and waits for the answer; milliseconds. */
async function importOnce(
  { port }: ServerProcess,
  token: string,
  { path, rows }: { path: string; rows: number },
): Promise<number> {
  const form = new FormData()
  form.set('objectName', 'Measures')
  form.set('file', Bun.file(path), 'rows.csv')
  const start = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}${OBJECTS}/import-data`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  })
  const ms = performance.now() - start
  const { data, error } = (await answer.json()) as {
    data?: { Import: { Inserted: number } }
    error?: string
  }
  if (data?.Import.Inserted !== rows) throw new Error(error ?? 'Rows are missing')
  return ms
}

/** The user may import; the server is not running yet. */
function grantRole({ engineFolder }: World): void {
  using database = new Database(join(engineFolder, 'engine.db'))
  database.run(
    `INSERT INTO svc_user_roles (UserId, Role, CompanyId)
     SELECT Id, 'Meter', NULL FROM svc_users WHERE UserName = ?`,
    [USER.UserName],
  )
}

/** A table like the engine's with its indexes, the columns of the file first. */
function makeTable(source: string, path: string): void {
  using engine = new Database(source, { readonly: true })
  const indexes = engine
    .query(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'measures'`)
    .all() as { sql: string }[]
  using made = new Database(path, { create: true })
  made.run('PRAGMA journal_mode=WAL')
  made.run(
    'CREATE TABLE measures (Code TEXT NOT NULL, Name TEXT NOT NULL, ' +
      'GroupCode TEXT NOT NULL, Status TEXT NOT NULL, TakenOn TEXT NOT NULL, ' +
      'Amount REAL NOT NULL, Pieces INTEGER, CompanyId INTEGER, RowVersion INTEGER, ' +
      'Id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT',
  )
  for (const { sql } of indexes) made.run(sql)
}

const countRows = (path: string): number => {
  using database = new Database(path, { readonly: true })
  return (database.query('SELECT count(*) AS n FROM measures').get() as { n: number }).n
}

/** Milliseconds that the sqlite3 shell takes to import a file into that table. */
async function timeShell(path: string, file: string): Promise<number> {
  const before = countRows(path)
  const start = performance.now()
  const child = Bun.spawn(['sqlite3', path], {
    stdin: new Blob([`.mode csv\n.import --skip 1 ${file} measures`]),
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await child.exited
  const ms = performance.now() - start
  const imported = countRows(path) - before
  if (imported !== ROWS) throw new Error(`The sqlite3 shell imported ${imported} rows`)
  return ms
}

/** Times of imports beside the shell's, in turns; then a million rows beside readers of a grid. */
export async function measureImport(executable: string, world: World): Promise<string[]> {
  grantRole(world)
  return [...(await measureSpeed(executable, world)), ...(await measureMillion(executable, world))]
}

async function measureSpeed(executable: string, world: World): Promise<string[]> {
  using folder = temporaryFolder()
  await using engine = await startEngine(executable, world, {}, true)
  const token = await signIn(engine, USER)
  const shell = Bun.which('sqlite3') === null ? undefined : join(folder.path, 'shell.db')
  if (shell !== undefined) makeTable(join(world.engineFolder, 'engine.db'), shell)
  const times: Record<'csv' | 'shell', number[]> = { csv: [], shell: [] }
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder.path, `${round}.csv`)
    await writeRows(path, `A${String.fromCharCode(65 + round)}`, ROWS)
    const own = await importOnce(engine, token, { path, rows: ROWS })
    times.csv.push(own)
    if (shell === undefined) continue
    const other = await timeShell(shell, path)
    times.shell.push(other)
    ratios.push(other / own)
  }
  const csv = median(times.csv)
  const other = median(times.shell)
  const beside =
    shell === undefined
      ? 'the sqlite3 shell is not here to compare with'
      : `sqlite3 .import into the same table ${perSecond(ROWS, other)} (${other.toFixed(0)} ms): ` +
        `${median(ratios).toFixed(2)} of it, wanted 0.50`
  return [
    `import  csv ${ROWS} rows over HTTP ${perSecond(ROWS, csv)} (${csv.toFixed(0)} ms); ${beside}`,
  ]
}

async function measureMillion(executable: string, world: World): Promise<string[]> {
  using folder = temporaryFolder()
  const page = workOf(world, 'page-repeated').requests
  await using engine = await startEngine(executable, world, {}, true)
  const token = await signIn(engine, USER)
  const readers = engineJob(engine, world, page, { connections: READERS, seconds: 2 })
  const calm = await runLoad(readers)
  const [first, second] = ['MA', 'MB'].map((letters) => ({
    ...{ path: join(folder.path, `${letters}.csv`), rows: MILLION, letters },
  }))
  if (!first || !second) return []
  await writeRows(first.path, first.letters, MILLION)
  await writeRows(second.path, second.letters, MILLION)
  const [alone, idle, peak] = await watchMemory(engine.pid, () => importOnce(engine, token, first))
  const { p99, max } = await runLoadBeside(readers, importOnce(engine, token, second))
  return [
    `import  ${MILLION} rows in ${(alone / 1000).toFixed(1)} s, peak ` +
      `${(peak - idle).toFixed(0)} MiB above ${idle.toFixed(0)}, wanted under 150; ` +
      `pages meanwhile p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms ` +
      `(calm p99 ${calm.p99.toFixed(1)}), wanted under 50`,
  ]
}
