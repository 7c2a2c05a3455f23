/**
 * The engine beside the bare server: rounds that take turns, and the ratio of what they answered.
 */
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './load.ts'
import { readCpuSeconds, runLoad, startServer } from './processes.ts'
import type { ServerProcess } from './processes.ts'
import { SETTINGS } from './world.ts'
import type { Work, World } from './world.ts'

export const ROUNDS = 8
export const ROUND_SECONDS = 1.5
export const CONNECTIONS = 16

/** What issue and figures ask of each kind of work, as a share of the bare server's rate. */
export type Wanted = Partial<Record<Work['name'], number>>

/**
 * Starts the executable on the world's folder, as production would but for the bench's settings; on
 * all cores with `isFree`.
 */
export function startEngine(
  executable: string,
  world: World,
  own: Readonly<Record<string, string>> = {},
  isFree = false,
): Promise<ServerProcess> {
  const settings = Object.entries({ ...SETTINGS, ...own }).map(
    ([name, value]) => `--${name}=${value}`,
  )
  const words = ['serve', '--port', '0', '--data', world.engineFolder]
  return startServer([executable, ...words, ...settings], undefined, isFree)
}

/** Starts the bare server on its own copy of the data. */
export function startBare({ bareJob }: World): Promise<ServerProcess> {
  return startServer([process.execPath, join(import.meta.dir, 'bare.ts')], bareJob)
}

/** A load on the engine with the world's token. */
export function engineJob(
  engine: ServerProcess,
  { token }: World,
  requests: Work['requests'],
  how: Pick<LoadJob, 'connections' | 'seconds'> & Partial<LoadJob>,
): LoadJob {
  return {
    port: engine.port,
    headers: { Authorization: `Bearer ${token}` },
    requests: requests.map((request) => ({ method: 'POST', ...request })),
    expect: [200],
    ...how,
  }
}

/** The same load on the bare server. */
export function bareLoad(bare: ServerProcess, { name, requests }: Work): LoadJob {
  return {
    port: bare.port,
    connections: CONNECTIONS,
    seconds: ROUND_SECONDS,
    headers: {},
    requests: requests.map((_, Index) => ({
      method: 'POST',
      path: `/${name}`,
      body: JSON.stringify({ Index }),
    })),
    expect: [200],
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** One round, with what it cost the server's core: right also while others use the machine. */
export interface Round extends LoadResult {
  perCpuSecond: number
}

/** One load on a server. */
export async function runRound(server: ServerProcess, job: LoadJob): Promise<Round> {
  const before = readCpuSeconds(server.pid)
  const result = await runLoad(job)
  const perCpuSecond = result.answered / (readCpuSeconds(server.pid) - before)
  return { ...result, perCpuSecond }
}

/** The median of the ratios of rounds that took turns, with the least and the greatest. */
export function planRatio(one: Round[], others: Round[], rate: (round: Round) => number): string {
  const ratios = one.map((round, at) => {
    const other = others[at]
    return other ? rate(round) / rate(other) : Number.NaN
  })
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)]
  return `${median(ratios).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`
}

/** A line of figures. */
export function describe(name: string, wanted: number, engine: Round[], bare: Round[]): string {
  const tell = (rounds: Round[]): string =>
    `${median(rounds.map(({ perSecond }) => perSecond)).toFixed(0)}/s ` +
    `p99 ${median(rounds.map(({ p99 }) => p99)).toFixed(1)} ms`
  return (
    `${name.padEnd(7)} engine ${tell(engine)}, bare ${tell(bare)}; ` +
    `ratio by time ${planRatio(engine, bare, ({ perSecond }) => perSecond)}, ` +
    `by processor time ${planRatio(engine, bare, ({ perCpuSecond }) => perCpuSecond)}, ` +
    `wanted ${wanted.toFixed(2)}`
  )
}

/** Rates and ratios of grid pages that are read anew each time, form loads and updates. */
export async function compare(executable: string, world: World): Promise<string[]> {
  const keepsNothing = { 'Svc:Cache:MaxBytes': '0' }
  return [
    ...(await compareWorks(executable, world, { page: 0.7 }, keepsNothing)),
    ...(await compareWorks(executable, world, { form: 0.5, update: 1 / 3 })),
  ]
}

/** Rates and ratios of the kinds of work that something is wanted of. */
export async function compareWorks(
  executable: string,
  world: World,
  wanted: Wanted,
  settings: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  await using engine = await startEngine(executable, world, settings)
  await using bare = await startBare(world)
  const lines: string[] = []
  for (const work of world.works) {
    const share = wanted[work.name]
    if (share === undefined) continue
    lines.push(await compareWork(work, share, { engine, bare, world }))
  }
  return lines
}

/** Both servers on one world, and what goes on beside each round. */
export interface Servers {
  engine: ServerProcess
  bare: ServerProcess
  world: World
  beside?: (server: ServerProcess) => AsyncDisposable
}

/** Rounds of one kind of work that take turns. */
export async function compareWork(work: Work, wanted: number, servers: Servers): Promise<string> {
  const { engine, bare, world, beside } = servers
  const run = async (server: ServerProcess, job: LoadJob): Promise<Round> => {
    await using _ = beside?.(server)
    return await runRound(server, job)
  }
  const results: { engine: Round[]; bare: Round[] } = { engine: [], bare: [] }
  // The first round of each warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const how = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
    const ofEngine = await run(engine, engineJob(engine, world, work.requests, how))
    const ofBare = await run(bare, bareLoad(bare, work))
    if (round === 0) continue
    results.engine.push(ofEngine)
    results.bare.push(ofBare)
  }
  return describe(work.name, wanted, results.engine, results.bare)
}
