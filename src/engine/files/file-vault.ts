/** `files/` of a data folder: the bytes of records' files and of uploads, each under its own id. */
import { opendir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { explainWrite } from '../../kernel/disk-failure.ts'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { isOutcomeUnknown } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { HOUR } from '../../kernel/setting.ts'
import type { Reader, Store, Tx } from '../../store/store.ts'
import { Strays } from './strays.ts'

export const FILES_FOLDER = 'files'
/** The folder where forms are received; files left there by a process that ended have no owner. */
const RECEIVED_FOLDER = 'uploads'

/** The form of a name in `files/`: `newId` gives no other. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A file that waits its day is found by the first sweep after that. */
const SWEPT_AGAIN_MS = 6 * HOUR

/** Names that are looked up at once. */
const SWEPT_NAMES = 500

interface VaultParts {
  /** The data folder. */
  folder: string
  store: Reader
  state: Store
  clock: Clock
  log: Log
}

/**
 * The files of a data folder. A file exists before a row in `svc_uploads` or `svc_files` names it,
 * and goes after the last such row: a crash leaves files without a row, which `sweep` removes, and
 * never a row without its file.
 */
export class FileVault {
  readonly #folder: string
  readonly #store: Reader
  readonly #log: Log
  readonly #strays: Strays
  /** Files that are here before their rows are. */
  readonly #arriving = new Set<string>()
  /** Removals under way. */
  readonly #leaving = new Set<Promise<void>>()
  #sweptAt = -Infinity
  /** The folder where uploads are received before they are whole. */
  readonly receivedFolder: string

  constructor({ folder, store, state, clock, log }: VaultParts) {
    this.#strays = new Strays({ state, clock }, FILES_FOLDER)
    this.#folder = join(folder, FILES_FOLDER)
    this.receivedFolder = join(folder, RECEIVED_FOLDER)
    this.#store = store
    this.#log = log
  }

  /** The path of a file; undefined for a text that is not an id. The file may not exist. */
  findPath(id: string): string | undefined {
    return ID.test(id) ? join(this.#folder, id) : undefined
  }

  /** Makes both folders where they are missing. */
  async prepare(): Promise<void> {
    makeFolder(this.#folder)
    makeFolder(this.receivedFolder)
  }

  /**
   * Takes received files over, by id from where they lie; their bytes are on the disk already, and
   * their names are when this resolves. With `work`, which writes the rows, they stay; when it
   * throws they go.
   */
  async take<T>(received: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
    const ids = [...received.keys()]
    for (const id of ids) this.#arriving.add(id)
    try {
      for (const [id, path] of received) await rename(path, this.#pathOf(id))
      await syncFolder(this.#folder)
      return await work()
    } catch (error) {
      // Rows may name them after all; the sweep knows later.
      if (!isOutcomeUnknown(error)) for (const id of ids) await this.#tryRemove(id)
      throw explainWrite(error)
    } finally {
      for (const id of ids) this.#arriving.delete(id)
    }
  }

  /** Once a transaction is committed, removes those files that no row names any more. */
  releaseAfter(tx: Tx, ids: readonly string[]): void {
    if (ids.length > 0) tx.afterCommit(() => this.#release(ids))
  }

  /** Removes parts of uploads that an ended process left. Nothing may be received during it. */
  async clearReceived(): Promise<void> {
    await rm(this.receivedFolder, { force: true, recursive: true })
    await this.prepare()
  }

  /**
   * Removes files that no row has named for a day: a process ended between the file and the commit.
   * An engine.db that is older than a file does not know it either.
   */
  async sweep(): Promise<void> {
    this.#sweptAt = performance.now()
    let names: string[] = []
    for await (const { name } of await opendir(this.#folder)) {
      if (ID.test(name) && !this.#arriving.has(name) && names.push(name) === SWEPT_NAMES) {
        await this.#removeStrays(names)
        names = []
      }
    }
    await this.#removeStrays(names)
  }

  /** Sweeps again, some hours after the last time. */
  async sweepAgain(): Promise<void> {
    if (performance.now() - this.#sweptAt >= SWEPT_AGAIN_MS) await this.sweep()
  }

  /** Resolves when the files released before are removed. */
  async settle(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  #release(ids: readonly string[]): void {
    const leaving = this.#removeUnnamed(ids)
      .catch((error: unknown) => this.#log.error('files stay until the next start', error))
      .finally(() => void this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  async #removeStrays(ids: readonly string[]): Promise<void> {
    const named = await this.#findNamed(ids)
    const unnamed = ids.filter((id) => !named.has(id) && !this.#arriving.has(id))
    for (const id of await this.#strays.takeDue(unnamed, [...named])) await this.#remove(id)
  }

  async #removeUnnamed(ids: readonly string[]): Promise<void> {
    const named = await this.#findNamed(ids)
    for (const id of ids) if (!named.has(id) && !this.#arriving.has(id)) await this.#remove(id)
  }

  async #findNamed(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const rows = await this.#store.all<{ Id: string }>({
      sql: NAMED,
      args: { ids: JSON.stringify(ids) },
      runs: 'inline',
    })
    return new Set(rows.map(({ Id }) => Id))
  }

  #pathOf(id: string): string {
    const path = this.findPath(id)
    if (path === undefined) throw new Error('This is not the name of a file')
    return path
  }

  /** Tries to remove a file; a failure leaves it to the sweep and hides no earlier error. */
  async #tryRemove(id: string): Promise<void> {
    await this.#remove(id).catch((error: unknown) => this.#log.error('a file stays', error))
  }

  /** Removes a file by its id; a file without such an id was put there by others, and stays. */
  async #remove(id: string): Promise<void> {
    const path = this.findPath(id)
    if (path !== undefined) await rm(path, { force: true })
  }
}

const NAMED =
  'SELECT value AS Id FROM json_each(@ids) ' +
  'WHERE EXISTS (SELECT 1 FROM svc_files WHERE Path = value) ' +
  'OR EXISTS (SELECT 1 FROM svc_uploads WHERE Key = value)'
