/** `exports/` of a data folder: files that were made for somebody to fetch, until they expire. */
import { randomBytes } from 'node:crypto'
import { opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import type { Log } from '../../kernel/log.ts'
import { and, eq, gt, inArray, lte, readDatabase, txDatabase } from '../../store/drizzle.ts'
import type { Store } from '../../store/store.ts'
import { exports as rows } from '../../store/tables/exports.ts'
import { explainWrite, requireRoom } from './disk-reserve.ts'

const FOLDER = 'exports'
/** Where a made file is fetched, by its name. */
const FETCHED_AT = '/api/v1/svc/object/export-file/'
const RANDOM_BYTES = 16
const SLUG_MAX = 60
/** As `make` gives them: no dots but before the extension, no separators, nothing reserved. */
const NAME = /^[a-z0-9][a-z0-9-]{0,80}-[0-9a-f]{32}\.[a-z0-9]{1,10}$/

/** How often it is looked for what has expired. */
const SWEEP_MS = 5 * 60_000
const SWEPT_ROWS = 200

const SCOPE = { company: 'all' } as const

export interface MadeFilesParts {
  /** The data folder. */
  folder: string
  /** `state.db`: with it the files are forgotten, and swept at the next start. */
  state: Store
  clock: Clock
  log: Log
  /** Milliseconds that a file is kept (`Svc:Exports:Retention`). */
  lifetime: number
  /** What every route stands below (`Svc:Http:BasePath`). */
  basePath: string
}

/** Whom a file is for, and what it is. */
export interface MadeFor {
  userId: number
  companyId: number
  /** What the name begins with. */
  slug: string
  /** With its dot. */
  extension: string
  contentType: string
  /** What it is called where it is saved, without its extension. */
  shownName: string
}

export type MadeFileRow = typeof rows.$inferSelect

/** A file that is there to be fetched, and where it lies. */
export interface FoundFile extends MadeFileRow {
  path: string
}

/** A row is written after its file is on the disk, and goes before it: no row without its file. */
export class MadeFiles {
  readonly #parts: MadeFilesParts
  readonly #folder: string
  /** Files that are here before their rows are. */
  readonly #making = new Set<string>()

  constructor(parts: MadeFilesParts) {
    this.#parts = parts
    this.#folder = join(parts.folder, FOLDER)
  }

  /** The address that a file of this name is fetched at. */
  urlOf(name: string): string {
    return this.#parts.basePath + FETCHED_AT + name
  }

  /**
   * Makes a file: `write` creates it at a path where none is, and syncs it. When it throws, nothing
   * stays. Throws 503 when the disk has too little room, before anything is written.
   */
  async make(
    made: MadeFor,
    write: (path: string) => Promise<{ size: number; sha256: string }>,
  ): Promise<MadeFileRow> {
    makeFolder(this.#folder)
    await requireRoom(this.#folder, 0)
    const name = planName(made)
    const path = join(this.#folder, name)
    this.#making.add(name)
    try {
      const row = this.#planRow(name, made, await write(path))
      await syncFolder(this.#folder)
      await this.#parts.state.write(
        (tx) => txDatabase(tx).insert(rows).values(row).run().then(ignore),
        SCOPE,
      )
      return row
    } catch (error) {
      await rm(path, { force: true })
      throw explainWrite(error)
    } finally {
      this.#making.delete(name)
    }
  }

  /** A file that callers of the company may fetch now; undefined for any other name whatever. */
  async find(name: string, companyId: number): Promise<FoundFile | undefined> {
    if (!NAME.test(name)) return undefined
    const now = this.#parts.clock.now().toISOString()
    const [row] = await readDatabase(this.#parts.state)
      .select()
      .from(rows)
      .where(and(eq(rows.Name, name), eq(rows.CompanyId, companyId), gt(rows.ExpiresAt, now)))
    return row && { ...row, path: join(this.#folder, row.Name) }
  }

  /** Sweeps now and from time to time, until it is disposed of. */
  start(): AsyncDisposable {
    let sweeping = this.#sweepQuietly()
    const timer = setInterval(() => {
      sweeping = sweeping.then(() => this.#sweepQuietly())
    }, SWEEP_MS)
    return {
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer)
        await sweeping
      },
    }
  }

  /** Removes what has expired, and what a process that ended has left behind. */
  async sweep(): Promise<void> {
    makeFolder(this.#folder)
    while ((await this.#sweepExpired()) === SWEPT_ROWS) continue
    let names: string[] = []
    for await (const { name } of await opendir(this.#folder)) {
      if (names.push(name) < SWEPT_ROWS) continue
      await this.#removeUnnamed(names)
      names = []
    }
    await this.#removeUnnamed(names)
  }

  #planRow(
    name: string,
    { userId, companyId, contentType, shownName, extension }: MadeFor,
    { size, sha256 }: { size: number; sha256: string },
  ): MadeFileRow {
    const now = this.#parts.clock.now()
    return {
      Name: name,
      CompanyId: companyId,
      UserId: userId,
      ShownName: shownName + extension,
      ContentType: contentType,
      Size: size,
      Sha256: sha256,
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + this.#parts.lifetime).toISOString(),
    }
  }

  async #sweepQuietly(): Promise<void> {
    try {
      await this.sweep()
    } catch (error) {
      this.#parts.log.error('expired exports could not be removed', error)
    }
  }

  async #sweepExpired(): Promise<number> {
    const now = this.#parts.clock.now().toISOString()
    const expired = await readDatabase(this.#parts.state)
      .select({ Name: rows.Name })
      .from(rows)
      .where(lte(rows.ExpiresAt, now))
      .limit(SWEPT_ROWS)
    const names = expired.map(({ Name }) => Name)
    if (names.length === 0) return 0
    const remove = (database: ReturnType<typeof txDatabase>) =>
      database.delete(rows).where(inArray(rows.Name, names)).run().then(ignore)
    await this.#parts.state.write((tx) => remove(txDatabase(tx)), SCOPE)
    for (const name of names) await rm(join(this.#folder, name), { force: true })
    return names.length
  }

  /** What bears no name of ours was put there by somebody else, and stays. */
  async #removeUnnamed(found: readonly string[]): Promise<void> {
    const names = found.filter((name) => NAME.test(name) && !this.#making.has(name))
    if (names.length === 0) return
    const known = await readDatabase(this.#parts.state)
      .select({ Name: rows.Name })
      .from(rows)
      .where(inArray(rows.Name, names))
    const kept = new Set(known.map(({ Name }) => Name))
    for (const name of names) {
      if (!kept.has(name) && !this.#making.has(name)) await rm(join(this.#folder, name))
    }
  }
}

function planName({ slug, extension }: MadeFor): string {
  const plain = slug
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const start = plain.slice(0, SLUG_MAX).replace(/-+$/, '') || 'file'
  const end = extension.toLowerCase().replace(/[^.a-z0-9]/g, '')
  return `${start}-${randomBytes(RANDOM_BYTES).toString('hex')}${end}`
}

const ignore = (): void => undefined
