/** Exports through the executable: how fast, in how much memory, and what others feel of them. */
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/executable.ts'
import { engineJob, startEngine, workOf } from './compare.ts'
import { readResidentMiB, runLoad, runLoadBeside, type ServerProcess } from './processes.ts'
import { OBJECTS } from './work.ts'
import { countPool } from './pool.ts'
import type { World } from './world.ts'

const MANAGER = { UserName: 'root', Password: 'root-demo-password' }
const ROUNDS = 5
const COPIES = 5
const READERS = 2
const POLL_MS = 20

/** What the CSV of the orders has, asked of the shell: the same columns, rows and order. */
const SHELL_SQL =
  'SELECT Number, (SELECT c.Name FROM customers c WHERE c.Id = o.CustomerId), Region, Status, ' +
  'OrderedAt, DueOn, OwnerId, (SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.OwnerId), ' +
  'Total, Cost, round(Total - Cost, 2), Reference, Remark, CreatedAt, CreatedBy, ' +
  '(SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.CreatedBy), ChangedAt, ChangedBy, ' +
  '(SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.ChangedBy) ' +
  'FROM orders o ORDER BY OrderedAt DESC, Id DESC;'

interface Made {
  Url: string
  Size: number
  Rows: number
}

interface Timed extends Made {
  /** Until the last byte of the file is here. */
  ms: number
}

/** The access token of a user of the demo. */
export async function signIn({ port }: ServerProcess, user = MANAGER): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(user),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

/** Exports a grid and fetches the file. */
async function exportOnce(
  { port }: ServerProcess,
  token: string,
  body: { ObjectName: string; Format: string },
): Promise<Timed> {
  const start = performance.now()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}${OBJECTS}/export-data`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, AllCompanies: true }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  const { File } = (JSON.parse(text) as { data: { File: Made } }).data
  const file = await fetch(`http://127.0.0.1:${port}${File.Url}`, { headers })
  let size = 0
  for await (const chunk of file.body ?? []) size += chunk.length
  if (size !== File.Size) throw new Error(`The file has ${size} bytes, not ${File.Size}`)
  return { ...File, ms: performance.now() - start }
}

/** The middle one. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** A rate as text. */
export const perSecond = (rows: number, ms: number): string => `${Math.round(rows / ms)},000 rows/s`

/** Milliseconds that the sqlite3 shell takes to write the same CSV; undefined without the shell. */
async function timeShell(database: string, target: string): Promise<number | undefined> {
  if (!Bun.which('sqlite3')) return undefined
  const start = performance.now()
  const child = Bun.spawn(['sqlite3', '-readonly', '-csv', database], {
    stdin: new Blob([SHELL_SQL]),
    stdout: Bun.file(target),
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('The sqlite3 shell failed')
  return performance.now() - start
}

/** The most that a process has in memory while `work` runs, above what it had before. */
export async function watchMemory<T>(
  pid: number,
  work: () => Promise<T>,
  read: (pid: number) => number = readResidentMiB,
): Promise<[T, number, number]> {
  const idle = read(pid)
  let peak = idle
  const timer = setInterval(() => (peak = Math.max(peak, read(pid))), POLL_MS)
  try {
    return [await work(), idle, peak]
  } finally {
    clearInterval(timer)
  }
}

/** Times of exports beside the shell's, in turns; then a million rows beside readers of a grid. */
export async function measureExport(executable: string, world: World): Promise<string[]> {
  return [...(await measureSpeed(executable, world)), ...(await measureMillion(executable, world))]
}

/** With those that were added for writes. */
const countOrders = ({ orders }: World): number => orders + countPool(orders)

async function measureSpeed(executable: string, world: World): Promise<string[]> {
  using folder = temporaryFolder()
  await using engine = await startEngine(executable, world, {}, true)
  const token = await signIn(engine)
  const orders = countOrders(world)
  const times: Record<'csv' | 'xlsx' | 'jsonl' | 'shell', number[]> = {
    ...{ csv: [], xlsx: [], jsonl: [], shell: [] },
  }
  const database = join(world.engineFolder, 'engine.db')
  for (let round = 0; round < ROUNDS; round++) {
    for (const Format of ['csv', 'xlsx', 'jsonl'] as const) {
      const { ms, Rows } = await exportOnce(engine, token, { ObjectName: 'orders', Format })
      if (Rows !== orders) throw new Error(`It exported ${Rows} rows`)
      times[Format].push(ms)
    }
    const shell = await timeShell(database, join(folder.path, 'shell.csv'))
    if (shell !== undefined) times.shell.push(shell)
  }
  const csv = median(times.csv)
  const shell = median(times.shell)
  const beside =
    times.shell.length === 0
      ? 'the sqlite3 shell is not here to compare with'
      : `sqlite3 -csv ${perSecond(orders, shell)} (${shell.toFixed(0)} ms): ` +
        `${(shell / csv).toFixed(2)} of it, wanted 0.33; wanted 300,000`
  return [
    `export  csv ${orders} rows over HTTP ${perSecond(orders, csv)} (${csv.toFixed(0)} ms); ` +
      beside,
    `export  xlsx ${perSecond(orders, median(times.xlsx))}, wanted 150,000; ` +
      `jsonl ${perSecond(orders, median(times.jsonl))}`,
  ]
}

async function measureMillion(executable: string, world: World): Promise<string[]> {
  const lines: string[] = []
  const page = workOf(world, 'page-repeated').requests
  for (const Format of ['csv', 'xlsx']) {
    await using engine = await startEngine(executable, world, {}, true)
    const token = await signIn(engine)
    const readers = engineJob(engine, world, page, { connections: READERS, seconds: 2 })
    const calm = await runLoad(readers)
    const work = (): Promise<Timed> =>
      exportOnce(engine, token, { ObjectName: 'order-copies', Format })
    const [alone, idle, peak] = await watchMemory(engine.pid, work)
    if (alone.Rows !== countOrders(world) * COPIES)
      throw new Error(`It exported ${alone.Rows} rows`)
    const { p99, max } = await runLoadBeside(readers, work())
    lines.push(
      `export  ${Format} of ${alone.Rows} rows in ${(alone.ms / 1000).toFixed(1)} s, ` +
        `peak ${(peak - idle).toFixed(0)} MiB above ${idle.toFixed(0)}, wanted under 150; ` +
        `pages meanwhile p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms ` +
        `(calm p99 ${calm.p99.toFixed(1)}), wanted under 50`,
    )
  }
  return lines
}
