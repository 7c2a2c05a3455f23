/** Whether a database can be written: its files are those opened, and the disk takes it. */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isStorageFailure } from './faults.ts'

const RETRY_SECONDS = 5

/** The smallest write fits where others do not. */
const ROOM_BYTES = 1024 * 1024

/** A database's file and its log, each by device and number: what a path names may change. */
const ENDS = ['', '-wal']

/** One database of a running process, from its opening on. */
export class DiskState {
  readonly #file: string
  readonly #opened: (string | undefined)[]
  #fault: unknown

  /** `file` is open, and its log with it. */
  constructor(file: string) {
    this.#file = file
    this.#opened = ENDS.map((end) => identify(file + end))
  }

  /** What the last write failed at; undefined once another has gone through. */
  get fault(): unknown {
    return this.#fault
  }

  /** Notes the end of a write that failed, if it is the disk's fault. */
  noteFailure(error: unknown): void {
    if (isStorageFailure(error)) this.#fault = error
  }

  /** Throws what the last write failed at while the disk has less room than writes need. */
  requireRoom(): void {
    if (this.#fault === undefined) return
    const { bavail, bsize } = statfsSync(dirname(this.#file))
    if (bavail * bsize < ROOM_BYTES) throw this.#fault
  }

  /** Notes that a write has gone through. */
  noteSuccess(): void {
    this.#fault = undefined
  }

  /**
   * Throws 503 when the path no longer names the files that were opened: what is written goes where
   * nobody finds it again. Windows lets nobody remove or replace a file that is open.
   */
  requireSameFiles(): void {
    if (process.platform === 'win32') return
    for (const [at, end] of ENDS.entries()) {
      const path = this.#file + end
      const now = identify(path)
      if (now !== undefined && now === (this.#opened[at] ??= now)) continue
      throw new Failure(
        'unavailable',
        say`The database is not the one that the server has opened; it takes no changes`,
        {
          code: 'STORAGE_FAILED',
          headers: { 'Retry-After': String(RETRY_SECONDS) },
          cause: new Error(`${path} was ${now === undefined ? 'removed' : 'replaced'}`),
        },
      )
    }
  }
}

function identify(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}
