/** Clears files up: at the start what an ended process left, then what expires. */
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Store } from '../../store/store.ts'
import type { FileVault } from './file-vault.ts'
import { deleteExpiredUploads } from './uploads.ts'

/** How often it is looked for uploads that have expired. */
const LOOK_MS = 60_000

export interface SweeperParts {
  store: Store
  files: FileVault
  clock: Clock
  log: Log
}

/** At work from `start` until it is disposed of. What fails is logged and tried again. */
export class FileSweeper implements AsyncDisposable {
  readonly #parts: SweeperParts
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopping = false

  constructor(parts: SweeperParts) {
    this.#parts = parts
  }

  /**
   * Sweeps at once and then every minute, beside the requests; resolves when what was received in
   * part is gone, before which nothing may be received.
   */
  async start(): Promise<this> {
    await this.#parts.files.clearReceived()
    this.#run(() => this.#parts.files.sweep())
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #run(first: () => Promise<void> = async () => {}): void {
    this.#running = first()
      .then(() => deleteExpiredUploads(this.#parts))
      .catch((error: unknown) => this.#parts.log.error('files could not be swept', error))
      .then(() => {
        if (this.#isStopping) return
        this.#timer = setTimeout(() => this.#run(), LOOK_MS).unref()
      })
  }
}
