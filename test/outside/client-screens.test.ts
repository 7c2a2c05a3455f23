/** Screens of the client by axe-core, in light at a desk or in dark on a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { findScreenFaults } from '../../scripts/screens/screen-faults.ts'
import { SCREENS } from '../../scripts/screens/screens.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

// A sixth of them, taking turns; `verify --only client` looks at each screen in both variants.
test.each(['light', 'phone-dark'])('screens keep to WCAG 2.2 AA: %s', async (variant) => {
  const own = SCREENS.filter((_, at) => at % 12 === (variant === 'light' ? 0 : 6))
  const names = own.map(({ name }) => name)
  expect(await findScreenFaults(world, variant, names)).toEqual([])
})
