/** Read lanes: connections whose statements run off the event loop, one at a time each. */
import { chargesOf, findAccount } from '../../kernel/charged.ts'
import { unavailable } from '../../kernel/failure.ts'
import { type Charge, FairQueue } from '../../kernel/fair-queue.ts'
import { say } from '../../kernel/messages.ts'
import { type Connection, openReader } from '../connection/connection.ts'
import { startDeadline } from '../connection/deadline.ts'
import {
  cancelled,
  isInterrupt,
  isOutOfMemory,
  isStorageFailure,
  isStorageFault,
  timedOut,
  toFailure,
  tooMuchMemory,
} from '../faults.ts'
import type { LaneFigures } from '../figures.ts'
import type { DiskState } from '../file/disk-state.ts'
import { SQL } from '../floor.ts'
import type { ReadDeadline } from '../sql.ts'

const CLOSING_AGAIN_MS = 20
const WAITING_MAX = 2000
/** Milliseconds of an unknown statement in the last free lane before it starts again as heavy. */
const PROBATION_MS = 250

/** `heavy` was slow the last time, `unknown` has not run yet. */
export type Weight = 'light' | 'unknown' | 'heavy'

interface Waiting {
  weigh: () => Weight
  since: number
  start: (lane: Lane) => void
  refuse: (failure: unknown) => void
}

/** The options of a read in a lane, beside its statement. */
export interface LaneOptions {
  /** Names what authored text in it belongs to. */
  of?: string | undefined
  /** Ends the read, and takes one that waits off the queue. */
  signal?: AbortSignal | undefined
  /** Ends it before the read deadline does; see `SqlRead`. */
  deadline?: ReadDeadline | undefined
  /** True if it found no memory before, which others may have had. */
  isSecond?: boolean
}

interface Lane {
  connection: Connection
  isBusy: boolean
  /** True if its statements are older than the tables, or a page that it keeps may be false. */
  isStale: boolean
}

/**
 * A few lanes over one file, taken in the order of asking, but fair to those on whose account they
 * are; the last free one is for light work.
 */
export class Lanes {
  readonly #file: string
  readonly #disk: DiskState | undefined
  readonly #timeoutMs: number
  readonly #lanes: Lane[]
  #free: Lane[]
  readonly #waiting = new FairQueue<Waiting>()
  #isClosed = false

