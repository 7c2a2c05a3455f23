/** Memory that the server takes while others read, search and write. */
import { CONNECTIONS, engineJob, startEngine, workOf } from './compare.ts'
import { readPeakMiB, readResidentMiB, runLoad } from './processes.ts'
import type { WorkName } from './work.ts'
import type { World } from './world.ts'

const WANTED = 200
const SECONDS = 5

/** Stages of the work; the last is everything at once. */
const PHASES: readonly (readonly WorkName[])[] = [
  ['form'],
  ['page-distinct'],
  ['search-distinct'],
  ['update'],
  ['page-distinct', 'search-distinct', 'search-common', 'update', 'form'],
]

/** Resident memory after each kind of work, and the most that it was, in MiB. */
export async function measureMemory(executable: string, world: World): Promise<string[]> {
  await using engine = await startEngine(executable, world, {}, true)
  const phases: string[] = [`idle ${readResidentMiB(engine.pid).toFixed(0)}`]
  for (const names of PHASES) {
    const connections = Math.ceil(CONNECTIONS / names.length)
    const how = { connections, seconds: SECONDS }
    await Promise.all(
      names.map((name) => runLoad(engineJob(engine, world, workOf(world, name).requests, how))),
    )
    const name = names.length > 1 ? 'all at once' : names[0]
    phases.push(`${name} ${readResidentMiB(engine.pid).toFixed(0)}`)
  }
  return [
    `memory  after ${phases.join(', ')}; ` +
      `peak ${readPeakMiB(engine.pid).toFixed(0)} MiB, wanted at most ${WANTED}`,
  ]
}
