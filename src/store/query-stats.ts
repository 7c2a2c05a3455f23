/** Statistics of statements: which of them may run inline, by their times so far. */
import { Lru } from '../kernel/lru.ts'
import type { Connection } from './connection.ts'
import type { Weight } from './lanes.ts'

/** A run in a lane, the way there and back included, that speaks for the statement. */
const SHORT_MS = 3
/** A run in a lane over this does not speak for the statement. */
const SLOW_MS = 5
/**
 * Runs on the serving thread count by their mean, in which the last one has this weight: a
 * pause of the machine or of the collector is forgiven, a habit is not.
 */
const LAST_RUN_WEIGHT = 1 / 16
/** A mean over this takes the right away. */
const MEAN_MS_MAX = 2
/** One run over this takes it away at once. */
const RUN_MS_MAX = 40
const RUNS_TO_GAIN = 4
const RUNS_TO_REGAIN = 64
const STATEMENTS_MAX = 1000
/** Over this a statement may not take the last free lane. */
const HEAVY_MS = 100

interface Times {
  /** Short runs still to be shown in a lane before the statement may run inline. */
  owed: number
  isHeavy: boolean
  /** Mean time on the serving thread, in milliseconds. */
  mean: number
}

/** The record of times of the statements of one file. */
export class QueryStats {
  #times = new Lru<string, Times>(STATEMENTS_MAX)

  /**
   * True when the statement may run inline, on the serving thread, and can never grow beyond one
   * pass over one table: there it has no deadline.
   */
  isInlineAllowed(sql: string, connection: Pick<Connection, 'isBounded'>): boolean {
    return this.#times.find(sql)?.owed === 0 && connection.isBounded(sql)
  }

  /** What the statement's last run in a lane tells. */
  weigh(sql: string): Weight {
    const times = this.#times.find(sql)
    if (times === undefined) return 'unknown'
    return times.isHeavy ? 'heavy' : 'light'
  }

  /** Notes a run in a lane. */
  recordLaneRun(sql: string, milliseconds: number): void {
    const times =
      this.#times.find(sql) ?? this.#times.keep(sql, { owed: RUNS_TO_GAIN, isHeavy: true, mean: 0 })
    times.isHeavy = milliseconds > HEAVY_MS
    if (milliseconds <= SHORT_MS) times.owed = Math.max(0, times.owed - 1)
    else if (milliseconds > SLOW_MS) times.owed = Math.max(times.owed, RUNS_TO_GAIN)
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
