/**
 * The engine beside the bare server: rounds that take turns, and the ratio of what they answered.
 */
import { join } from 'node:path'
import type { LoadJob, LoadRequest, LoadResult } from './load.ts'
import { SETTINGS } from './open-folder.ts'
import {
  readCompileSeconds,
  readCpuSeconds,
  runLoad,
  type ServerProcess,
  startServer,
} from './processes.ts'
import type { RecordedRequest } from './record.ts'
import {
  type Ask,
  CHECKED,
  type CommitName,
  requestByHand,
  requireSameAnswers,
} from './same-answers.ts'
import type { Work, WorkName } from './work.ts'
import type { World } from './world.ts'

/** How long a comparison takes. */
export interface Pace {
  /** Rounds of each side that count. */
  rounds: number
  seconds: number
  /** Rounds whose requests work but once, which are few. */
  onceRounds: number
  /** Answers of each side before the first round that counts, at least. */
  answersToWarmUp: number
}

const WARM_UP = { answersToWarmUp: 12_000 }
export const FULL_PACE: Pace = { rounds: 8, seconds: 1.5, onceRounds: 5, ...WARM_UP }
export const QUICK_PACE: Pace = { rounds: 4, seconds: 0.6, onceRounds: 3, ...WARM_UP }
/** At most; a write takes ten times as long as a form. */
const ROUNDS_TO_WARM_UP = 40
/**
 * Code is compiled in threads of its own, which take half of a server's time at first. They rest
 * when they have taken less of a round than this share; a form has been answered some 30,000 times
 * until then.
 */
const COMPILING_SHARE_MAX = 0.03
export const CONNECTIONS = 16

/** How long a load may take that ends by itself. */
const ONCE_SECONDS = 60

/** Settings under which the engine answers nothing from memory. */
export const KEEPS_NOTHING = { 'Svc:Cache:MaxBytes': '0' }

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
  return startServer([process.execPath, join(import.meta.dir, 'by-hand/server.ts')], bareJob)
}

const toLoad = (requests: readonly RecordedRequest[]): LoadRequest[] =>
  requests.map((request) => ({ method: 'POST', ...request }))

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
    requests: toLoad(requests),
    expect: [200],
    ...how,
  }
}

/** The same load on the bare server. */
export function bareLoad(
  bare: ServerProcess,
  work: Work,
  how: Pick<LoadJob, 'connections' | 'seconds'>,
  commit: CommitName = 'grouped',
): LoadJob {
  const requests = toLoad(work.byHand.map((_, index) => requestByHand(work, commit, index)))
  return { port: bare.port, headers: {}, requests, expect: [200], ...how }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** One round, with what it cost the server's core: right also while others use the machine. */
export interface Round extends LoadResult {
  perCpuSecond: number
  /** The share of the server's time in which its code was compiled. */
  compiling: number
}

/** One load on a server. */
export async function runRound(server: ServerProcess, job: LoadJob): Promise<Round> {
  const before = readCpuSeconds(server.pid)
  const compiledBefore = readCompileSeconds(server.pid)
  const result = await runLoad(job)
  const used = readCpuSeconds(server.pid) - before
  const compiling = Math.max(0, readCompileSeconds(server.pid) - compiledBefore) / used
  return { ...result, perCpuSecond: result.answered / used, compiling }
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

/** Rates by the clock and by the server's processor, and how long answers took. */
function describeSide(name: string, rounds: Round[]): string {
  const tell = (of: (round: Round) => number, digits = 0): string =>
    median(rounds.map(of)).toFixed(digits)
  return (
    `  ${name.padEnd(9)} ${tell(({ perSecond }) => perSecond).padStart(7)}/s ` +
    `${tell(({ perCpuSecond }) => perCpuSecond).padStart(7)}/s of processor, ` +
    `p50 ${tell((round) => round.median, 2)} p99 ${tell(({ p99 }) => p99, 1)} ms`
  )
}

/** A side of a comparison other than the engine, and what share of it is wanted. */
export interface Other {
  name: string
  rounds: Round[]
  wanted?: number
}

/** Lines of figures: each side, and the engine's ratio to each of the others. */
export function describe(name: string, engine: Round[], others: readonly Other[]): string[] {
  return [
    name,
    describeSide('engine', engine),
    ...others.flatMap((other) => [
      describeSide(other.name, other.rounds),
      `  ratio to ${other.name}: ` +
        `${planRatio(engine, other.rounds, ({ perSecond }) => perSecond)} by time, ` +
        `${planRatio(engine, other.rounds, ({ perCpuSecond }) => perCpuSecond)} by processor time` +
        (other.wanted === undefined ? '' : `, wanted ${other.wanted.toFixed(2)}`),
    ]),
  ]
}

/** Answers of a server that is not under load. */
export function askOf(server: ServerProcess, headers: Readonly<Record<string, string>>): Ask {
  return async ({ path, body }) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    })
    return answer.text()
  }
}

/** The work of this name. */
export function workOf({ works }: World, name: WorkName): Work {
  const work = works.find((candidate) => candidate.name === name)
  if (!work) throw new Error(`The world has no ${name}`)
  return work
}

