import { expect, test } from 'bun:test'
import { QueryStats } from '../../src/store/query-stats.ts'

const SQL = 'SELECT 1'

const noteLanes = (stats: QueryStats, times: number[]) => {
  for (const milliseconds of times) stats.recordLaneRun(SQL, milliseconds)
}

/** One of the statements that cannot run away. */
const PLAIN = { isBounded: () => true }

test('a statement earns the serving thread by a few quick runs', () => {
  const stats = new QueryStats()
  expect(stats.weigh(SQL)).toBe('unknown')
  noteLanes(stats, [1, 1, 1])
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
  noteLanes(stats, [1])
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(true)
})

test('a slow run among them starts the count anew', () => {
  const stats = new QueryStats()
  noteLanes(stats, [1, 1, 1, 50, 1, 1, 1])
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
})

/**
 * A statement that may run inline, on the serving thread and ran there for so many milliseconds.
 */
function openAllowed(times: number[]): QueryStats {
  const stats = new QueryStats()
  noteLanes(stats, [1, 1, 1, 1])
  for (const milliseconds of times) stats.recordInlineRun(SQL, milliseconds)
  return stats
}

test('a pause among quick runs on the serving thread is forgiven', () => {
  expect(openAllowed([0.1, 0.1, 20, 0.1]).isInlineAllowed(SQL, PLAIN)).toBe(true)
})

test.each([[[20, 20]], [[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]], [[50]]])(
  'slow runs on the serving thread (%p) send it back for long',
  (times) => {
    const stats = openAllowed(times)
    expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
    noteLanes(stats, [1, 1, 1, 1])
    expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
  },
)

test('what was slow the last time is heavy', () => {
  const stats = new QueryStats()
  noteLanes(stats, [500])
  expect(stats.weigh(SQL)).toBe('heavy')
  noteLanes(stats, [5])
  expect(stats.weigh(SQL)).toBe('light')
})

test('what could run away never earns the serving thread, however quick it was', () => {
  const stats = openAllowed([0.1])
  expect(stats.isInlineAllowed(SQL, { isBounded: () => false })).toBe(false)
})
