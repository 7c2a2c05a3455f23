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

/**
 * Sweeps at once and then every minute, beside the requests. It has started when what was received
 * in part is removed, before which nothing may be received.
 */
export const openFileSweeper = (parts: SweeperParts): Loop =>
  new Loop({
    ...{ name: 'uploads that expire', everyMs: LOOK_MS, log: parts.log },
    prepare: () => parts.files.clearReceived(),
    first: [() => parts.files.sweep()],
    steps: [() => deleteExpiredUploads(parts)],
    failure: 'what has expired could not be swept',
  })
