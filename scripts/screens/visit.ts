/** Visits of screens: each user signs in once a variant, then goes from screen to screen. */
import type { Page } from 'playwright-core'
import type { PageOptions } from '../../test/outside/browser.ts'
import type { ClientWorld } from '../../test/outside/client-world.ts'
import { type Screen, SCREENS } from './screens.ts'

const READY_MS = 20_000

/**
 * Opens each screen with these settings and gives it to `look`; a screen that does not become
 * ready is a fault of its name, and the others are visited.
 */
export async function visitScreens(
  world: ClientWorld,
  options: PageOptions,
  look: (screen: Screen, page: Page) => Promise<void>,
  only: readonly string[] = [],
): Promise<string[]> {
  const faults: string[] = []
  const wanted = SCREENS.filter(({ name }) => only.length === 0 || only.includes(name))
  for (const [user, screens] of Map.groupBy(wanted, (screen) => screen.user)) {
    await using closed =
      user === undefined ? await world.open(options) : await world.openAs(user, '/', options)
    const { page } = closed
    page.setDefaultTimeout(READY_MS)
    for (const screen of screens)
      try {
        await page.goto(`${world.address}${screen.path}`)
        await page.locator(screen.ready).first().waitFor()
        await screen.open?.(page)
        await page.waitForLoadState('networkidle')
        await look(screen, page)
      } catch (error) {
        faults.push(`${screen.name}: ${String(error)}`)
      }
    const refusals = screens.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]))
    const complaints = closed.complaints.filter(
      (each) => !refusals.some((status) => each.includes(`status of ${status}`)),
    )
    faults.push(...[...closed.outside, ...complaints].map((each) => `${user ?? 'nobody'}: ${each}`))
  }
  return faults
}
