/** Limit on the messages of a client: a rate, and a burst of some seconds above it. */
import type { HubLimits } from './settings.ts'

/** Seconds of unused rate that may be sent at once. */
const BURST_SECONDS = 4

/** Two token buckets, of messages and of bytes. */
export class FloodLimit {
  readonly #limits: HubLimits
  #messages: number
  #bytes: number
  #filledAt: number

  /** `now` is milliseconds of the monotonic clock, here as in `take`. */
  constructor(limits: HubLimits, now: number) {
    this.#limits = limits
    this.#messages = limits.messagesPerSecond * BURST_SECONDS
    this.#bytes = burstBytes(limits)
    this.#filledAt = now
  }

  /** Returns true while the data is within the limits; it counts in either case. */
  take(messages: number, bytes: number, now: number): boolean {
    const seconds = (now - this.#filledAt) / 1000
    this.#filledAt = now
    const { messagesPerSecond, bytesPerSecond } = this.#limits
    const messagesMax = messagesPerSecond * BURST_SECONDS
    this.#messages = Math.min(messagesMax, this.#messages + seconds * messagesPerSecond) - messages
    this.#bytes = Math.min(burstBytes(this.#limits), this.#bytes + seconds * bytesPerSecond) - bytes
    return this.#messages >= 0 && this.#bytes >= 0
  }
}

/** At the least a message of the largest size. */
const burstBytes = ({ bytesPerSecond, messageBytesMax }: HubLimits): number =>
  Math.max(bytesPerSecond * BURST_SECONDS, messageBytesMax)
