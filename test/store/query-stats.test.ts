import { expect, test } from 'bun:test'
import { QueryStats, RUN_CLOCK } from '../../src/store/read/query-stats.ts'

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

test('a slow run among them takes a quick one back: what is slow as a rule never earns it', () => {
  const stats = new QueryStats()
  noteLanes(stats, [1, 1, 1, 50, 1])
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
  noteLanes(stats, [1])
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(true)
  const other = new QueryStats()
  noteLanes(
    other,
    Array.from({ length: 100 }, (_, at) => (at % 2 ? 1 : 50)),
  )
  expect(other.isInlineAllowed(SQL, PLAIN)).toBe(false)
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

test('what was cut off is heavy, however little of the processor it got', () => {
  const stats = new QueryStats()
  stats.endLaneRun(SQL, stats.beginLaneRun(), true)
  expect(stats.weigh(SQL)).toBe('heavy')
  stats.endLaneRun(SQL, stats.beginLaneRun())
  expect(stats.weigh(SQL)).toBe('light')
})

test('what could run away never earns the serving thread, however quick it was', () => {
  const stats = openAllowed([0.1])
  expect(stats.isInlineAllowed(SQL, { isBounded: () => false })).toBe(false)
})

/** Clocks that are set by hand: what a run takes of the processor, and what it waits for it. */
class Clocks {
  #wall = 0
  #processor = 0

  readonly wall = (): number => this.#wall
  readonly processor = (): number => this.#processor
  readonly thread = (): number => this.#processor

  pass(used: number, waited: number): void {
    this.#wall += used + waited
    this.#processor += used
  }
}

function runInline(stats: QueryStats, clocks: Clocks, used: number, waited: number): void {
  const begin = stats.beginInlineRun(SQL)
  clocks.pass(used, waited)
  stats.endInlineRun(SQL, begin)
}

function runInLane(stats: QueryStats, clocks: Clocks, used: number, waited: number): void {
  const begin = stats.beginLaneRun()
  clocks.pass(used, waited)
  stats.endLaneRun(SQL, begin)
}

test('what other processes take of the machine does not count: a quick statement stays', () => {
  const clocks = new Clocks()
  const stats = new QueryStats(clocks)
  for (let run = 0; run < 4; run++) runInLane(stats, clocks, 0.4, 30)
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(true)
  for (let run = 0; run < 500; run++) {
    runInline(stats, clocks, 0.4, run % 3 === 0 ? 90 : 0)
    clocks.pass(1, 3)
  }
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(true)
})

test('what takes the processor goes, whatever it waits for', () => {
  for (const [used, runs] of [
    [45, 1],
    [6, 40],
  ] as const) {
    const clocks = new Clocks()
    const stats = new QueryStats(clocks)
    for (let run = 0; run < 4; run++) runInLane(stats, clocks, 0.4, 30)
    for (let run = 0; run < runs; run++) runInline(stats, clocks, used, 5)
    expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
  }
})

test('a slow run among many quick ones is seen, though nothing announced it', () => {
  const clocks = new Clocks()
  const stats = new QueryStats(clocks)
  for (let run = 0; run < 4; run++) runInLane(stats, clocks, 0.4, 0)
  for (let run = 0; run < 100; run++) runInline(stats, clocks, 0.1, 0)
  runInline(stats, clocks, 60, 0)
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
})

/** Waits until the other threads of this process (compiler, collector) have done what they had. */
function waitForRest(): void {
  for (let from = -Infinity; RUN_CLOCK.processor() - from > 5; Bun.sleepSync(100))
    from = RUN_CLOCK.processor()
}

test('the clocks of a process tell work from waiting', () => {
  const stats = new QueryStats(RUN_CLOCK)
  noteLanes(stats, [1, 1, 1, 1])
  waitForRest()
  const begin = stats.beginInlineRun(SQL)
  Bun.sleepSync(100)
  stats.endInlineRun(SQL, begin)
  // Windows has no fine clock of the processor, so the one on the wall stands in.
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(process.platform !== 'win32')
  const busy = stats.beginInlineRun(SQL)
  // By the thread: the compiler's may work beside it, which the process is charged for.
  const from = RUN_CLOCK.thread()
  while (RUN_CLOCK.thread() - from < 60) continue
  stats.endInlineRun(SQL, busy)
  expect(stats.isInlineAllowed(SQL, PLAIN)).toBe(false)
})
