/**
 * `bun run bench`: the engine's executable beside a bare server with the same SQL and JSON, on
 * 200,000 orders and one core, in rounds that take turns; then what one caller may do to the
 * others.
 * Prints figures; nothing passes or fails by them. `bun run bench PART` measures one part, with
 * `--orders 2000000` on another number of orders, and `bun run bench against CHECKOUT` this
 * executable beside that of another checkout.
 */
import { parseArgs } from 'node:util'
import { builtExecutable } from '../../test/support/executable.ts'
import { measureAgainst } from './against.ts'
import { measureAssistant } from './assistant.ts'
import { compare } from './compare.ts'
import { measureExport } from './export.ts'
import { measureHub } from './hub.ts'
import { measureJobs } from './jobs.ts'
import { measureImport } from './import.ts'
import { measurePrint } from './print.ts'
import { measureQueryCache } from './query-cache.ts'
import { measureGlobalSearch } from './global-search.ts'
import { measureLarge } from './large.ts'
import { measureOverload } from './overload.ts'
import { measureReports } from './reports.ts'
import { measureSearch } from './search.ts'
import { measureStart } from './start.ts'
import { measureRunaways, measureStorm } from './storm.ts'
import { measureWorkflows } from './workflows.ts'
import { openWorld, ORDERS } from './world.ts'

const executable = await builtExecutable()
const { values, positionals } = parseArgs({
  options: { orders: { type: 'string', default: String(ORDERS) } },
  allowPositionals: true,
})
const [only, checkout] = positionals
const orders = Number(values.orders)
/** What needs no orders. */
const alone: Record<string, () => Promise<string[]>> = {
  ...{ hub: measureHub, jobs: measureJobs, workflows: () => measureWorkflows(executable) },
}
const measureAlone = alone[only ?? '']
if (measureAlone) {
  for (const line of await measureAlone()) console.log(line)
  process.exit()
}
console.log(`growing the demo to ${orders.toLocaleString('en')} orders …`)
if (only === 'against') {
  for (const line of await measureAgainst(executable, checkout ?? '.')) console.log(line)
  process.exit()
}
using world = await openWorld(orders)

const parts: Record<string, () => Promise<string[]>> = {
  compare: () => compare(executable, world),
  kept: () => measureQueryCache(executable, world),
  search: () => measureSearch(executable, world),
  find: () => measureGlobalSearch(executable, world),
  assistant: () => measureAssistant(executable, world),
  large: () => measureLarge(executable),
  start: () => measureStart(executable, world),
  storm: () => measureStorm(executable, world),
  overload: () => measureOverload(executable, world),
  runaway: () => measureRunaways(executable, world),
  export: () => measureExport(executable, world),
  import: () => measureImport(executable, world),
  reports: () => measureReports(executable, world),
  print: () => measurePrint(executable, world),
  ...alone,
}
for (const [name, measure] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue
  for (const line of await measure()) console.log(line)
}
