/** `exports/` of a data folder: files that were made to be fetched, until they expire. */
import { randomBytes } from 'node:crypto'
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import { explainWrite } from '../../kernel/disk-failure.ts'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { isOutcomeUnknown } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { getRow, insertRow } from '../../store/rows.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import { requireRoom } from './disk-reserve.ts'
import { loadOwnFiles, type MadeQuota, overMadeQuota, type OwnFiles } from './generated-quota.ts'
import { OnceFile } from './once-file.ts'
import { exports as rows } from './state-db.ts'

const FOLDER = 'exports'
/** The address that a made file is fetched from, by its name. */
const FETCHED_AT = '/api/v1/svc/object/export-file/'
const RANDOM_BYTES = 16
const SLUG_MAX = 60
/** Names that `make` gives: no dots but before the extension, no separators, none reserved. */
const NAME = /^[a-z0-9][a-z0-9-]{0,80}-[0-9a-f]{32}\.[a-z0-9]{1,10}$/

/** Milliseconds between two looks for expired files. */
const SWEEP_MS = 5 * 60_000
const SWEPT_ROWS = 200

const SCOPE = systemScope('files that were made stand in state.db, which knows no companies')

interface MadeFilesParts {
  /** The data folder. */
  folder: string
  /** `state.db`: with it the files are forgotten, and swept at the next start. */
  state: Store
  clock: Clock
  log: Log
  /** Milliseconds that a file is kept (`Svc:Exports:Retention`). */
  lifetime: number
  quota: MadeQuota
  /** The path that every route is below (`Svc:Http:BasePath`). */
  basePath: string
}

/** The user that a file is for, and the file's content. */
export interface MadeFor {
  userId: number
  companyId: number
  /** The beginning of the name. */
  slug: string
  /** The extension with its dot. */
  extension: string
  contentType: string
  /** The name under which it is saved, without its extension. */
  shownName: string
  /** True to give an existing file of the same content, of the same caller, instead. */
  isReused?: boolean
}

/** Called while a file is written: throws 503 or 429 where it takes more room than there is. */
export type RequireLeft = () => Promise<void>

/** The file as written; with type, extension and name where they differ from the planned ones. */
interface WrittenFile {
  size: number
  sha256: string
  shownName?: string | undefined
  contentType?: string
  extension?: string
}

/** Creates a file at a path where none is, and syncs it. */
export type WriteFile = (path: string, left: RequireLeft) => Promise<WrittenFile>

export type MadeFileRow = typeof rows.$inferSelect

/** A file that can be fetched, and its path. */
interface FoundFile extends MadeFileRow {
  path: string
}

/** Keeps a file of the same content longer. */
const KEEP_SAME = `UPDATE svc_exports SET CreatedAt = @CreatedAt, ExpiresAt = @ExpiresAt
  WHERE Sha256 = @Sha256 AND UserId = @UserId AND CompanyId = @CompanyId
    AND ShownName = @ShownName AND ExpiresAt > @now RETURNING *`

type FileName = Pick<MadeFileRow, 'Name'>

const EXPIRED = `SELECT Name FROM svc_exports
  WHERE ExpiresAt <= @now AND (@userId IS NULL OR UserId = @userId) LIMIT ${SWEPT_ROWS}`
const KNOWN = 'SELECT Name FROM svc_exports WHERE Name IN (SELECT value FROM json_each(@names))'
const REMOVE = 'DELETE FROM svc_exports WHERE Name IN (SELECT value FROM json_each(@names))'

