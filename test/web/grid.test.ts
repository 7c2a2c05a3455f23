/** Lines of a grid: which elements they are drawn into. */
import { expect, test } from 'bun:test'
import { turnKeys } from '../../src/client/web/parts/grid/line-keys.ts'

const KEYS = [0, 1, 2, 3, 4, 5]

test.each([
  ['down', 1, [1, 2, 3, 4, 5, 0]],
  ['up', -2, [4, 5, 0, 1, 2, 3]],
  ['nowhere', 0, KEYS],
])('a small step %s turns the keys: what stays in sight keeps its elements', (_, step, turned) => {
  expect(turnKeys(KEYS, step, 6)).toEqual(turned)
})

test.each([-4, 4, 1000])('behind a leap by %d no element moves', (step) => {
  expect(turnKeys(KEYS, step, 6)).toEqual(KEYS)
})

test.each([3, -3, 1001])('behind a leap by %d elements of odd lines stay at odd ones', (step) => {
  expect(turnKeys(KEYS, step, 6)).toEqual([1, 2, 3, 4, 5, 0])
})

test('fewer lines leave the last elements, more of them get new ones', () => {
  expect(turnKeys(KEYS, 0, 4)).toEqual([0, 1, 2, 3])
  expect(turnKeys([1, 2, 0], 1, 5)).toEqual([2, 0, 1, 3, 4])
  expect(turnKeys([], 7, 2)).toEqual([0, 1])
})
