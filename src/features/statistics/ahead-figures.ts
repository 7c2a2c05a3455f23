/** Figures that take a while to count: they are there before a scrape comes. */
import type { Clock } from '../../kernel/clock.ts'
import type { Figure } from '../../kernel/figures.ts'
import { MINUTE, SECOND } from '../../kernel/setting.ts'

/** Milliseconds that figures are kept: who asks more often gets the same ones. */
const KEPT_MS = 10 * SECOND

/** Milliseconds between two counts beside the requests. */
export const COUNTED_MS = KEPT_MS / 2

/** Milliseconds since the last scrape for which that goes on: a scraper comes every minute. */
const WATCHED_MS = 2 * MINUTE

interface Kept {
  readonly at: number
  readonly figures: Promise<Figure[]>
}

/** Figures that are kept for seconds, and counted ahead while scrapes come. */
export class AheadFigures {
  readonly #clock: Clock
  readonly #count: (now: Date) => Promise<Figure[]>
  #kept: Kept | undefined
  /** When they were last read. */
  #readAt = -Infinity

  constructor(clock: Clock, count: (now: Date) => Promise<Figure[]>) {
    this.#clock = clock
    this.#count = count
  }

  /** Rejects where they cannot be counted. */
  list(): Promise<Figure[]> {
    const now = this.#clock.now()
    this.#readAt = now.getTime()
    // A clock that was set back keeps nothing for longer.
    if (this.#kept && Math.abs(this.#readAt - this.#kept.at) < KEPT_MS) return this.#kept.figures
    const figures = this.#count(now)
    const kept = { at: now.getTime(), figures }
    this.#kept = kept
    figures.catch(() => {
      if (this.#kept === kept) this.#kept = undefined
    })
    return figures
  }

  /** Counts ahead of the next scrape, while scrapes come again and again. */
  async countAhead(): Promise<void> {
    const now = this.#clock.now()
    if (Math.abs(now.getTime() - this.#readAt) >= WATCHED_MS) return
    const figures = await this.#count(now)
    this.#kept = { at: now.getTime(), figures: Promise.resolve(figures) }
  }
}
