/** Imports through the executable: how fast, in how much memory, and what others feel of them. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { temporaryFolder } from '../../test/support/executable.ts'
import { engineJob, startBare, startEngine, workOf } from './compare.ts'
import { median, signIn, watchMemory } from './export.ts'
import { readCpuSeconds, runLoad, runLoadBeside, type ServerProcess } from './processes.ts'
import { OBJECTS } from './work.ts'
import { USER, type World } from './world.ts'

const ROWS = 20_000
const IMPORTS = 10
const MILLION = 1_000_000
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

/** The target of an import: the view of the engine, the table of both. */
const TARGETS = [
  { view: 'Measures', table: 'measures', about: 'without audit', wanted: 45_000 },
  { view: 'AuditedMeasures', table: 'audited_measures', about: 'with audit', wanted: 25_000 },
] as const

/** Sends a file and waits for the answer; milliseconds. */
async function importOnce(
  { port }: ServerProcess,
  token: string,
  { path, rows, view = 'Measures' }: { path: string; rows: number; view?: string },
): Promise<number> {
  const form = new FormData()
  form.set('objectName', view)
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

/** The same by hand. */
async function importByHand(
  { port }: ServerProcess,
  { path, rows, table }: { path: string; rows: number; table: string },
): Promise<number> {
  const start = performance.now()
  const url = `http://127.0.0.1:${port}/import/${table}`
  const answer = await fetch(url, { method: 'POST', body: Bun.file(path) })
  const ms = performance.now() - start
  const { data, error } = (await answer.json()) as { data?: number; error?: string }
  if (data !== rows) throw new Error(error ?? 'Rows are missing')
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

/** The cells of a row of a table. */
function readFacts(path: string, table: string): unknown {
  using database = new Database(path, { readonly: true })
  return database
    .query(
      `SELECT count(*) AS Rows, sum(Amount) AS Amount, sum(Pieces) AS Pieces, min(Code) AS First,
         max(Name) AS Last, sum(length(Name || GroupCode || Status || TakenOn)) AS Characters
       FROM ${table} WHERE CompanyId = 1`,
    )
    .get()
}

/** Imports in a row beside inserts by hand; then a million rows beside readers of a grid. */
export async function* measureImport(
  executable: string,
  world: World,
  isQuick: boolean,
): AsyncGenerator<string> {
  grantRole(world)
  for (const target of TARGETS) yield* await measureTen(executable, world, target)
  if (!isQuick) yield* await measureMillion(executable, world)
}

/** Rows a second, by the clock and by the processor of a server. */
interface ImportRate {
  perSecond: number
  perCpuSecond: number
}

async function rateOf(server: ServerProcess, run: () => Promise<number>): Promise<ImportRate> {
  const before = readCpuSeconds(server.pid)
  const ms = await run()
  const cpu = readCpuSeconds(server.pid) - before
  return { perSecond: (ROWS * 1000) / ms, perCpuSecond: ROWS / cpu }
}

const round = (rate: number): string => Math.round(rate).toLocaleString('en')

async function measureTen(
  executable: string,
  world: World,
  { view, table, about, wanted }: (typeof TARGETS)[number],
): Promise<string[]> {
  using folder = temporaryFolder()
  await using engine = await startEngine(executable, world)
  await using bare = await startBare(world)
  const token = await signIn(engine, USER)
  const own: ImportRate[] = []
  const byHand: ImportRate[] = []
  for (let turn = 0; turn < IMPORTS; turn++) {
    const path = join(folder.path, `${turn}.csv`)
    await writeRows(path, `A${String.fromCharCode(65 + turn)}`, ROWS)
    own.push(await rateOf(engine, () => importOnce(engine, token, { path, rows: ROWS, view })))
    byHand.push(await rateOf(bare, () => importByHand(bare, { path, rows: ROWS, table })))
  }
  const facts = [join(world.engineFolder, 'engine.db'), world.bareJob.file].map((file) =>
    readFacts(file, table),
  )
  if (!isDeepStrictEqual(facts[0], facts[1]))
    throw new Error(`The imported rows differ: ${JSON.stringify(facts)}`)
  const tell = (rates: ImportRate[]): string =>
    `${round(median(rates.map(({ perSecond }) => perSecond)))} rows/s, ` +
    `${round(median(rates.map(({ perCpuSecond }) => perCpuSecond)))} of processor ` +
    `(each: ${rates.map(({ perCpuSecond }) => round(perCpuSecond)).join(' ')})`
  const ratios = own.map((rate, at) => rate.perCpuSecond / (byHand[at]?.perCpuSecond ?? NaN))
  return [
    `import ${about}, ${IMPORTS} of ${round(ROWS)} rows`,
    `  engine ${tell(own)}, wanted ${round(wanted)} and no fall`,
    `  bare   ${tell(byHand)}`,
    `  ratio  ${median(ratios).toFixed(2)} by processor time`,
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
    path: join(folder.path, `${letters}.csv`),
    rows: MILLION,
    letters,
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
