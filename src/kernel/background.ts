/** Work that goes on beside the requests, over and over. */
import { sleep } from './clock.ts'
import type { Log } from './log.ts'

/** What an operator sees of such work, how it begins and how it ends. */
export interface Background {
  readonly name: string
  readonly state: 'stopped' | 'waiting' | 'running'
  /** Of the latest run that failed. */
  readonly lastError: unknown
  /** How often it has run to its end. */
  readonly runs: number
  /** Begins; resolves when what has to be done before any request is done. */
  start(): Promise<void>
  /** Begins nothing more; resolves when what runs has ended. */
  stop(): Promise<void>
}

type Steps = readonly (() => Promise<void>)[]

export interface LoopOptions {
  name: string
  /** Milliseconds from the end of a run to the next one; without it each run needs a `wake`. */
  everyMs?: number
  /** A run: in this order, and what fails keeps no later step from being done. */
  steps: Steps
  /** Before the steps of the first run. */
  first?: Steps
  /** Before any request; what it rejects with, `start` rejects with. */
  prepare?: () => Promise<void>
  /** Whether `start` waits as between two runs, in place of a run at once. */
  waitsFirst?: boolean
  /** Calls `wake` for what the loop follows, from its start on; gives what ends that. */
  follow?: (wake: (afterMs?: number) => void) => () => void
  /** The longest that `stop` waits for what runs. */
  stopMs?: number
  /** What the log says of a step that failed. */
  failure: string
  log: Log
}

/** Runs its steps from `start` until `stop`, one run at a time. What fails is tried again. */
export class Loop implements Background {
  readonly #options: LoopOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #first: Steps
  #unfollow: (() => void) | undefined
  state: Background['state'] = 'stopped'
  lastError: unknown
  runs = 0
  /** Whether a run is to begin nothing more. */
  isStopping = false

  constructor(options: LoopOptions) {
    this.#options = options
    this.#first = options.first ?? []
  }

  get name(): string {
    return this.#options.name
  }

  async start(): Promise<void> {
    const { prepare, follow, waitsFirst } = this.#options
    this.#unfollow = follow?.((afterMs) => this.wake(afterMs))
    await prepare?.()
    if (waitsFirst === true) this.#wait()
    else this.wake()
  }

  /** Has a run begin after a while, or after the one that runs; a later call puts it off. */
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
    clearTimeout(this.#timer)
    const { stopMs } = this.#options
    await (stopMs === undefined ? this.#running : Promise.race([this.#running, sleep(stopMs)]))
    this.state = 'stopped'
  }

  async #run(): Promise<void> {
    if (this.isStopping) return
    this.state = 'running'
    const steps = [...this.#first, ...this.#options.steps]
    this.#first = []
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        this.lastError = error
        this.#options.log.error(this.#options.failure, error)
      }
    }
    this.runs++
    if (!this.isStopping) this.#wait()
  }

  #wait(): void {
    this.state = 'waiting'
    if (this.#options.everyMs !== undefined && this.#timer === undefined)
      this.wake(this.#options.everyMs)
  }
}

/** Starts all, one after the other, and stops them in the opposite order, also where one fails. */
export async function startBackground(all: readonly Background[]): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  for (const one of all) {
    started.defer(() => one.stop())
    await one.start()
  }
  return started.move()
}
