/**
 * The price of searches in a grid beside a bare server that asks for page and count with LIKE: each
 * for another text, for texts that very many rows have, for the same ones again, while a writer
 * writes, and in the first seconds after a start.
 */
import {
  bareLoad,
  compareWork,
  compareWorks,
  CONNECTIONS,
  describe,
  engineJob,
  KEEPS_NOTHING,
  type Pace,
  type Round,
  runRound,
  type Servers,
  startBare,
  startEngine,
  workOf,
} from './compare.ts'
import type { ServerProcess } from './processes.ts'
import type { World } from './world.ts'

/** The bound for a search in the first seconds; that of a warm one stands with its work. */
const COLD = 1

/** Answers are kept only where the same is asked for again. */
export async function* measureSearch(
  executable: string,
  world: World,
  pace: Pace,
): AsyncGenerator<string> {
  const [distinct, common] = [workOf(world, 'search-distinct'), workOf(world, 'search-common')]
  const anew = { pace, settings: KEEPS_NOTHING }
  yield* compareWorks(executable, world, [distinct, common], anew)
  yield 'the same texts again, from the query cache:'
  yield* compareWorks(executable, world, [common], { pace })
  yield 'beside a writer:'
  yield* await measureBesideWriter(executable, world, pace)
  yield 'in the first seconds after a start:'
  yield* await measureCold(executable, world)
}

const WRITES_A_SECOND = 20

/** Writes at an even pace until it is disposed of. */
function startWriter(send: (at: number) => Promise<Response>): AsyncDisposable {
  let isOver = false
  const write = async (): Promise<void> => {
    const start = performance.now()
    for (let at = 0; !isOver; at++) {
      await Bun.sleep(Math.max(0, start + (at * 1000) / WRITES_A_SECOND - performance.now()))
      const answer = await send(at)
      const text = await answer.text()
      if (!answer.ok) throw new Error(`A write was refused: ${text}`)
    }
  }
  const writing = write()
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await writing
    },
  }
}

/** A writer that updates orders at an even pace on one of the servers. */
export function writerBeside({
  world,
  bare,
}: Pick<Servers, 'world' | 'bare'>): (server: ServerProcess) => AsyncDisposable {
  const { requests, byHand } = workOf(world, 'update')
  return (server) =>
    startWriter((at) => {
      const isBare = server === bare
      const { path, body } = (isBare ? byHand : requests)[at % requests.length] ?? {}
      return fetch(`http://127.0.0.1:${server.port}${isBare ? `/alone${path}` : path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/json' },
        body: body ?? '',
      })
    })
}

async function measureBesideWriter(
  executable: string,
  world: World,
  pace: Pace,
): Promise<string[]> {
  await using engine = await startEngine(executable, world, KEEPS_NOTHING)
  await using bare = await startBare(world)
  const servers = { engine, bare, world, beside: writerBeside({ world, bare }) }
  return compareWork(workOf(world, 'search-distinct'), pace, servers)
}

const COLD_ROUNDS = 3
const COLD_SECONDS = 3

/** Both are started again for each round, which begins when they listen. */
async function measureCold(executable: string, world: World): Promise<string[]> {
  const work = workOf(world, 'search-distinct')
  const how = { connections: CONNECTIONS, seconds: COLD_SECONDS }
  const rounds: { engine: Round[]; bare: Round[] } = { engine: [], bare: [] }
  for (let round = 0; round < COLD_ROUNDS; round++) {
    await using engine = await startEngine(executable, world)
    rounds.engine.push(await runRound(engine, engineJob(engine, world, work.requests, how)))
    await using bare = await startBare(world)
    rounds.bare.push(await runRound(bare, bareLoad(bare, work, how)))
  }
  const bare = { name: 'bare', rounds: rounds.bare, wanted: COLD }
  return describe(work.name, rounds.engine, [bare])
}
