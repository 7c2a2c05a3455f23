/** Keeps the log of a database from beginning again while the database is copied. */
import { type Connection, openReader } from '../connection/connection.ts'

const VERSION = 'PRAGMA data_version'

/**
 * A read transaction that is always open and moves on to later states: checkpoints go as far as the
 * state that it holds, and the log keeps all frames since the first one. It moves on only where a
 * commit came since it began. The checkpoints ended before that commit, so that the next reader
 * needs the log, which its lock keeps; one that finds all of the log in the file takes another lock
 * (SQLite, "WAL-mode File Format", 2.3), behind which frames would be lost to the copy.
 */
export class LogHold implements Disposable {
  #holder: Connection
  #next: Connection
  /** The version of the data as `#next` saw it, once `#holder` held its state. */
  #seen: unknown

  constructor(file: string) {
    this.#holder = openReader(file)
    try {
      begin(this.#holder)
      this.#next = openReader(file)
    } catch (error) {
      this.#holder.close()
      throw error
    }
    this.#seen = readVersion(this.#next)
  }

  /** Holds the state of now, if there is a later one. */
  moveOn(): void {
    begin(this.#next)
    const isLater = readVersion(this.#next) !== this.#seen
    if (isLater) [this.#holder, this.#next] = [this.#next, this.#holder]
    this.#next.database.exec('ROLLBACK')
    if (isLater) this.#seen = readVersion(this.#next)
  }

  [Symbol.dispose](): void {
    // Closed, a connection holds its state until the collector has taken its statements.
    if (this.#holder.inTransaction) this.#holder.database.exec('ROLLBACK')
    this.#next.close()
    this.#holder.close()
  }
}

/** A transaction holds a state from its first read on. */
function begin(connection: Connection): void {
  connection.database.exec('BEGIN')
  readVersion(connection)
}

/** A number that is another one behind each commit of other connections. */
const readVersion = (connection: Connection): unknown =>
  connection.statement(VERSION).get({})?.data_version