/**
 * Compares kinds of work, first whether both answer alike; the world must be fresh. Yields lines as
 * they are known.
 */
export async function* compareNamed(
  executable: string,
  world: World,
  names: readonly WorkName[],
  pace: Pace,
): AsyncGenerator<string> {
  const works = names.map((name) => workOf(world, name))
  await requireSame(executable, world, works)
  for (const isCached of [false, true]) {
    const alike = works.filter((work) => work.isCached === isCached)
    const settings = isCached ? {} : KEEPS_NOTHING
    if (alike.length > 0) yield* compareWorks(executable, world, alike, { pace, settings })
  }
}

async function requireSame(executable: string, world: World, works: Work[]): Promise<void> {
  await using engine = await startEngine(executable, world)
  await using bare = await startBare(world)
  await requireSameAnswers(works, {
    engine: askOf(engine, { Authorization: `Bearer ${world.token}` }),
    byHand: askOf(bare, {}),
  })
}

/** How kinds of work are compared. */
export interface Comparison {
  pace: Pace
  settings?: Readonly<Record<string, string>>
}

/** Rates and ratios of kinds of work, lines as they are known. */
export async function* compareWorks(
  executable: string,
  world: World,
  works: readonly Work[],
  { pace, settings = {} }: Comparison,
): AsyncGenerator<string> {
  await using engine = await startEngine(executable, world, settings)
  await using bare = await startBare(world)
  for (const work of works) yield* await compareWork(work, pace, { engine, bare, world })
}

/** Both servers on one world, and what goes on beside each round. */
export interface Servers {
  engine: ServerProcess
  bare: ServerProcess
  world: World
  beside?: (server: ServerProcess) => AsyncDisposable
}

/** The rounds of one side. */
interface Side {
  name: string
  wanted?: number
  rounds: Round[]
  /** A round; `nth` of all that the same data see. */
  run: (nth: number) => Promise<Round>
}

/**
 * A load of requests of which each works but once: the share of a round. The bare server's two ways
 * of committing are on the same data, so half as many are there for each.
 */
function takeShare(
  requests: readonly LoadRequest[],
  nth: number,
  { onceRounds }: Pace,
): LoadRequest[] {
  const size = Math.floor((requests.length - CHECKED) / (2 * (onceRounds + 1)))
  const from = CHECKED + nth * size
  return requests.slice(from, from + size)
}

/**
 * A round that goes on where the last one of this job ended: an update that is sent again before
 * its record has changed otherwise changes nothing.
 */
async function runOn(server: ServerProcess, job: LoadJob): Promise<Round> {
  const round = await runRound(server, job)
  const next = round.answered % job.requests.length
  job.requests = [...job.requests.slice(next), ...job.requests.slice(0, next)]
  return round
}

function planSides(work: Work, pace: Pace, servers: Servers): [Side, ...Side[]] {
  const { engine, bare, world, beside } = servers
  const how = { connections: CONNECTIONS, seconds: pace.seconds }
  const run = async (server: ServerProcess, job: LoadJob, nth: number): Promise<Round> => {
    await using _ = beside?.(server)
    if (work.isOnce !== true) return await runOn(server, job)
    const requests = takeShare(job.requests, nth, pace)
    return await runRound(server, { ...job, requests, isOnce: true, seconds: ONCE_SECONDS })
  }
  const own = engineJob(engine, world, work.requests, how)
  const commits: CommitName[] = work.isWrite ? ['alone', 'grouped'] : ['grouped']
  const others = commits.map((commit, at): Side => {
    const job = bareLoad(bare, work, how, commit)
    return {
      name: work.isWrite ? commit : 'bare',
      ...((!work.isWrite || commit === 'alone') && { wanted: work.wanted }),
      rounds: [],
      run: (nth) => run(bare, job, nth * commits.length + at),
    }
  })
  return [{ name: 'engine', rounds: [], run: (nth) => run(engine, own, nth) }, ...others]
}

/** Until the code of a server is compiled for this work. */
async function warmUp(side: Side, answersMin: number): Promise<void> {
  let answered = 0
  for (let round = 0; round < ROUNDS_TO_WARM_UP; round++) {
    const { answered: more, compiling } = await side.run(0)
    answered += more
    if (answered >= answersMin && compiling <= COMPILING_SHARE_MAX) return
  }
}

/** Rounds of one kind of work that take turns. */
export async function compareWork(work: Work, pace: Pace, servers: Servers): Promise<string[]> {
  const [engine, ...others] = planSides(work, pace, servers)
  const { rounds, onceRounds, answersToWarmUp } = pace
  const isOnce = work.isOnce === true
  // What works but once is for the rounds that count.
  for (const side of [engine, ...others])
    if (isOnce) await side.run(0)
    else await warmUp(side, answersToWarmUp)
  for (let round = 1; round <= (isOnce ? onceRounds : rounds); round++)
    for (const side of [engine, ...others]) side.rounds.push(await side.run(round))
  return describe(work.name, engine.rounds, others)
}
