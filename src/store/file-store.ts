/** The store over one libSQL file: its readers and its writer. */
import type { StoreLimits } from './limits.ts'
import { runMigration } from './migrate.ts'
import { FileReader } from './reading.ts'
import type { SqlRead, SqlRow } from './sql.ts'
import type {
  Follower,
  Settle,
  Store,
  StoreCounters,
  Tx,
  WatchedTable,
  WriteScope,
} from './store.ts'
import { Writer } from './writer.ts'

/** See `Store`; made by `openStore`, which has checked the file. */
export class FileStore implements Store {
  readonly counters: StoreCounters
  readonly #reader: FileReader
  readonly #writer: Writer
  #closing: Promise<void> | undefined

  constructor(options: { file: string; lanes: number; limits: StoreLimits }) {
    const { file, lanes, limits } = options
    this.#reader = new FileReader(file, { lanes, timeoutMs: limits.readTimeoutMs })
    this.counters = this.#reader.counters
    this.#writer = new Writer(file, limits, this.counters)
  }

  text(read: SqlRead): Promise<string> {
    return this.#reader.text(read)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead): Promise<R | undefined> {
    return this.#reader.get<R>(read)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead): Promise<R[]> {
    return this.#reader.all<R>(read)
  }

  write<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope): Promise<T> {
    return this.#writer.write(work, scope)
  }

  useSettle(settle: Settle): void {
    this.#writer.useSettle(settle)
  }

  watch(tables: readonly WatchedTable[]): Promise<void> {
    return this.#writer.watch(tables)
  }

  async migrate<T>(work: (tx: Tx) => Promise<T>, watch?: readonly WatchedTable[]): Promise<T> {
    return await this.#writer.alone(async (writer) => {
      const { versions } = this.#writer
      const beforeCommit = (): void => versions.beginCommit('all')
      const host = { writer, reader: this.#reader, counters: this.counters, beforeCommit }
      try {
        const { value, tables } = await runMigration(host, work, watch)
        this.#reader.renew()
        versions.lift(tables)
        return value
      } finally {
        versions.endCommit('all')
      }
    })
  }

  version(table: string): number {
    return this.#writer.versions.find(table.toLowerCase())
  }

  stamp(tables: readonly string[]): number | undefined {
    return this.#writer.versions.stamp(tables)
  }

  follow(follower: Follower): void {
    this.#writer.versions.follow(follower)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The readers go before the checkpoint, which a running read would keep from the file. */
  async #close(): Promise<void> {
    await this.#writer.finish()
    await this.#reader.close()
    await this.#writer.close()
  }
}
