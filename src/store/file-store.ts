/** The store over one libSQL file: its readers and its writer. */
import type { StoreLimits } from './limits.ts'
import { runMigration } from './migrate.ts'
import { FileReader } from './reading.ts'
import type { SqlRead, SqlRow } from './sql.ts'
import type { Settle, Store, StoreCounters, Tx, WatchedTable, WriteScope } from './store.ts'
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
      const host = { writer, reader: this.#reader, counters: this.counters }
      const { value, tables } = await runMigration(host, work, watch)
      this.#reader.renew()
      for (const table of new Set([...tables, ...this.#writer.versions.keys()]))
        this.#writer.lift(table)
      return value
    })
  }

  version(table: string): number {
    return this.#writer.versions.get(table.toLowerCase()) ?? 0
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
