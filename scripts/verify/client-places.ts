/**
 * The client over applications that it never saw and over the demo as each of its users: each
 * object's grid, a record and a new one are drawn without a fault, fit their window at a desk and
 * on a phone, and break no rule of WCAG 2.2 AA in light and dark; users walk by keyboard alone.
 */
import { openClientWorld } from '../../test/outside/client-world.ts'
import { makeUnseenFolder, UNSEEN } from '../../test/outside/unseen-worlds.ts'
import { findViolations } from '../screens/axe.ts'
import { crawlObject, listObjects } from '../screens/crawl.ts'
import { walkByKeys } from '../screens/key-walk.ts'
import { findScreenFaults } from '../screens/screen-faults.ts'
import { VARIANTS } from '../screens/variants.ts'
import type { Bench, Report } from './report.ts'

const DEMO_USERS = ['ana', 'dee', 'cy', 'bo', 'root', 'eva', 'fay']

/** Settings in which each screen of the demo is looked at. */
const SCREENS_IN = ['light', 'phone-dark']

/** Settings in which each user of the demo walks by keyboard alone. */
const WALKED_IN = ['light', 'phone']

const SEEN_IN = ['light', 'dark', 'phone', 'phone-dark', 'arabic']

/** Draws everything; the rounds say how many applications are asked, the demo first. */
export async function verifyClient({ home, rounds }: Bench): Promise<Report> {
  const faults: string[] = []
  let pages = 0
  for (const name of ['demo', ...UNSEEN].slice(0, Math.max(1, rounds))) {
    const isDemo = name === 'demo'
    await using world = await openClientWorld(
      isDemo ? undefined : await makeUnseenFolder(home, name),
    )
    for (const variant of isDemo ? SCREENS_IN : []) {
      const found = await findScreenFaults(world, variant)
      faults.push(...found.map((fault) => `${name}, ${variant}, ${fault}`))
    }
    for (const user of isDemo ? DEMO_USERS : ['ada'])
      for (const variant of SEEN_IN) {
        const closed = await world.openAs(user, '/', VARIANTS[variant])
        const where = `${name}, ${user}, ${variant}`
        for (const object of await listObjects(closed.page)) {
          const found = await crawlObject(closed.page, world.address, object, async (page) => {
            pages++
            return findViolations(page)
          })
          faults.push(...found.map((fault) => `${where}: ${fault}`))
        }
        if (isDemo && WALKED_IN.includes(variant)) {
          await closed.page.goto(world.address)
          const found = await walkByKeys(closed.page)
          faults.push(...found.map((fault) => `${where}, by keys: ${fault}`))
        }
        const { complaints, outside } = closed
        faults.push(...[...complaints, ...outside].map((each) => `${where}: ${each}`))
        await closed[Symbol.asyncDispose]()
      }
  }
  return { figures: `${pages} pages drawn`, faults }
}
