/** Work that goes on beside the requests, over and over. */
import type { Log } from './log.ts'

/** What an operator sees of such work, and how it ends. */
export interface Background {
  readonly name: string
  readonly state: 'stopped' | 'waiting' | 'running'
  /** Of the latest run that failed. */
  readonly lastError: unknown
  /** How often it has run to its end. */
  readonly runs: number
  /** Begins nothing more; resolves when what runs has ended. */
  stop(): Promise<void>
}

export interface LoopOptions {
  name: string
  /** Milliseconds from the end of a run to the next one. */
  everyMs: number
  /** A run: in this order, and what fails keeps no later step from being done. */
  steps: readonly (() => Promise<void>)[]
  /** What the log says of a step that failed. */
  failure: string
  log: Log
}

/** Runs its steps from `start` until `stop`. What fails is logged and tried again. */
export class Loop implements Background, AsyncDisposable {
  readonly #options: LoopOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  state: Background['state'] = 'stopped'
  lastError: unknown
  runs = 0
  /** Whether a run is to begin nothing more. */
  isStopping = false

  constructor(options: LoopOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  /** Runs at once; `first` is done before the steps of the first run, and never again. */
  start(first: LoopOptions['steps'] = []): this {
    this.#running = this.#run([...first, ...this.#options.steps])
    return this
  }

  /** Runs for the first time after one wait. */
  startLater(): this {
    this.state = 'waiting'
    this.#timer = setTimeout(() => this.start(), this.#options.everyMs).unref()
    return this
  }

  async stop(): Promise<void> {
    this.isStopping = true
    clearTimeout(this.#timer)
    await this.#running
    this.state = 'stopped'
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #run(steps: LoopOptions['steps']): Promise<void> {
    this.state = 'running'
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        this.lastError = error
        this.#options.log.error(this.#options.failure, error)
      }
    }
    this.runs++
    if (!this.isStopping) this.startLater()
  }
}
