/**
 * `imports/` of a data folder: files of imports that a job makes later, each under a name of its
 * own. The job's arguments name its file; a file is there before its job is, and goes after it.
 */
import { access, opendir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Loop } from '../../../kernel/background.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { explainWrite } from '../../../kernel/disk-failure.ts'
import { makeFolder, syncFolder } from '../../../kernel/durable.ts'
import { isOutcomeUnknown, tooMany } from '../../../kernel/failure.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Log } from '../../../kernel/log.ts'
import { say } from '../../../kernel/messages.ts'
import { MINUTE } from '../../../kernel/setting.ts'
import type { Reader, Store, Tx } from '../../../store/store.ts'
import { ASKED_JOBS } from '../../../store/tables/jobs.ts'
import { Strays } from '../../files/strays.ts'

/** The name of the jobs that import. */
export const IMPORT_JOB = 'table-import'

/** In a job's arguments: the file that it imports, and its bytes. */
export interface KeptFile {
  File: string
  Size: number
}

const FOLDER = 'imports'

/** The user whose file it is, and an id. */
const NAME = /^(\d{1,15})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Imports of one user that may wait or run. */
const WAITING_MAX = 20

const RETRY_SECONDS = 30

/** How often it is looked for files of jobs that are no more. */
const SWEEP_MS = 5 * MINUTE
const SWEPT_NAMES = 200

const WAITS = `Name = '${IMPORT_JOB}' AND ${ASKED_JOBS}`

const WAITING = `SELECT count(*) AS Count,
    coalesce(sum(json_extract(Arguments, '$.Size')), 0) AS Bytes
  FROM svc_jobs WHERE UserId = @user AND ${WAITS}`

const NAMED = `SELECT value AS Name FROM json_each(@names) WHERE value IN
  (SELECT json_extract(Arguments, '$.File') FROM svc_jobs WHERE ${WAITS})`

interface KeptImportsParts {
  /** The data folder. */
  folder: string
  store: Reader
  state: Store
  clock: Clock
  log: Log
  /** Bytes that the files of one user may take together (`Svc:Imports:UserQuota`). */
  userQuota: number
}

/**
 * A crash leaves files that no job names, which `sweep` removes a day later, and never a job
 * without one.
 */
export class KeptImports {
  readonly #parts: KeptImportsParts
  readonly #folder: string
  readonly #strays: Strays
  /** Files that are here before their jobs are. */
  readonly #arriving = new Set<string>()

  constructor(parts: KeptImportsParts) {
    this.#parts = parts
    this.#folder = join(parts.folder, FOLDER)
    this.#strays = new Strays(parts, FOLDER)
  }

  /**
   * Checks that one more of so many bytes may wait, in whichever company; one alone may be of any
   * size.
   * @throws tooMany (429)
   */
  async requireRoom(reader: Reader, userId: number, size: number): Promise<void> {
    const { userQuota } = this.#parts
    const waiting = await reader.get<{ Count: number; Bytes: number }>(WAITING, { user: userId })
    const { Count: count, Bytes: bytes } = waiting ?? { Count: 0, Bytes: 0 }
    if (count >= WAITING_MAX)
      throw tooMany(
        say`You already have ${WAITING_MAX} imports waiting. Please try again later.`,
        RETRY_SECONDS,
      )
    if (count > 0 && bytes + size > userQuota)
      throw tooMany(
        say`The files of your waiting imports are limited to ${Math.floor(userQuota / 1024)} KB`,
        RETRY_SECONDS,
      )
  }

  /**
   * Takes a received file over, whose bytes are on the disk already; its name is when `work` is
   * called with it, which writes the job. Where it throws, no file stays without a job.
   */
  async keep<T>(path: string, userId: number, work: (name: string) => Promise<T>): Promise<T> {
    const name = `${userId}-${newId()}`
    makeFolder(this.#folder)
    this.#arriving.add(name)
    try {
      await rename(path, join(this.#folder, name))
      await syncFolder(this.#folder)
      return await work(name)
    } catch (error) {
      this.#arriving.delete(name)
      if (!isOutcomeUnknown(error))
        await this.#removeUnnamed([name]).catch((fault: unknown) => this.#logLeft(fault))
      throw explainWrite(error)
    } finally {
      this.#arriving.delete(name)
    }
  }

  /** Where a user's file lies; undefined for one that is not there, and for those of others. */
  async find(name: unknown, userId: number): Promise<string | undefined> {
    const path = this.#pathOf(name, userId)
    if (path === undefined) return undefined
    return access(path).then(
      () => path,
      () => undefined,
    )
  }

  /** Once a transaction is committed, removes a file that its user's job needs no more. */
  releaseAfter(tx: Tx, name: unknown, userId: number | null): void {
    const path = this.#pathOf(name, userId)
    if (path === undefined) return
    tx.afterCommit(() => {
      rm(path, { force: true }).catch((error: unknown) => this.#logLeft(error))
    })
  }

  /** Sweeps at once and from time to time. */
  openSweeper(): Loop {
    return new Loop({
      name: 'files of imports',
      everyMs: SWEEP_MS,
      log: this.#parts.log,
      steps: [() => this.sweep()],
      failure: 'files of imports that are over could not be removed',
    })
  }

  /** Removes files whose jobs are over, or were never committed. */
  async sweep(): Promise<void> {
    makeFolder(this.#folder)
    let names: string[] = []
    for await (const { name } of await opendir(this.#folder)) {
      if (names.push(name) < SWEPT_NAMES) continue
      await this.#removeStrays(names)
      names = []
    }
    await this.#removeStrays(names)
  }

  /** An engine.db that is older than a file does not know its job: the file waits a day. */
  async #removeStrays(found: readonly string[]): Promise<void> {
    const { names, named } = await this.#findNamed(found)
    const unnamed = names.filter((name) => !named.has(name))
    for (const name of await this.#strays.takeDue(unnamed, [...named]))
      await rm(join(this.#folder, name), { force: true })
  }

  async #removeUnnamed(found: readonly string[]): Promise<void> {
    const { names, named } = await this.#findNamed(found)
    for (const name of names)
      if (!named.has(name)) await rm(join(this.#folder, name), { force: true })
  }

  /** Files without a name of the engine's were put there by others, and stay. */
  async #findNamed(found: readonly string[]): Promise<{ names: string[]; named: Set<string> }> {
    const names = found.filter((name) => NAME.test(name) && !this.#arriving.has(name))
    if (names.length === 0) return { names, named: new Set() }
    const rows = await this.#parts.store.all<{ Name: string }>(NAMED, {
      names: JSON.stringify(names),
    })
    return { names, named: new Set(rows.map(({ Name }) => Name)) }
  }

  /** Arguments of a job can be mended: they name no file but their user's. */
  #pathOf(name: unknown, userId: number | null): string | undefined {
    if (typeof name !== 'string' || NAME.exec(name)?.[1] !== String(userId)) return undefined
    return join(this.#folder, name)
  }

  #logLeft(error: unknown): void {
    this.#parts.log.error('the file of an import stays until the next look', error)
  }
}
