/** Each screen of the client by axe-core, in light at a desk or in dark on a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { findScreenFaults } from '../../scripts/screens/screen-faults.ts'
import { SCREENS } from '../../scripts/screens/screens.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

// Each screen in one of the two; `verify --only client` looks at all of them in both.
test.each(['light', 'phone-dark'])('no screen violates WCAG 2.2 AA: %s', async (variant) => {
  const own = SCREENS.filter((_, at) => (at % 2 === 0) === (variant === 'light'))
  const names = own.map(({ name }) => name)
  expect(await findScreenFaults(world, variant, names)).toEqual([])
})
