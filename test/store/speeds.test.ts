import { expect, test } from 'bun:test'
import { Speeds } from '../../src/store/speeds.ts'

const SQL = 'SELECT 1'

const noteLanes = (speeds: Speeds, times: number[]) => {
  for (const milliseconds of times) speeds.noteLane(SQL, milliseconds)
}

/** One of the statements that cannot run away. */
const PLAIN = { isBounded: () => true }

test('a statement earns the serving thread by a few quick runs', () => {
  const speeds = new Speeds()
  expect(speeds.weigh(SQL)).toBe('unknown')
  noteLanes(speeds, [1, 1, 1])
  expect(speeds.isEarned(SQL, PLAIN)).toBe(false)
  noteLanes(speeds, [1])
  expect(speeds.isEarned(SQL, PLAIN)).toBe(true)
})

test('a slow run among them starts the count anew', () => {
  const speeds = new Speeds()
  noteLanes(speeds, [1, 1, 1, 50, 1, 1, 1])
  expect(speeds.isEarned(SQL, PLAIN)).toBe(false)
})

/** A statement that has earned the serving thread and ran there for so many milliseconds. */
function openEarned(times: number[]): Speeds {
  const speeds = new Speeds()
  noteLanes(speeds, [1, 1, 1, 1])
  for (const milliseconds of times) speeds.noteQuick(SQL, milliseconds)
  return speeds
}

test('a pause among quick runs on the serving thread is forgiven', () => {
  expect(openEarned([0.1, 0.1, 20, 0.1]).isEarned(SQL, PLAIN)).toBe(true)
})

test.each([[[20, 20]], [[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]], [[50]]])(
  'slow runs on the serving thread (%p) send it back for long',
  (times) => {
    const speeds = openEarned(times)
    expect(speeds.isEarned(SQL, PLAIN)).toBe(false)
    noteLanes(speeds, [1, 1, 1, 1])
    expect(speeds.isEarned(SQL, PLAIN)).toBe(false)
  },
)

test('what was slow the last time is heavy', () => {
  const speeds = new Speeds()
  noteLanes(speeds, [500])
  expect(speeds.weigh(SQL)).toBe('heavy')
  noteLanes(speeds, [5])
  expect(speeds.weigh(SQL)).toBe('light')
})

test('what could run away never earns the serving thread, however quick it was', () => {
  const speeds = openEarned([0.1])
  expect(speeds.isEarned(SQL, { isBounded: () => false })).toBe(false)
})
