/** Statistics of statements: which of them may run inline, by their times so far. */
import { Lru } from '../../kernel/lru.ts'
import type { Connection } from '../connection/connection.ts'
import type { Weight } from './lanes.ts'

/** A run in a lane, the way there and back included, that speaks for the statement. */
const SHORT_MS = 3
/** A run in a lane over this speaks against it: it takes one of the short runs back. */
const SLOW_MS = 5
/** A run on the serving thread over this may have waited for the processor instead of using it. */
const UNCLEAR_MS = 1
/** Runs measured exactly after an unclear one, if the mean is over `EXACT_MEAN_MS`. */
const EXACT_RUNS = 16
/** Mean in ms below which a long run decides nothing, and exactness is not worth its price. */
const EXACT_MEAN_MS = 0.5
/** The processor's time of a run begins this long before it at most, where it is not exact. */
const MARK_MS = 16
/**
 * Runs on the serving thread count by their mean, in which the last one has this weight: a
 * pause of the machine or of the collector is forgiven, a habit is not.
 */
const LAST_RUN_WEIGHT = 1 / 16
/** A mean over this takes the right away. */
const MEAN_MS_MAX = 2
/** Longest run, in milliseconds: a longer one takes the right away at once. */
const RUN_MS_MAX = 40
const RUNS_TO_GAIN = 4
const RUNS_TO_REGAIN = 64
const STATEMENTS_MAX = 1000
/** Milliseconds over which a statement may not take the last free lane. */
const HEAVY_MS = 100

/**
 * Asks for the plan of a statement. Where none can be made, as the disk refuses or a table is
 * missing, `failed` is told, and the answer is no: the statement goes off the loop and says why.
 */
export function askPlan(ask: () => boolean, failed: (error: unknown) => unknown): boolean {
  try {
    return ask()
  } catch (error) {
    failed(error)
    return false
  }
}

/** Clocks in milliseconds. */
interface RunClock {
  /** Wall-clock time. */
  wall(): number
  /** Processor time that the process has used. */
  processor(): number
  /** Processor time that this thread has used; it may go by steps of some milliseconds. */
  thread(): number
}

/** Windows tells the processor's time by steps of 16 milliseconds. */
const isCoarse = process.platform === 'win32'

/** The clocks of this process. */
export const RUN_CLOCK: RunClock = {
  wall: () => performance.now(),
  processor: () => (isCoarse ? performance.now() : toMs(process.cpuUsage())),
  thread: () => (isCoarse ? performance.now() : toMs(process.threadCpuUsage())),
}

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** The begin of a run, by two clocks. */
type Begin = Readonly<{ wall: number; processor: number }>

interface Times {
  /** Short runs still to be shown in a lane before the statement may run inline. */
  owed: number
  isHeavy: boolean
  /** Mean time on the serving thread, in milliseconds. */
  mean: number
  /** Runs on the serving thread still to be measured exactly. */
  exactRuns: number
}

/**
 * The record of times of the statements of one file. What counts is the time of the processor,
 * which no other process of the machine makes longer. That of the process tells most exactly, with
 * its other threads, so it is too long rather than too short; but it takes 2.5 µs, and 300 where
 * those are at work. So it is read for statements with an unclear run; for the others, where
 * the clock on the wall tells of a long run, the time of this thread decides, by its steps.
 */
export class QueryStats {
  readonly #times = new Lru<string, Times>(STATEMENTS_MAX)
  readonly #clock: RunClock
  #mark: Begin
  /** The process's time when a run began that is measured exactly. */
  #exactBegin = 0

  constructor(clock: RunClock = RUN_CLOCK) {
    this.#clock = clock
    this.#mark = { wall: clock.wall(), processor: clock.thread() }
  }

  /**
   * True when the statement may run inline, on the serving thread, and can never grow beyond one
   * pass over one table: there it has no deadline.
   */
  isInlineAllowed(sql: string, connection: Pick<Connection, 'isBounded'>): boolean {
    return this.#times.find(sql)?.owed === 0 && connection.isBounded(sql)
  }

  /** The same for a write, which may change at most one row. */
  isInlineWriteAllowed(sql: string, connection: Pick<Connection, 'isBoundedWrite'>): boolean {
    return this.#times.find(sql)?.owed === 0 && connection.isBoundedWrite(sql)
  }

  /** Returns the weight of the statement by its last run in a lane. */
  weigh(sql: string): Weight {
    const times = this.#times.find(sql)
    if (times === undefined) return 'unknown'
    return times.isHeavy ? 'heavy' : 'light'
  }

  /** Begins a run in a lane; the result goes to `endLaneRun`. */
  beginLaneRun(): Begin {
    return { wall: this.#clock.wall(), processor: this.#clock.processor() }
  }

  /**
   * Notes a run in a lane that has ended just now. One that was cut off at its limit would have
   * gone on, however little of the processor a busy machine gave it.
   */
  endLaneRun(sql: string, { wall, processor }: Begin, isCutOff = false): void {
    if (isCutOff) return this.recordLaneRun(sql, Infinity)
    const used = this.#clock.processor() - processor
    this.recordLaneRun(sql, Math.min(this.#clock.wall() - wall, used))
  }

  /** Begins an inline run; the result goes to `endInlineRun`. No other run begins before. */
  beginInlineRun(sql: string): number {
    const wall = this.#clock.wall()
    if ((this.#times.find(sql)?.exactRuns ?? 0) > 0) this.#exactBegin = this.#clock.processor()
    else if (wall - this.#mark.wall > MARK_MS)
      this.#mark = { wall, processor: this.#clock.thread() }
    return wall
  }

  /** Notes a run on the serving thread that has ended just now. */
  endInlineRun(sql: string, begin: number): void {
    const times = this.#times.find(sql)
    if (times === undefined) return
    const milliseconds = this.#clock.wall() - begin
    const isExact = times.exactRuns > 0
    if (isExact) times.exactRuns--
    if (milliseconds <= UNCLEAR_MS) return this.recordInlineRun(sql, milliseconds)
    const used = isExact
      ? this.#clock.processor() - this.#exactBegin
      : this.#clock.thread() - this.#mark.processor
    this.recordInlineRun(sql, Math.min(milliseconds, used))
    if (times.mean > EXACT_MEAN_MS) times.exactRuns = EXACT_RUNS
  }

  /** Notes a run in a lane. */
  recordLaneRun(sql: string, milliseconds: number): void {
    const times =
      this.#times.find(sql) ??
      this.#times.keep(sql, { owed: RUNS_TO_GAIN, isHeavy: true, mean: 0, exactRuns: 0 })
    times.isHeavy = milliseconds > HEAVY_MS
    if (milliseconds <= SHORT_MS) times.owed = Math.max(0, times.owed - 1)
    else if (milliseconds > SLOW_MS && times.owed < RUNS_TO_GAIN) times.owed++
  }

  /** Notes a run on the serving thread; slow ones send the statement back to the lanes for long. */
  recordInlineRun(sql: string, milliseconds: number): void {
    const times = this.#times.find(sql)
    if (times === undefined) return
    times.mean += (milliseconds - times.mean) * LAST_RUN_WEIGHT
    if (milliseconds <= RUN_MS_MAX && times.mean <= MEAN_MS_MAX) return
    times.owed = RUNS_TO_REGAIN
    times.mean = 0
  }
}
