/** The state of a database: trust in its files and pages, and in the disk below. */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { STORAGE_FAILED } from '../../kernel/disk-failure.ts'
import { Failure } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { isDamage, isStorageFailure, noteFile } from '../faults.ts'

const RETRY_SECONDS = 5

/** Least free bytes: with less, writes fail sooner or later, though the smallest may still fit. */
const ROOM_BYTES = 1024 * 1024
/** A disk that takes longer for a commit does not answer. */
const COMMIT_MS_MAX = 4000

/** A database's file and its log, each by device and number: what a path names may change. */
const ENDS = ['', '-wal']

/** One database of a running process, from its opening on. */
export class DiskState {
  readonly #file: string
  readonly #opened: (string | undefined)[]
  #fault: unknown
  #damage: string | undefined
  #committingSince: number | undefined
  /** The instant of the latest commit, by the monotonic clock. */
  committedAt = -Infinity
  /** True once a statement found damage: the pages must be read. */
  isSuspect = false

  /** `file` is open, and its log with it. */
  constructor(file: string) {
    this.#file = file
    this.#opened = ENDS.map((end) => identify(file + end))
  }

  /** Error of the last write; undefined once another has gone through. */
  get fault(): unknown {
    return this.#fault
  }

  /** Notes the end of a read or write that failed, if it is the disk's fault. */
  noteFailure(error: unknown): void {
    if (isStorageFailure(error)) this.#fault = error
    this.noteRead(error)
  }

  /** Notes what a read failed at, and of the error that it is of this file. */
  noteRead(error: unknown): void {
    noteFile(error, this.#file)
    if (isDamage(error)) this.isSuspect = true
  }

  /** Notes what a check of all pages found: damage, as a sentence, or none. */
  noteCheck(damage: string | undefined): void {
    this.isSuspect = false
    this.#damage = damage
  }

  /** Notes that a commit begins to write to the disk. */
  beginCommit(): void {
    this.#committingSince = performance.now()
  }

  /** Notes that the disk has answered, well or not. */
  endCommit(): void {
    this.#committingSince = undefined
  }

  /** Notes that a write has gone through. */
  noteSuccess(): void {
    this.#fault = undefined
    this.committedAt = performance.now()
  }

  /** Throws 503 where the disk is full, or pages are damaged: nothing more is to be written. */
  requireTaking(): void {
    if (this.#damage !== undefined)
      throw refused(say`The database is damaged, so nothing can be changed`, this.#damage)
    if (!this.#hasRoom())
      throw refused(
        say`The disk is full. Nothing can be changed until there is space again.`,
        this.#file,
      )
  }

  /** Throws 503 while the disk does not answer. */
  requireAnswering(): void {
    if (performance.now() - (this.#committingSince ?? Infinity) > COMMIT_MS_MAX)
      throw refused(say`The disk is not responding`, this.#file)
  }

  /** Asked before each group of writes: the system answers in a microsecond. */
  #hasRoom(): boolean {
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file))
      return bavail * bsize >= ROOM_BYTES
    } catch {
      // The check of its files reports a missing folder.
      return true
    }
  }

  /**
   * Throws 503 when the path no longer names the files that were opened: writes would go into a
   * file without a name. On Windows an open file cannot be removed or replaced.
   */
  requireSameFiles(): void {
    for (let at = 0; at < ENDS.length; at++) this.#requireSame(at)
  }

  /** The same of the database alone, a moment later: a folder that is moved takes both. */
  requireSameDatabase(): void {
    this.#requireSame(0)
  }

  #requireSame(at: number): void {
    if (process.platform === 'win32') return
    const path = this.#file + (ENDS[at] ?? '')
    const now = identify(path)
    if (now === undefined || now !== (this.#opened[at] ??= now))
      throw refused(
        say`The database is not the file that the server opened, so nothing can be changed`,
        `${path} was ${now === undefined ? 'removed' : 'replaced'}`,
      )
  }
}

const refused = (message: Message, cause: string): Failure =>
  new Failure('unavailable', message, {
    code: STORAGE_FAILED,
    headers: { 'Retry-After': String(RETRY_SECONDS) },
    cause: new Error(cause),
  })

/** Returns device and number of the file at a path; undefined where there is no file. */
export function identify(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}
