/** Each screen of the client by axe-core, in light at a desk and in dark on a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { findViolations } from '../../scripts/screens/axe.ts'
import { VARIANTS } from '../../scripts/screens/variants.ts'
import { visitScreens } from '../../scripts/screens/visit.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

test.each(['light', 'phone-dark'])('no screen violates WCAG 2.2 AA: %s', async (variant) => {
  const violations: string[] = []
  const faults = await visitScreens(world, VARIANTS[variant]!, async ({ name }, page) => {
    violations.push(...(await findViolations(page)).map((each) => `${name}: ${each}`))
  })
  expect(faults).toEqual([])
  expect(violations).toEqual([])
})
