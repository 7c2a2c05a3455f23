/** The door that requests come in by: a bounded number per caller, so that others get on. */
import { type Account, isShared, noteCaller } from '../kernel/charged.ts'
import { unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { yieldNow } from '../kernel/yielder.ts'

/** Requests of one caller that run at a time. */
export const CALLER_REQUESTS_MAX = 32
/** Requests of one caller that begin at once beside others; then one per turn of the event loop. */
const AT_ONCE_MAX = 4
/** Requests of one caller that wait for them. */
export const CALLER_WAITING_MAX = 2000

/** Milliseconds between two looks for requests that have waited too long. */
const SWEEP_MS = 100
/**
 * Milliseconds that a refusal is held back. A client that asks again at once, on hundreds of
 * connections, would else be refused thousands of times a second, at the cost of the others.
 */
const REFUSAL_HELD_MS = 1000
/** Share of the newest in the mean. */
const NEWEST = 1 / 16
const RETRY_SECONDS_MAX = 60

interface Waiting {
  since: number
  account: Account
  signal: AbortSignal
  start: () => void
  refuse: (failure: unknown) => void
}

/** The requests of one caller. */
interface Line {
  running: number
  waiting: Waiting[]
  /** Milliseconds from one end to the next, while others wait; undefined until it is known. */
  paceMs: number | undefined
  endedAt: number
}

/**
 * Lets in a bounded number of requests per caller. The others of that caller wait, in their order,
 * before anything of them is looked at; a request that would wait longer than `maxWaitMs`, or has,
 * is refused with 503 and `Retry-After`. So a caller's requests cost only that caller: the queues
 * inside never hold more of theirs.
 */
export class Door {
  readonly #maxWaitMs: number
  readonly #heldMs: number
  readonly #lines = new Map<string, Line>()
  #sweep: ReturnType<typeof setTimeout> | undefined

  constructor(maxWaitMs: number, heldMs = REFUSAL_HELD_MS) {
    this.#maxWaitMs = maxWaitMs
    this.#heldMs = heldMs
  }

  /**
   * Lets a request of an account in, or resolves when it is its turn. Each that is let in leaves.
   * Rejects with unavailable (503) when it has waited too long, or, a second later, when it would.
   */
  enter(account: Account, request: Request): Promise<void> | undefined {
    noteCaller(account)
    let line = this.#lines.get(account.name)
    if (!line) {
      line = { running: 0, waiting: [], paceMs: undefined, endedAt: 0 }
      this.#lines.set(account.name, line)
    }
    if (line.running < CALLER_REQUESTS_MAX) {
      return line.running++ < AT_ONCE_MAX || !isShared() ? undefined : yieldNow()
    }
    return this.#wait(line, account, request)
  }

  /** A request that was let in has its answer: the next of its caller comes in. */
  leave({ name }: Account): void {
    const line = this.#lines.get(name)
    if (!line) return
    const now = performance.now()
    if (line.waiting.length > 0 && line.endedAt > 0) notePace(line, now - line.endedAt)
    line.endedAt = line.waiting.length > 0 ? now : 0
    for (let next = line.waiting.shift(); next; next = line.waiting.shift()) {
      next.account.waitedMs = now - next.since
      if (next.signal.aborted) {
        next.refuse(busy(1))
        continue
      }
      if (isShared()) void yieldNow().then(next.start)
      else next.start()
      return
    }
    line.running--
    if (line.running === 0) this.#lines.delete(name)
  }

  #wait(line: Line, account: Account, { signal }: Request): Promise<void> {
    const expectedMs = (line.waiting.length + 1) * (line.paceMs ?? 0)
    if (expectedMs > this.#maxWaitMs || line.waiting.length >= CALLER_WAITING_MAX)
      return this.#refuse(Math.ceil(expectedMs / 1000))
    this.#sweep ??= setTimeout(() => this.#refuseLate(), SWEEP_MS)
    return new Promise((start, refuse) =>
      line.waiting.push({ since: performance.now(), account, signal, start, refuse }),
    )
  }

  #refuse(seconds: number): Promise<void> {
    return new Promise((_, refuse) => setTimeout(() => refuse(busy(seconds)), this.#heldMs))
  }

  /** Refuses requests that waited too long; the first of each line have waited longest. */
  #refuseLate(): void {
    this.#sweep = undefined
    const since = performance.now() - this.#maxWaitMs
    let isAnyWaiting = false
    for (const { waiting } of this.#lines.values()) {
      while (waiting[0] && waiting[0].since <= since) waiting.shift()?.refuse(busy(1))
      isAnyWaiting ||= waiting.length > 0
    }
    if (isAnyWaiting) this.#sweep = setTimeout(() => this.#refuseLate(), SWEEP_MS)
  }
}

function notePace(line: Line, milliseconds: number): void {
  const before = line.paceMs ?? milliseconds
  line.paceMs = before + (milliseconds - before) * NEWEST
}

const busy = (seconds: number) =>
  unavailable(
    say`You have too many requests running. Try again later.`,
    Math.min(Math.max(1, seconds), RETRY_SECONDS_MAX),
  )
