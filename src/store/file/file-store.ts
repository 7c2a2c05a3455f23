/** The store over one libSQL file: its readers and its writer. */
import { basename } from 'node:path'
import type { Figure } from '../../kernel/figures.ts'
import type { Connection } from '../connection/connection.ts'
import { listDatabaseFigures, WriterFigures } from '../figures.ts'
import { DiskState } from './disk-state.ts'
import { PageCheck } from './page-check.ts'
import { ServingProbe } from './serving-probe.ts'
import type { StoreLimits } from '../limits.ts'
import { FileReader } from '../read/reading.ts'
import { type Spool, Spooler, type SpoolOptions } from '../read/spool.ts'
import type { SqlRead } from '../sql.ts'
import { traceStatement, traceWrite } from '../statement-spans.ts'
import type {
  AfterWrite,
  Follower,
  Stage,
  StagedWrite,
  Store,
  Tx,
  WatchedTable,
  WriteScope,
} from '../store.ts'
import type { WriterParts } from '../write/group.ts'
import { runMigration } from '../write/migrate.ts'
import { Stages } from '../write/stage.ts'
import type { Versions } from '../write/versions.ts'
import { WriterConnection } from '../write/writer-connection.ts'
import { Writer } from '../write/writer.ts'

/** See `Store`; made by `openStore`, which has checked the file. */
export class FileStore extends FileReader implements Store {
  readonly #disk: DiskState
  readonly #parts: WriterParts
  readonly #versions: Versions
  readonly #writer: Writer
  readonly #spooler: Spooler
  readonly #stages: Stages
  readonly #probe: ServingProbe
  readonly #pages: PageCheck
  readonly #file: string
  #closing: Promise<void> | undefined

  /**
   * `writer` is the connection that the file was checked with, and is the store's from now on;
   * `mark` a file that goes when all of the log is in the database.
   */
  constructor(options: {
    file: string
    lanes: number
    limits: StoreLimits
    writer: Connection
    mark: string
  }) {
    const { file, lanes, limits, writer: connection, mark } = options
    const disk = new DiskState(file)
    super(file, { lanes, timeoutMs: limits.readTimeoutMs, disk })
    this.#file = file
    this.#disk = disk
    const writer = new WriterConnection(file, { connection, disk, mark })
    this.#parts = { writer, limits, counters: this.counters, figures: new WriterFigures() }
    this.#versions = writer.versions
    this.#writer = new Writer(this.#parts)
    this.#spooler = new Spooler(file)
    this.#stages = new Stages(file, limits.readTimeoutMs)
    this.#probe = new ServingProbe({ file, disk, write: () => this.#writer.probe() })
    this.#pages = new PageCheck(file, disk)
    this.#versions.follow({
      follows: () => false,
      begin: () => this.share(false),
      end: () => this.share(true),
    })
    this.share(true)
  }

  listFigures(): Figure[] {
    return listDatabaseFigures({
      database: basename(this.#file, '.db'),
      file: this.#file,
      writer: this.#parts.figures,
      queue: this.#writer.queued,
      lanes: this.laneFigures,
      reads: this.counters.reads,
    })
  }

  async spool(read: SqlRead, options: SpoolOptions): Promise<Spool> {
    this.counters.reads++
    this.#disk.requireSameFiles()
    return traceStatement(read.sql, () => this.#spooler.spool(read, options))
  }

  write<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope): Promise<T> {
    return traceWrite(work, (traced) => this.#writer.write(traced, scope))
  }

  stage(path: string): Stage {
    this.#disk.requireSameFiles()
    return this.#stages.open(path)
  }

  writeAlone<T>(work: (tx: Tx) => Promise<T>, scope: WriteScope, from?: StagedWrite): Promise<T> {
    return traceWrite(work, (traced) => this.#writer.writeAlone(traced, scope, from))
  }

  requireServing(): Promise<void> {
    return this.#probe.requireServing()
  }

  checkPages(): Promise<string | undefined> {
    return this.#pages.checkWhenDue()
  }

  useAfterWrite(afterWrite: AfterWrite): void {
    this.#writer.useAfterWrite(afterWrite)
  }

  watch(tables: readonly WatchedTable[]): Promise<void> {
    return this.#writer.alone((connection) => connection.watch(tables))
  }

  migrate<T>(
    work: (tx: Tx) => Promise<T>,
    watch?: readonly WatchedTable[],
    shrinking: readonly string[] = [],
  ): Promise<T> {
    const host = { ...this.#parts, reader: this }
    return this.#writer.alone(() => runMigration(host, work, { watch, shrinking }))
  }

  version(table: string): number {
    return this.#versions.find(table.toLowerCase())
  }

  stamp(tables: readonly string[]): number | undefined {
    return this.#versions.stamp(tables)
  }

  migrated(): Promise<void> | undefined {
    return this.#versions.migrated()
  }

  follow(follower: Follower): void {
    this.#versions.follow(follower)
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The readers go before the checkpoint, which a running read would keep from the file. */
  async #close(): Promise<void> {
    this.#pages.stop()
    await this.#writer.finish()
    await this.#spooler.close()
    await this.#stages.close()
    await super.close()
    await this.#writer.close()
  }
}
