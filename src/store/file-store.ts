/** The store over one libSQL file: its readers and its writer. */
import type { Connection } from './connection.ts'
import { DiskState } from './disk-state.ts'
import type { StoreLimits } from './limits.ts'
import { runMigration } from './migrate.ts'
import { FileReader } from './reading.ts'
import { Spooler } from './spool.ts'
import { Stages } from './stage.ts'
import type { Spool, SpoolOptions } from './spool.ts'
import type { SqlArgs, SqlRead, SqlRow } from './sql.ts'
import type {
  Follower,
  Reader,
  AfterWrite,
  Stage,
  Store,
  StoreCounters,
  Tx,
  WatchedTable,
  WriteScope,
} from './store.ts'
import { Writer } from './writer.ts'
import { WriterConnection } from './writer-connection.ts'

/** See `Store`; made by `openStore`, which has checked the file. */
export class FileStore implements Store {
  readonly counters: StoreCounters
  readonly #reader: FileReader
  readonly #disk: DiskState
  readonly #writer: Writer
  readonly #spooler: Spooler
  readonly #stages: Stages
  #closing: Promise<void> | undefined

  /** `writer` is the connection that the file was checked with, and is the store's from now on. */
  constructor(options: { file: string; lanes: number; limits: StoreLimits; writer: Connection }) {
    const { file, lanes, limits, writer } = options
    const disk = new DiskState(file)
    this.#disk = disk
    this.#reader = new FileReader(file, { lanes, timeoutMs: limits.readTimeoutMs, disk })
    this.counters = this.#reader.counters
    this.#writer = new Writer({
      connection: new WriterConnection(file, { connection: writer, disk }),
      disk,
      limits,
      counters: this.counters,
    })
    this.#spooler = new Spooler(file)
    this.#stages = new Stages(file, limits.readTimeoutMs)
  }

  text(read: SqlRead): Promise<string> {
    return this.#reader.text(read)
  }

  get<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R | undefined> {
    return this.#reader.get<R>(read, args)
  }

  all<R extends SqlRow = SqlRow>(read: SqlRead | string, args?: SqlArgs): Promise<R[]> {
    return this.#reader.all<R>(read, args)
  }

  snapshot<T>(name: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#reader.snapshot(name, work)
  }

  textOfNow(plan: () => SqlRead, about: Pick<SqlRead, 'of'> & { name: string }): Promise<string> {
    return this.#reader.textOfNow(plan, about)
  }

  async spool(read: SqlRead, options: SpoolOptions): Promise<Spool> {
    this.counters.reads++
    this.#disk.requireSameFiles()
    return this.#spooler.spool(read, options)
  }

  write<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope): Promise<T> {
    return this.#writer.write(work, scope)
  }

  stage(path: string): Stage {
    this.#disk.requireSameFiles()
    return this.#stages.open(path)
  }

  writeAlone<T>(
    work: (tx: Tx) => Promise<T>,
    scope: WriteScope,
    stage?: Pick<Stage, 'path'>,
  ): Promise<T> {
    return this.#writer.writeAlone(work, scope, stage?.path)
  }

  requireWritable(): Promise<void> {
    return this.#writer.requireWritable()
  }

  useAfterWrite(afterWrite: AfterWrite): void {
    this.#writer.useAfterWrite(afterWrite)
  }

  watch(tables: readonly WatchedTable[]): Promise<void> {
    return this.#writer.watch(tables)
  }

  async migrate<T>(
    work: (tx: Tx) => Promise<T>,
    watch?: readonly WatchedTable[],
    shrinking: readonly string[] = [],
  ): Promise<T> {
    return await this.#writer.alone(async (writer) => {
      const { versions } = this.#writer
      const beforeCommit = (): void => versions.beginCommit('all')
      let isCommitted = false
      const afterCommit = (tables: readonly string[]): void => {
        isCommitted = true
        this.#reader.renew()
        versions.lift(tables)
        versions.endCommit('all')
      }
      const told = { beforeCommit, afterCommit }
      try {
        const host = { writer, reader: this.#reader, counters: this.counters, ...told }
        const value = await runMigration(host, work, { watch, shrinking })
        this.#disk.requireSameFiles()
        return value
      } catch (error) {
        this.#disk.noteFailure(error)
        throw error
      } finally {
        if (!isCommitted) versions.endCommit('all')
      }
    })
  }

  version(table: string): number {
    return this.#writer.versions.find(table.toLowerCase())
  }

  stamp(tables: readonly string[]): number | undefined {
    return this.#writer.versions.stamp(tables)
  }

  migrated(): Promise<void> | undefined {
    return this.#writer.versions.migrated()
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
    await this.#spooler.close()
    await this.#stages.close()
    await this.#reader.close()
    await this.#writer.close()
  }
}
