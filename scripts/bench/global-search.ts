/**
 * The price of the global search: ten clients with a text of their own each time, one who types,
 * and what keeping the index adds to a submit that changes a word, beside the same without
 * `Search`.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { SearchRebuild } from '../../src/engine/global-search/rebuild.ts'
import customersXml from '../../data/demo/customers.xml' with { type: 'text' }
import ordersXml from '../../data/demo/orders.xml' with { type: 'text' }
import { temporaryFolder } from '../../test/support/executable.ts'
import {
  engineJob,
  FULL_PACE,
  planRatio,
  type Round,
  runRound,
  startEngine,
  workOf,
} from './compare.ts'
import { openFolder } from './open-folder.ts'
import type { ServerProcess } from './processes.ts'
import { COMMON_TEXTS, planSearchTexts } from './search-texts.ts'
import type { World } from './world.ts'

const CLIENTS = 10
const SECONDS = 8
/** Characters of a text that one types. */
const TYPED_MAX = 8

const requestOf = (text: string) => ({
  method: 'GET',
  path: `/api/v1/svc/search?q=${encodeURIComponent(text)}`,
  body: '',
})

/** Each beginning of a text, as a client asks while it is typed. */
const listTyped = (text: string): string[] =>
  Array.from({ length: Math.min(TYPED_MAX, text.length) }, (_, at) => text.slice(0, at + 1))

/** Answer times of searches, then the share of submits. */
export async function measureGlobalSearch(executable: string, world: World): Promise<string[]> {
  await using engine = await startEngine(executable, world, {}, true)
  const texts = planSearchTexts()
  return [
    await measure('ten clients', 50, { engine, world, texts, connections: CLIENTS }),
    await measure('common', 50, { engine, world, texts: COMMON_TEXTS, connections: CLIENTS }),
    await measure('typing', 20, { engine, world, texts: texts.flatMap(listTyped), connections: 1 }),
    await measureKeeping(executable, engine, world),
  ]
}

interface Measured {
  engine: ServerProcess
  world: World
  texts: readonly string[]
  connections: number
}

async function measure(
  name: string,
  wantedMs: number,
  { engine, world, texts, connections }: Measured,
): Promise<string> {
  const how = { connections, seconds: SECONDS }
  const round = await runRound(engine, engineJob(engine, world, texts.map(requestOf), how))
  if (round.errors > 0) throw new Error(round.firstError)
  return (
    `find    ${name}: ${round.perSecond.toFixed(0)}/s, median ${round.median.toFixed(1)} ms, ` +
    `p99 ${round.p99.toFixed(1)} ms, wanted p99 under ${wantedMs}`
  )
}

const withoutSearch = (xml: unknown): string => String(xml).replace(/<Search [^>]*\/>/g, '')

/** Updates of a searched field in turns with a server whose views have no `Search`. */
async function measureKeeping(
  executable: string,
  engine: ServerProcess,
  world: World,
): Promise<string> {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  cpSync(world.engineFolder, folder, { recursive: true })
  const context = await openFolder(folder)
  const files = [
    { name: 'customers.xml', body: withoutSearch(customersXml) },
    { name: 'orders.xml', body: withoutSearch(ordersXml) },
  ]
  const { plan } = await deployModel(context.store, context.models, files, {}, systemClock)
  if (plan.faults.length > 0) throw new Error(JSON.stringify(plan.faults))
  await new SearchRebuild(context).run()
  await context.close()
  await using other = await startEngine(executable, { ...world, engineFolder: folder }, {}, true)
  const [kept, plain]: [Round[], Round[]] = [[], []]
  for (let round = 0; round <= FULL_PACE.rounds; round++)
    for (const [server, rounds] of [
      [engine, kept],
      [other, plain],
    ] as const) {
      const how = { connections: 1, seconds: FULL_PACE.seconds }
      const { requests } = workOf(world, 'update')
      const result = await runRound(server, engineJob(server, world, requests, how))
      // The first round of each warms up and is not counted.
      if (round > 0) rounds.push(result)
    }
  const times = planRatio(kept, plain, ({ median }) => median)
  return `find    a submit takes ${times} of the time of one without Search, one after the other`
}