  constructor(file: string, options: { lanes: number; timeoutMs: number; disk?: DiskState }) {
    this.#file = file
    this.#disk = options.disk
    this.#timeoutMs = options.timeoutMs
    this.#lanes = Array.from({ length: Math.max(1, options.lanes) }, () => ({
      connection: openReader(file),
      isBusy: false,
      isStale: false,
    }))
    this.#free = [...this.#lanes]
  }

  /**
   * Runs `read`, which `weigh` judges when its turn comes, in the next free lane. It is ended at
   * the read deadline with a 400 that names the limit; what had no memory while others ran, who may
   * have taken it, runs once more; 503 when no lane came free within the same time, or when
   * `signal` aborts.
   */
  async run<T>(
    weigh: () => Weight,
    read: (connection: Connection) => Promise<T>,
    options: LaneOptions = {},
  ): Promise<T> {
    const { of, signal } = options
    const whole = { setting: SQL.timeout.name, milliseconds: this.#timeoutMs }
    const isShorter = (options.deadline?.milliseconds ?? Infinity) < whole.milliseconds
    const { setting, milliseconds } = (isShorter ? options.deadline : undefined) ?? whole
    const lane = await this.#take(weigh, signal)
    const isOnProbation =
      weigh() === 'unknown' && this.#free.length === 0 && PROBATION_MS < milliseconds
    const timeoutMs = isOnProbation ? PROBATION_MS : milliseconds
    const deadline = startDeadline(lane.connection, timeoutMs, signal)
    let isSecond = false
    try {
      // A statement that begins after the interrupt would not notice it at once.
      if (deadline.isCancelled) throw cancelled()
      return await read(lane.connection)
    } catch (error) {
      if (isStorageFault(error) || isStorageFailure(error)) {
        lane.isStale = true
        this.#disk?.noteRead(error)
      }
      const isTooLarge = isOutOfMemory(error) || (isInterrupt(error) && deadline.isTooLarge)
      isSecond = isTooLarge && deadline.hadCompany && options.isSecond !== true
      if (!isInterrupt(error) && !isSecond) throw toFailure(error, of)
      if (!isTooLarge && !deadline.isOver) throw unavailable(say`The server is stopping`)
      if (deadline.isCancelled) throw cancelled()
      if (isTooLarge && !isSecond) throw tooMuchMemory(deadline.hadCompany)
      if (!isTooLarge && !isOnProbation) throw timedOut(setting, milliseconds)
    } finally {
      deadline.stop()
      this.#giveBack(lane)
    }
    return this.run(() => 'heavy', read, { ...options, isSecond: options.isSecond ?? isSecond })
  }

  /** The number of light reads that would begin at once. */
  get free(): number {
    return this.#free.length
  }

  /** See `LaneFigures`. */
  get figures(): LaneFigures {
    return { all: this.#lanes.length, free: this.#free.length, waiting: this.#waiting.length }
  }

  /** Forgets every statement, after the tables have changed. */
  renew(): void {
    for (const lane of this.#lanes) lane.isStale = true
  }

  /** Ends what runs and closes; what waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting.remove(() => true))
      waiting.refuse(unavailable(say`The server is stopping`))
    while (this.#lanes.some((lane) => lane.isBusy)) {
      for (const lane of this.#lanes) if (lane.isBusy) lane.connection.interrupt()
      await Bun.sleep(CLOSING_AGAIN_MS)
    }
    for (const lane of this.#lanes) lane.connection.close()
  }

  #take(weigh: () => Weight, signal?: AbortSignal): Lane | Promise<Lane> {
    if (this.#isClosed) throw unavailable(say`The server is stopping`)
    if (signal?.aborted) throw cancelled()
    const account = findAccount()
    const charges = chargesOf(account)
    if (this.#mayStart(weigh())) {
      this.#waiting.begin(charges)
      return this.#occupy()
    }
    if (this.#waiting.length >= WAITING_MAX) this.#makeRoom(charges)
    return new Promise((start, refuse) => {
      const since = performance.now() - (account?.waitedMs ?? 0)
      const waiting: Waiting = { weigh, since, start, refuse }
      this.#waiting.add(waiting, charges)
      if (signal) this.#leaveAtAbort(waiting, signal)
    })
  }

  /** Refuses the last read of the caller who waits for the most. */
  #makeRoom(charges: readonly Charge[]): void {
    const last = this.#waiting.displace(charges)
    const refusal = unavailable(say`Too many queries are waiting. Try again later.`)
    if (!last) throw refusal
    last.refuse(refusal)
  }

  /** Takes a waiting read off the queue at its signal; stops listening once the read has begun. */
  #leaveAtAbort(waiting: Waiting, signal: AbortSignal): void {
    const { start, refuse } = waiting
    const leave = (): void => {
      this.#waiting.remove((each) => each === waiting)
      refuse(cancelled())
    }
    const stay = (): void => signal.removeEventListener('abort', leave)
    signal.addEventListener('abort', leave)
    waiting.start = (lane) => {
      stay()
      start(lane)
    }
    waiting.refuse = (failure) => {
      stay()
      refuse(failure)
    }
  }

  #mayStart(weight: Weight): boolean {
    return this.#free.length > (weight === 'heavy' && this.#lanes.length > 1 ? 1 : 0)
  }

  #occupy(): Lane {
    // The lane used last, whose statements and pages are warm.
    const lane = this.#free.pop()
    if (lane === undefined) throw new Error('No lane is free')
    try {
      if (lane.isStale || lane.connection.isFull) this.#reopen(lane)
    } catch (error) {
      this.#free.push(lane)
      this.#disk?.noteRead(error)
      throw toFailure(error)
    }
    lane.isBusy = true
    return lane
  }

  #giveBack(lane: Lane): void {
    lane.isBusy = false
    this.#free.push(lane)
    const now = performance.now()
    for (const late of this.#waiting.remove(({ since }) => now - since > this.#timeoutMs))
      late.refuse(unavailable(say`All query connections are busy. Try again.`))
    while (this.#free.length > 0) {
      const waiting = this.#waiting.take(({ weigh }) => this.#mayStart(weigh()))
      if (!waiting) break
      this.#start(waiting)
    }
    if (this.#free.length === this.#lanes.length) this.#waiting.forget()
  }

  #start(waiting: Waiting): void {
    try {
      waiting.start(this.#occupy())
    } catch (error) {
      waiting.refuse(error)
    }
  }

  /** The old connection stays where no other can be opened. */
  #reopen(lane: Lane): void {
    this.#disk?.requireSameFiles()
    const fresh = openReader(this.#file)
    lane.connection.close()
    lane.connection = fresh
    lane.isStale = false
  }
}
