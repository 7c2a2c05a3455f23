/**
 * Report pages: their data beside a bare server that runs the same five statements and answers the
 * same bytes, their structure beside the metadata of an object, and a dataset of very many rows
 * beside readers of a grid.
 */
import {
  bareLoad,
  compareWork,
  CONNECTIONS,
  engineJob,
  KEEPS_NOTHING,
  type Pace,
  planRatio,
  type Round,
  runRound,
  startBare,
  startEngine,
  workOf,
} from './compare.ts'
import { watchMemory } from './export.ts'
import type { LoadJob } from './load.ts'
import { runLoad, runLoadBeside, type ServerProcess } from './processes.ts'
import { REPORTS } from './report-work.ts'
import { writerBeside } from './search.ts'
import { OBJECTS } from './work.ts'
import type { World } from './world.ts'

/** Shares of the bare server's rate: read again each time, and while no table moves. */
const ANEW = 0.7
const STILL = 5

/** Lines of figures on each. */
export async function measureReports(
  executable: string,
  world: World,
  pace: Pace,
): Promise<string[]> {
  const anew = { name: 'anew', wanted: ANEW, settings: KEEPS_NOTHING, pace }
  return [
    ...(await compareData(executable, world, anew)),
    ...(await compareData(executable, world, {
      name: 'writer',
      wanted: ANEW,
      isWritten: true,
      pace,
    })),
    ...(await compareData(executable, world, { name: 'still', wanted: STILL, pace })),
    await compareStructure(executable, world),
    await measureRows(executable, world),
  ]
}

interface DataCase {
  name: string
  wanted: number
  pace: Pace
  settings?: Readonly<Record<string, string>>
  /** True when orders are updated meanwhile. */
  isWritten?: boolean
}

async function compareData(executable: string, world: World, how: DataCase): Promise<string[]> {
  const work = { ...workOf(world, 'report'), wanted: how.wanted }
  await using engine = await startEngine(executable, world, how.settings)
  await using bare = await startBare(world)
  const isWritten = how.isWritten === true
  // What is written on either copy of the data makes them differ.
  if (how.name === 'anew') await requireSameBytes(world, engine, bare)
  const beside = isWritten ? writerBeside({ world, bare }) : undefined
  const servers = { engine, bare, world, ...(beside && { beside }) }
  return [`reports, ${how.name}`, ...(await compareWork(work, how.pace, servers))]
}

/** @throws when the two servers do not answer every request alike */
async function requireSameBytes(
  world: World,
  engine: ServerProcess,
  bare: ServerProcess,
): Promise<void> {
  const work = workOf(world, 'report')
  const how = { connections: 1, seconds: 1 }
  const jobs = [engineJob(engine, world, work.requests, how), bareLoad(bare, work, how)]
  for (let at = 0; at < work.requests.length; at++) {
    const [own, other] = await Promise.all(jobs.map((job) => ask(job, at)))
    if (own !== other) throw new Error(`The servers differ:\n${own}\n${other}`)
  }
}

async function ask({ port, headers, requests }: LoadJob, at: number): Promise<string> {
  const { path, method, body } = requests[at] ?? { path: '/', method: 'GET', body: '' }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  return answer.text()
}

const STRUCTURE_ROUNDS = 5
const STRUCTURE_SECONDS = 1

async function compareStructure(executable: string, world: World): Promise<string> {
  await using engine = await startEngine(executable, world)
  const rounds: { structure: Round[]; metadata: Round[] } = { structure: [], metadata: [] }
  const load = (path: string): Promise<Round> =>
    runRound(engine, {
      ...engineJob(engine, world, [], { connections: CONNECTIONS, seconds: STRUCTURE_SECONDS }),
      requests: [{ method: 'GET', path, body: '' }],
    })
  // The first round of each warms up and is not counted.
  for (let round = 0; round <= STRUCTURE_ROUNDS; round++) {
    const structure = await load(`${REPORTS}/BenchPage`)
    const metadata = await load(`${OBJECTS}/orders/metadata`)
    if (round === 0) continue
    rounds.structure.push(structure)
    rounds.metadata.push(metadata)
  }
  const { structure, metadata } = rounds
  const rate = (of: Round[]): string => `${of.at(-1)?.perSecond.toFixed(0)}/s`
  return (
    `structure ${rate(structure)}, metadata of orders ${rate(metadata)}; ratio by time ` +
    `${planRatio(structure, metadata, ({ perSecond }) => perSecond)}, by processor time ` +
    `${planRatio(structure, metadata, ({ perCpuSecond }) => perCpuSecond)}, wanted 1.00`
  )
}

const ROWS = 100_000
const ROW_PAGES = 3
const READERS = 2

/** Room for a dataset of so many rows. */
const LARGE = { 'Svc:Reports:MaxRows': String(ROWS), 'Svc:Results:MaxBytes': '64MB' }

async function measureRows(executable: string, world: World): Promise<string> {
  await using engine = await startEngine(executable, world, LARGE, true)
  const page = workOf(world, 'page-repeated').requests
  const readers = engineJob(engine, world, page, { connections: READERS, seconds: 2 })
  const calm = await runLoad(readers)
  const load = async (): Promise<number> => {
    const startedAt = performance.now()
    for (let seed = 0; seed < ROW_PAGES; seed++) await loadRows(engine, world, seed)
    return (performance.now() - startedAt) / ROW_PAGES
  }
  const [ms, idle, peak] = await watchMemory(engine.pid, load)
  const { p99, max } = await runLoadBeside({ ...readers, seconds: 1 }, load())
  return (
    `rows    ${ROWS} of a dataset in ${ms.toFixed(0)} ms, peak ${(peak - idle).toFixed(0)} MiB ` +
    `above ${idle.toFixed(0)}, wanted under 300; pages meanwhile p99 ${p99.toFixed(1)} max ` +
    `${max.toFixed(1)} ms (calm p99 ${calm.p99.toFixed(1)}), wanted under 50`
  )
}

/** @throws when not all rows are there */
async function loadRows(engine: ServerProcess, { token }: World, seed: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${engine.port}${REPORTS}/BenchRows/data`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ Arguments: { Seed: String(seed) } }),
  })
  const text = await answer.text()
  const rows = text.split('"Number"').length - 1
  if (rows < ROWS) throw new Error(`A dataset had ${rows} rows: ${text.slice(0, 500)}`)
}
