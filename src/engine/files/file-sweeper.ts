/** Clears files up: at the start what an ended process left, then all that expires. */
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Store } from '../../store/store.ts'
import type { FileVault } from './file-vault.ts'
import { deleteExpiredUploads } from './uploads.ts'

/** How often it is looked for what has expired. */
const LOOK_MS = 60_000

export interface SweeperParts {
  store: Store
  files: FileVault
  clock: Clock
  log: Log
}

/** Deletes what has expired in some part of the engine; what it leaves, the next one takes. */
export type Sweep = (parts: Pick<SweeperParts, 'store' | 'clock'>) => Promise<void>

/** At work from `start` until it is disposed of. What fails is logged and tried again. */
export class FileSweeper implements AsyncDisposable {
  readonly #parts: SweeperParts
  readonly #others: readonly Sweep[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopping = false

  /** With what expires that is no file. */
  constructor(parts: SweeperParts, others: readonly Sweep[] = []) {
    this.#parts = parts
    this.#others = others
  }

  /**
   * Sweeps at once and then every minute, beside the requests; resolves when what was received in
   * part is gone, before which nothing may be received.
   */
  async start(): Promise<this> {
    await this.#parts.files.clearReceived()
    this.#run([() => this.#parts.files.sweep()])
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #run(first: readonly (() => Promise<void>)[] = []): void {
    const sweeps = [...first, () => deleteExpiredUploads(this.#parts)]
    for (const other of this.#others) sweeps.push(() => other(this.#parts))
    this.#running = this.#sweep(sweeps).then(() => {
      if (this.#isStopping) return
      this.#timer = setTimeout(() => this.#run(), LOOK_MS).unref()
    })
  }

  /** What fails keeps nothing else from being swept. */
  async #sweep(sweeps: readonly (() => Promise<void>)[]): Promise<void> {
    for (const sweep of sweeps) {
      try {
        await sweep()
      } catch (error) {
        this.#parts.log.error('what has expired could not be swept', error)
      }
    }
  }
}