/** A row is written after its file is on the disk, and goes before it: no row without its file. */
export class MadeFiles {
  readonly #parts: MadeFilesParts
  readonly #folder: string
  /** Files that are here before their rows are, with their users. */
  readonly #making = new Map<string, number>()

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
   * stays. Throws 503 when the disk has too little room, and 429 when the user has as many files
   * as one may, before anything is written.
   */
  async make(made: MadeFor, write: WriteFile): Promise<MadeFileRow> {
    makeFolder(this.#folder)
    await requireRoom(this.#folder, 0)
    const name = planName(made)
    const path = join(this.#folder, name)
    const { bytes } = await this.#requireQuota(made.userId)
    this.#making.set(name, made.userId)
    try {
      const row = this.#planRow(name, made, await write(path, () => this.#requireLeft(path, bytes)))
      const same = made.isReused ? await this.#findSame(row) : undefined
      if (same) {
        await rm(path, { force: true })
        return same
      }
      await syncFolder(this.#folder)
      await this.#parts.state.write((tx) => this.#addRow(tx, row), SCOPE)
      return row
    } catch (error) {
      // A file that cannot be removed has no row, and goes with the next sweep.
      if (!isOutcomeUnknown(error)) await rm(path, { force: true }).catch(() => {})
      throw explainWrite(error)
    } finally {
      this.#making.delete(name)
    }
  }

  /** Checks the user's quota after removing their expired files. @throws tooMany */
  async #requireQuota(userId: number): Promise<OwnFiles> {
    const { state, clock, quota } = this.#parts
    while ((await this.#sweepExpired(userId)) === SWEPT_ROWS) continue
    const making = [...this.#making.values()].filter((each) => each === userId).length
    const own = await loadOwnFiles(state, userId, clock)
    if (own.files + making >= quota.files) throw overMadeQuota('files', quota, own, clock)
    if (own.bytes >= quota.bytes) throw overMadeQuota('bytes', quota, own, clock)
    return own
  }

  async #requireLeft(path: string, ownBytes: number): Promise<void> {
    const { clock, quota } = this.#parts
    await requireRoom(this.#folder, 0)
    const { size } = await stat(path)
    if (ownBytes + size <= quota.bytes) return
    throw overMadeQuota('bytes', quota, { bytes: ownBytes, files: 0, until: null }, clock)
  }

  async #addRow(tx: Tx, row: MadeFileRow): Promise<void> {
    const { clock, quota } = this.#parts
    await insertRow(tx, rows, row)
    const own = await loadOwnFiles(tx, row.UserId, clock)
    if (own.bytes > quota.bytes) throw overMadeQuota('bytes', quota, own, clock)
    if (own.files > quota.files) throw overMadeQuota('files', quota, own, clock)
  }

  /** Opens a made file, which is kept. The receiver closes it. */
  open(row: MadeFileRow): Promise<OnceFile> {
    return OnceFile.open(join(this.#folder, row.Name), row.Size)
  }

  /**
   * Opens a made file that is given out once and forgotten: its name is free again. The receiver
   * closes it.
   */
  async openOnce(row: MadeFileRow): Promise<OnceFile> {
    try {
      return await this.open(row)
    } finally {
      await this.#remove([row.Name])
    }
  }

  /** The file of the same content that the same caller has, kept as long as a new one would be. */
  async #findSame({ Sha256, UserId, CompanyId, ShownName, CreatedAt, ExpiresAt }: MadeFileRow) {
    const now = this.#parts.clock.now().toISOString()
    const args = { Sha256, UserId, CompanyId, ShownName, CreatedAt, ExpiresAt, now }
    return this.#parts.state.write((tx) => tx.get<MadeFileRow>(KEEP_SAME, args), SCOPE)
  }

  /** A file that callers of the company may fetch now; undefined for any other name whatever. */
  async find(name: string, companyId: number): Promise<FoundFile | undefined> {
    if (!NAME.test(name)) return undefined
    const now = this.#parts.clock.now().toISOString()
    const kept = 'WHERE Name = @name AND CompanyId = @companyId AND ExpiresAt > @now'
    const row = await getRow(this.#parts.state, rows, kept, { name, companyId, now })
    return row && { ...row, path: join(this.#folder, row.Name) }
  }

  /** Sweeps at once and from time to time. */
  openSweeper(): Loop {
    return new Loop({
      name: 'exports that expire',
      everyMs: SWEEP_MS,
      log: this.#parts.log,
      steps: [() => this.sweep()],
      failure: 'expired exports could not be removed',
    })
  }

  /** Removes expired files, and files that an ended process has left. */
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
    { userId, companyId, shownName, ...planned }: MadeFor,
    { size, sha256, ...written }: WrittenFile,
  ): MadeFileRow {
    const now = this.#parts.clock.now()
    return {
      Name: name,
      CompanyId: companyId,
      UserId: userId,
      ShownName: (written.shownName ?? shownName) + (written.extension ?? planned.extension),
      ContentType: written.contentType ?? planned.contentType,
      Size: size,
      Sha256: sha256,
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + this.#parts.lifetime).toISOString(),
    }
  }

  async #sweepExpired(userId?: number): Promise<number> {
    const now = this.#parts.clock.now().toISOString()
    const args = { now, userId: userId ?? null }
    const expired = await this.#parts.state.all<FileName>(EXPIRED, args)
    const names = expired.map(({ Name }) => Name)
    if (names.length === 0) return 0
    await this.#remove(names)
    return names.length
  }

  async #remove(names: readonly string[]): Promise<void> {
    const args = { names: JSON.stringify(names) }
    await this.#parts.state.write((tx) => tx.run(REMOVE, args), SCOPE)
    for (const name of names) await rm(join(this.#folder, name), { force: true })
  }

  /** Removes files without a row; those with a name not of the engine are foreign, and stay. */
  async #removeUnnamed(found: readonly string[]): Promise<void> {
    const names = found.filter((name) => NAME.test(name) && !this.#making.has(name))
    if (names.length === 0) return
    const args = { names: JSON.stringify(names) }
    const known = await this.#parts.state.all<FileName>(KNOWN, args)
    const listed = new Set(known.map(({ Name }) => Name))
    for (const name of names) {
      if (!listed.has(name) && !this.#making.has(name)) await rm(join(this.#folder, name))
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
