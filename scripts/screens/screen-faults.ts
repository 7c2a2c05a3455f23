/** Faults of the client's screens: what is not drawn, and what breaks WCAG 2.2 AA. */
import type { ClientWorld } from '../../test/outside/client-world.ts'
import { findViolations } from './axe.ts'
import { VARIANTS } from './variants.ts'
import { visitScreens } from './visit.ts'

/** Looks at screens over the demo in a variant; without names at all of them. */
export async function findScreenFaults(
  world: ClientWorld,
  variant: string,
  names: readonly string[] = [],
): Promise<string[]> {
  const violations: string[] = []
  const look = VARIANTS[variant]
  if (!look) throw new Error(`No variant ${variant}`)
  const faults = await visitScreens(
    world,
    look,
    async ({ name }, page) => {
      violations.push(...(await findViolations(page)).map((each) => `${name}: ${each}`))
    },
    names,
  )
  return [...faults, ...violations]
}
