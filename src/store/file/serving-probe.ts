/** Checks that a database can serve at this moment, by reading and writing it. */
import { openReader } from '../connection/connection.ts'
import { toFailure } from '../faults.ts'
import type { DiskState } from './disk-state.ts'
import type { SqlRow } from '../sql.ts'

/** Milliseconds that an answer holds. */
const ANSWER_MS = 1000
/** A commit of its own is tried where none has gone through for so long. */
const COMMITTED_MS = 2000
/** Longest wait for the writer, in ms: one that is busy for longer is not a fault of the disk. */
const WRITE_MS_MAX = 3000

/** Some tables, other ones each time: damage of a whole file shows in any of them. */
const TABLES = `SELECT name AS Name FROM sqlite_schema
  WHERE type = 'table' AND rootpage > 0 ORDER BY random() LIMIT 32`

const planFirstRows = (tables: readonly SqlRow[]): string =>
  `SELECT ${tables
    .map(({ Name }) => `(SELECT 1 FROM "${String(Name).replaceAll('"', '""')}" LIMIT 1)`)
    .join(', ')}`

/** The file of a probe, with its disk and a write to try. */
interface ProbeParts {
  file: string
  disk: DiskState
  /** Commits without changing anything. */
  write: () => Promise<void>
}

/** Tries the file when it is asked, and answers all who ask within a second alike. */
export class ServingProbe {
  readonly #parts: ProbeParts
  #answer: Promise<void> | undefined
  #askedAt = -Infinity
  #isTrying = false

  constructor(parts: ProbeParts) {
    this.#parts = parts
  }

  /** See `Store.requireServing`. */
  async requireServing(): Promise<void> {
    const { disk } = this.#parts
    disk.requireSameFiles()
    disk.requireTaking()
    disk.requireAnswering()
    const isOld = performance.now() - this.#askedAt >= ANSWER_MS || disk.fault !== undefined
    if (isOld && !this.#isTrying) {
      this.#askedAt = performance.now()
      this.#isTrying = true
      this.#answer = this.#try().finally(() => (this.#isTrying = false))
    }
    await this.#answer
  }

  async #try(): Promise<void> {
    const { disk } = this.#parts
    await this.#read()
    const isProven = performance.now() - disk.committedAt < COMMITTED_MS
    if (!isProven || disk.fault !== undefined) await this.#write()
    disk.requireAnswering()
  }

  /**
   * Reads by its own connection, which has no page in memory. The file is opened by SQLite alone: a
   * process that closes it by itself loses its locks (POSIX).
   */
  async #read(): Promise<void> {
    const { file, disk } = this.#parts
    try {
      const connection = openReader(file)
      try {
        const tables = await connection.statement(TABLES).allOffLoop({})
        await connection.statement(planFirstRows(tables)).allOffLoop({})
      } finally {
        connection.close()
      }
    } catch (error) {
      disk.noteRead(error)
      throw toFailure(error)
    }
  }

  async #write(): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, WRITE_MS_MAX)
    try {
      await Promise.race([this.#parts.write(), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
