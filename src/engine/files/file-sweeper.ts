/** Clears files up: at the start what an ended process left, then all that expires. */
import { Loop } from '../../kernel/background.ts'
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
  readonly #loop: Loop

  /** With what expires that is no file. */
  constructor(parts: SweeperParts, others: readonly Sweep[] = []) {
    this.#parts = parts
    this.#loop = new Loop({
      ...{ name: 'files that expire', everyMs: LOOK_MS, log: parts.log },
      steps: [() => deleteExpiredUploads(parts), ...others.map((other) => () => other(parts))],
      failure: 'what has expired could not be swept',
    })
  }

  /**
   * Sweeps at once and then every minute, beside the requests; resolves when what was received in
   * part is gone, before which nothing may be received.
   */
  async start(): Promise<this> {
    const { files } = this.#parts
    await files.clearReceived()
    this.#loop.start([() => files.sweep()])
    return this
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop.stop()
  }
}
