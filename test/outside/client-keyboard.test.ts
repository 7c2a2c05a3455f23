/** The client by keyboard alone, at a desk and in a window as narrow as a phone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { walkByKeys } from '../../scripts/screens/key-walk.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

// `verify --only client` walks as each user of the demo.
const WALKS: [string, number][] = [
  ['ana', 1440],
  ['cy', 390],
  ['bo', 1440],
]

test.each(WALKS)('%s walks to a record and out again, %i pixels wide', async (name, width) => {
  const viewport = { width, height: 900 }
  const { page, complaints } = await world.openAs(name, '/', { viewport })
  expect(await walkByKeys(page)).toEqual([])
  expect(complaints).toEqual([])
})
