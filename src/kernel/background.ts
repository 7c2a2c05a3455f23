/** Work that goes on beside the requests, over and over. */
import { sleep } from './clock.ts'
import type { Log } from './log.ts'
import { planJitteredDelay } from './retry.ts'

/** State of background work as an operator sees it, and how it is started and stopped. */
export interface Background {
  readonly name: string
  readonly state: 'stopped' | 'waiting' | 'running'
  /** True if the latest run failed: it is tried again soon, then after growing waits. */
  readonly isFaulted: boolean
  /** Error of the latest run that failed. */
  readonly lastError: unknown
  /** The number of finished runs. */
  readonly runs: number
  readonly startedAt: Date | undefined
  /** The end of the last run. */
  readonly lastRunAt: Date | undefined
  /**
   * Begins; resolves when what has to be done before any request is done. What it does without
   * being asked may wait for `firstMs`.
   */
  start(firstMs?: number): Promise<void>
  /** Begins nothing more until it is started again; resolves when what runs has ended. */
  stop(): Promise<void>
}

type Steps = readonly (() => Promise<void>)[]

export interface LoopOptions {
  name: string
  /** Milliseconds from the end of a run to the next one; without it each run needs a `wake`. */
  everyMs?: number
  /** A run: in this order, and what fails keeps no later step from being done. */
  steps: Steps
  /** Steps before those of the first run. */
  first?: Steps
  /** Called before any request, once; `start` rejects with its rejection. */
  prepare?: () => Promise<void>
  /** Makes `start` wait as between two runs instead of running at once. */
  waitsFirst?: boolean
  /** Calls `wake` for what the loop follows, from its start on; gives what ends that. */
  follow?: (wake: (afterMs?: number) => void) => () => void
  /** The longest that `stop` waits for what runs. */
  stopMs?: number
  /** The log message of a failed step. */
  failure: string
  /**
   * The longest wait after a fault, in place of a minute; what fails alike again and again is
   * logged once a minute all the same.
   */
  faultMsMax?: number
  log: Log
}

/** The longest until what has failed is tried again. */
const FAULT_MS_MAX = 60_000

/** The first such wait, where the loop has no shorter one. */
const FAULT_MS = 1000

/**
 * Runs its steps from `start` until `stop`, one run at a time, and once more from the next start.
 * What fails is tried again after growing waits.
 */
export class Loop implements Background {
  readonly #options: LoopOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #first: Steps
  #unfollow: (() => void) | undefined
  #isPrepared = false
  /** Runs that failed since the last one that did not. */
  #failures = 0
  #toldAt = -Infinity
  state: Background['state'] = 'stopped'
  lastError: unknown
  runs = 0
  startedAt: Date | undefined
  lastRunAt: Date | undefined
  /** True once the run may begin nothing more. */
  isStopping = false

  constructor(options: LoopOptions) {
    this.#options = options
    this.#first = options.first ?? []
  }

  get name(): string {
    return this.#options.name
  }

  get isFaulted(): boolean {
    return this.#failures > 0
  }

  async start(firstMs = 0): Promise<void> {
    const { prepare, follow, waitsFirst } = this.#options
    this.isStopping = false
    this.#unfollow?.()
    this.#unfollow = follow?.((afterMs) => this.wake(afterMs))
    if (!this.#isPrepared) await prepare?.()
    this.#isPrepared = true
    this.startedAt = new Date()
    if (waitsFirst === true) this.#wait()
    else this.wake(firstMs)
  }

  /** Wakes the loop for a run after a while, or after the running one; a later call puts it off. */
  wake(afterMs = 0): void {
    if (this.isStopping) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (afterMs > 0) this.#timer = setTimeout(() => this.wake(), afterMs).unref()
    else this.#running = this.#running.then(() => this.#run())
    if (this.state === 'stopped') this.state = 'waiting'
  }

  async stop(): Promise<void> {
    this.isStopping = true
    this.#unfollow?.()
    this.#unfollow = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { stopMs } = this.#options
    await (stopMs === undefined ? this.#running : Promise.race([this.#running, sleep(stopMs)]))
    this.state = 'stopped'
  }

  async #run(): Promise<void> {
    if (this.isStopping) return
    this.state = 'running'
    const steps = [...this.#first, ...this.#options.steps]
    this.#first = []
    let isFailed = false
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        isFailed = true
        if (!this.#isToldOf(error)) this.#options.log.error(this.#options.failure, error)
        this.lastError = error
      }
    }
    this.runs++
    this.lastRunAt = new Date()
    this.#failures = isFailed ? this.#failures + 1 : 0
    if (this.isStopping) return
    if (isFailed) this.wake(this.#planFaultDelay())
    this.#wait()
  }

  /** Checks that a loop with a shorter wait has logged the same error within the last minute. */
  #isToldOf(error: unknown): boolean {
    const now = performance.now()
    const isSame = this.#failures > 0 && String(error) === String(this.lastError)
    if (this.#options.faultMsMax !== undefined && isSame && now - this.#toldAt < FAULT_MS_MAX)
      return true
    this.#toldAt = now
    return false
  }

  /** Random by up to a quarter, so that loops that failed together do not retry together. */
  #planFaultDelay(): number {
    const first = Math.min(this.#options.everyMs ?? FAULT_MS, FAULT_MS)
    const most = this.#options.faultMsMax ?? FAULT_MS_MAX
    return Math.min(planJitteredDelay(first, this.#failures), most)
  }

  #wait(): void {
    this.state = 'waiting'
    if (this.#options.everyMs !== undefined && this.#timer === undefined)
      this.wake(this.#options.everyMs)
  }
}

/**
 * Starts all, one after the other, and stops them in the opposite order, also where one fails.
 * `firstMs`: see `Background.start`.
 */
export async function startBackground(
  all: readonly Background[],
  firstMs = 0,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  for (const one of all) {
    started.defer(() => one.stop())
    await one.start(firstMs)
  }
  return started.move()
}
