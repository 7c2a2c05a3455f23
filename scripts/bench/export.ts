/** Exports through the executable: how fast, in how much memory, and what others feel of them. */
import { engineJob, startBare, startEngine, workOf } from './compare.ts'
import { countPool } from './pool.ts'
import {
  readCpuSeconds,
  readResidentMiB,
  runLoad,
  runLoadBeside,
  type ServerProcess,
} from './processes.ts'
import { OBJECTS } from './work.ts'
import type { World } from './world.ts'

const MANAGER = { UserName: 'root', Password: 'root-demo-password' }
const ROUNDS = 5
const COPIES = 5
const READERS = 2
const POLL_MS = 20

interface Made {
  Url: string
  Size: number
  Rows: number
}

interface Timed {
  rows: number
  /** Until the last byte of the file is here. */
  ms: number
  /** Seconds of processor of the server. */
  cpu: number
  /** Of what stands below the head of a CSV, in hexadecimal. */
  digest: string
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
  { port, pid }: ServerProcess,
  token: string,
  body: { ObjectName: string; Format: string },
): Promise<Timed> {
  const before = readCpuSeconds(pid)
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
  const { size, digest } = await readFile(file, true)
  if (size !== File.Size) throw new Error(`The file has ${size} bytes, not ${File.Size}`)
  const ms = performance.now() - start
  return { rows: File.Rows, ms, cpu: readCpuSeconds(pid) - before, digest }
}

/** The same orders as CSV from the bare server. */
async function exportByHand({ port, pid }: ServerProcess, rows: number): Promise<Timed> {
  const before = readCpuSeconds(pid)
  const start = performance.now()
  const file = await fetch(`http://127.0.0.1:${port}/export`, { method: 'POST' })
  if (!file.ok) throw new Error(await file.text())
  const { digest } = await readFile(file, false)
  return { rows, ms: performance.now() - start, cpu: readCpuSeconds(pid) - before, digest }
}

const LF = 10

/** Reads a file to its end. */
async function readFile(
  { body }: Response,
  hasHead: boolean,
): Promise<{ size: number; digest: string }> {
  const hash = new Bun.CryptoHasher('sha256')
  let size = 0
  for await (const chunk of body ?? []) {
    hash.update(hasHead && size === 0 ? chunk.subarray(chunk.indexOf(LF) + 1) : chunk)
    size += chunk.length
  }
  return { size, digest: hash.digest('hex') }
}

/** The middle one. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const round = (rate: number): string => Math.round(rate).toLocaleString('en')

const perCpu = ({ rows, cpu }: Timed): number => rows / cpu

/** Rates as text. */
const tell = (times: readonly Timed[]): string =>
  `${round(median(times.map(({ rows, ms }) => (rows * 1000) / ms)))} rows/s, ` +
  `${round(median(times.map(perCpu)))} of processor`

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

/** Exports beside the one by hand, in turns; then a million rows beside readers of a grid. */
export async function measureExport(executable: string, world: World): Promise<string[]> {
  return [...(await measureSpeed(executable, world)), ...(await measureMillion(executable, world))]
}

/** With those that were added for writes. */
const countOrders = ({ orders }: World): number => orders + countPool(orders)

async function measureSpeed(executable: string, world: World): Promise<string[]> {
  await using engine = await startEngine(executable, world, {}, true)
  await using bare = await startBare(world)
  const token = await signIn(engine)
  const orders = countOrders(world)
  const times: Record<'csv' | 'xlsx' | 'jsonl' | 'bare', Timed[]> = {
    csv: [],
    xlsx: [],
    jsonl: [],
    bare: [],
  }
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const Format of ['csv', 'xlsx', 'jsonl'] as const) {
      const timed = await exportOnce(engine, token, { ObjectName: 'orders', Format })
      if (timed.rows !== orders) throw new Error(`It exported ${timed.rows} rows`)
      times[Format].push(timed)
    }
    times.bare.push(await exportByHand(bare, orders))
  }
  const digests = new Set([...times.csv, ...times.bare].map(({ digest }) => digest))
  if (digests.size > 1) throw new Error('The exported rows differ')
  const ratios = times.csv.map((csv, at) => perCpu(csv) / perCpu(times.bare[at] ?? csv))
  return [
    `export of ${round(orders)} rows`,
    `  csv    ${tell(times.csv)}, wanted 300,000`,
    `  bare   ${tell(times.bare)}`,
    `  ratio  ${median(ratios).toFixed(2)} by processor time`,
    `  xlsx   ${tell(times.xlsx)}, wanted 150,000`,
    `  jsonl  ${tell(times.jsonl)}`,
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
    if (alone.rows !== countOrders(world) * COPIES)
      throw new Error(`It exported ${alone.rows} rows`)
    const { p99, max } = await runLoadBeside(readers, work())
    lines.push(
      `export  ${Format} of ${alone.rows} rows in ${(alone.ms / 1000).toFixed(1)} s, ` +
        `peak ${(peak - idle).toFixed(0)} MiB above ${idle.toFixed(0)}, wanted under 150; ` +
        `pages meanwhile p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms ` +
        `(calm p99 ${calm.p99.toFixed(1)}), wanted under 50`,
    )
  }
  return lines
}
