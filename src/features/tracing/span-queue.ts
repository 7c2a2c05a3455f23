/** Ended spans on their way to a collector: so many wait, and what is over that is counted. */
import type { EndedSpan } from '../../kernel/tracing.ts'

/** Spans that may wait. */
const WAITING_MAX = 8192

/** Spans of one request to the collector. */
const BATCH_MAX = 512

/** Sends spans; rejects where the collector did not take them. */
export type SendSpans = (spans: readonly EndedSpan[]) => Promise<void>

interface QueueOptions {
  send: SendSpans
  /** The part of the traces that are sent: 1 to 100. */
  sharePercent: number
  /** Called when as many wait as one request takes. */
  onFull: () => void
}

/** See the head of this file. */
export class SpanQueue {
  readonly #options: QueueOptions
  readonly #below: number
  #waiting: EndedSpan[] = []
  sent = 0
  /** Spans for which there was no room. */
  dropped = 0
  /** Spans that the collector did not take. */
  failed = 0

  constructor(options: QueueOptions) {
    this.#options = options
    this.#below = (options.sharePercent / 100) * TRACES
  }

  get waiting(): number {
    return this.#waiting.length
  }

  readonly take = (span: EndedSpan): void => {
    if (Number.parseInt(span.traceId.slice(-6), 16) >= this.#below) return
    if (this.#waiting.length >= WAITING_MAX) {
      this.dropped++
      return
    }
    if (this.#waiting.push(span) === BATCH_MAX) this.#options.onFull()
  }

  /** Sends what waits now. @throws the first refusal of the collector; what it refused is gone */
  async flush(): Promise<void> {
    for (let left = Math.ceil(this.#waiting.length / BATCH_MAX); left > 0; left--) {
      const batch = this.#waiting.slice(0, BATCH_MAX)
      this.#waiting = this.#waiting.slice(BATCH_MAX)
      try {
        await this.#options.send(batch)
        this.sent += batch.length
      } catch (error) {
        this.failed += batch.length
        throw error
      }
    }
  }
}

/** Ids by their last six digits: they are random also where the first ones are a time. */
const TRACES = 16 ** 6
