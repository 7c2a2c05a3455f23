/**
 * Each kind of work on a server that has done all of them before, beside the bare server: what a
 * bound of memory costs shows only there. Then what memory the server takes.
 */
import {
  compareWork,
  CONNECTIONS,
  engineJob,
  type Pace,
  startBare,
  startEngine,
  workOf,
} from './compare.ts'
import { readShareMiB, runLoad } from './processes.ts'
import { COMPARED } from './work.ts'
import type { World } from './world.ts'

const ROUNDS_BEFORE = 2
const SECONDS_BEFORE = 3

/** Lines of figures, as they are known. */
export async function* measureUsed(
  executable: string,
  world: World,
  pace: Pace,
): AsyncGenerator<string> {
  await using engine = await startEngine(executable, world)
  await using bare = await startBare(world)
  const works = COMPARED.map((name) => workOf(world, name))
  const how = { connections: CONNECTIONS, seconds: SECONDS_BEFORE }
  for (let round = 0; round < ROUNDS_BEFORE; round++)
    for (const { requests, isOnce } of works)
      if (isOnce !== true) await runLoad(engineJob(engine, world, requests, how))
  yield `used    after all kinds of work ${readShareMiB(engine.pid).toFixed(0)} MiB`
  for (const work of works) {
    const lines = await compareWork(work, pace, { engine, bare, world })
    yield* lines.map((line, at) => (at === 0 ? `${line}, used` : line))
  }
  yield `used    at the end ${readShareMiB(engine.pid).toFixed(0)} MiB`
}
