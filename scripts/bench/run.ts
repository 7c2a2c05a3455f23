/**
 * `bun run bench`: the engine's executable beside a bare server that is written by hand for the
 * same answers (`by-hand/server.ts`), on 200,000 orders and one core, in rounds that take turns;
 * then what one caller may do to the others. Prints figures; nothing passes or fails by them.
 *
 * `bun run bench PART` measures one part or one kind of work (`form`, `page-distinct`, `update`
 * …), with `--sizes 20000,200000,2000000` on worlds of these many orders one after another, with
 * `--quick` in some seconds on 20,000; `bun run bench against CHECKOUT [WORK …]` this executable
 * beside that of another checkout; `bun run bench soak --minutes 60` (`--rate 5` requests a second,
 * `--kind` of one kind) what a server takes that is used for long; `bun run bench loop [ROUTE]` how
 * long the largest bodies hold the event loop, of all routes or of those whose path has ROUTE.
 */
import { parseArgs } from 'node:util'
import { builtExecutable } from '../../test/support/executable.ts'
import { measureAgainst } from './against.ts'
import { measureAssistant } from './assistant.ts'
import { measureBackup } from './backup.ts'
import { measureClient } from './client.ts'
import { compareNamed, FULL_PACE, QUICK_PACE } from './compare.ts'
import { measureExport } from './export.ts'
import { measureGlobalSearch } from './global-search.ts'
import { measureHub } from './hub.ts'
import { measureImport } from './import.ts'
import { measureJobs } from './jobs.ts'
import { measureLarge } from './large.ts'
import { measureLighthouse } from './lighthouse.ts'
import { measureLoggedReads } from './logged-reads.ts'
import { measureLoop } from './loop.ts'
import { measureMemory } from './memory.ts'
import { measureOverload } from './overload.ts'
import { measurePrint } from './print.ts'
import { measureReports } from './reports.ts'
import { measureScrape } from './scrape.ts'
import { measureSearch } from './search.ts'
import { measureSoak } from './soak.ts'
import { measureStart } from './start.ts'
import { measureRunaways, measureStorm } from './storm.ts'
import { measureUsed } from './used.ts'
import { COMPARED } from './work.ts'
import { measureWorkflows } from './workflows.ts'
import { openWorld, ORDERS, type World } from './world.ts'

const executable = await builtExecutable()
const { values, positionals } = parseArgs({
  options: {
    sizes: { type: 'string' },
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5' },
    kind: { type: 'string' },
  },
  allowPositionals: true,
})
const [only, second, ...named] = positionals
const sizes = (values.sizes ?? String(values.quick ? ORDERS / 10 : ORDERS)).split(',').map(Number)
if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0))
  throw new Error('--sizes takes numbers of orders: 20000,200000')
const pace = values.quick ? QUICK_PACE : FULL_PACE

/** Lines as they are known. */
type Lines = AsyncIterable<string> | Promise<string[]>

/** Measurements that need no orders. */
const alone: Record<string, () => Lines> = {
  hub: measureHub,
  scrape: measureScrape,
  lighthouse: measureLighthouse,
  client: () => measureClient(values.quick),
  loop: () => measureLoop({ named: second ?? '', isQuick: values.quick }),
  jobs: measureJobs,
  'logged-reads': measureLoggedReads,
  backup: () => measureBackup(executable, values.quick),
  workflows: () => measureWorkflows(executable),
}
const measureAlone = alone[only ?? '']
if (measureAlone) {
  for await (const line of await measureAlone()) console.log(line)
  process.exit()
}
if (only === 'against') {
  for await (const line of measureAgainst(executable, second ?? '.', named)) console.log(line)
  process.exit()
}

/** Measurements on a world, by their names. */
const partsOf = (world: World): Record<string, () => Lines> => ({
  compare: () => compareNamed(executable, world, COMPARED, pace),
  search: () => measureSearch(executable, world, pace),
  find: () => measureGlobalSearch(executable, world),
  assistant: () => measureAssistant(executable, world),
  large: () => measureLarge(executable),
  start: () => measureStart(executable, world),
  memory: () => measureMemory(executable, world),
  storm: () => measureStorm(executable, world),
  overload: () => measureOverload(executable, world),
  runaway: () => measureRunaways(executable, world),
  export: () => measureExport(executable, world),
  import: () => measureImport(executable, world, values.quick),
  reports: () => measureReports(executable, world, pace),
  print: () => measurePrint(executable, world),
  used: () => measureUsed(executable, world, pace),
})

/** Measurements that take long, and run where they are asked for alone. */
const longPartsOf = (world: World): Record<string, () => Lines> => ({
  soak: () =>
    measureSoak(executable, world, {
      minutes: Number(values.minutes),
      rate: Number(values.rate),
      kind: values.kind,
    }),
})

/** The parts that were asked for: all, one, or one kind of work. */
function pickParts(world: World): [string, () => Lines][] {
  const parts = Object.entries(partsOf(world))
  if (only === undefined) return parts
  const work = COMPARED.find((name) => name === only)
  if (work) return [[work, () => compareNamed(executable, world, [work], pace)]]
  return [...parts, ...Object.entries(longPartsOf(world))].filter(([name]) => name === only)
}

for (const orders of sizes) {
  console.log(`growing the demo to ${orders.toLocaleString('en')} orders …`)
  using world = await openWorld(orders, true)
  const parts = pickParts(world)
  if (parts.length === 0) throw new Error(`The bench has no part ${only}`)
  for (const [, measure] of parts) for await (const line of await measure()) console.log(line)
}
if (only === undefined)
  for (const measure of Object.values(alone))
    for await (const line of await measure()) console.log(line)
