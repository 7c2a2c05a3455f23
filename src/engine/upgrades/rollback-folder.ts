/** Undoes the last upgrade of a data folder, by the backup that was made before it. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Settings } from '../../kernel/settings.ts'
import { type DatabaseKind, NewerFolder } from '../../store/engine-tables.ts'
import { findStoreWriter } from '../../store/file/engine-version.ts'
import { findLastUpgrade, type LastUpgrade } from '../../store/file/last-upgrade.ts'
import { openReadOnly, openStore } from '../../store/file/open.ts'
import { readStoreLimits } from '../../store/floor.ts'
import { type Reader, type Store, systemScope } from '../../store/store.ts'
import { UNFINISHED } from '../../store/tables/jobs.ts'
import { endAllSessions } from '../../access/sessions/end-all.ts'
import { listBackups } from '../backups/backup-folder.ts'
import type { TellProgress } from '../backups/make-backup.ts'
import { type BackupManifest, UnusableBackup } from '../backups/manifest.ts'
import { isBeforeUpgrade } from '../backups/names.ts'
import { findRestoreFaults } from '../backups/prove.ts'
import { BACKUP } from '../backups/settings.ts'
import { unpack } from '../backups/unpack.ts'
import { openWorkFolder } from '../backups/work-folder.ts'
import { forgetFed } from '../global-search/text-index/feed.ts'
import { HOLD_SCHEMA, saveHold } from '../jobs/hold.ts'
import { findSwap, finishSwap, prepareSwap, requireMovable, swap } from './swap-folder.ts'

/** The way back from the last upgrade of a folder. */
export interface WayBack {
  /** The file of the backup. */
  file: string
  /** Undefined where the database cannot be read: the backup was found by its name. */
  upgrade: LastUpgrade | undefined
}

/** A folder that went back. */
export interface RolledBack {
  /** The instant of the state that it has, as an ISO text. */
  At: string
  /** The version that reads it; null where the folder does not tell. */
  Version: string | null
  Schema: number
  /** True if what would leave the house is held; otherwise that version does not know how. */
  Held: boolean
  /** Mails and jobs that wait. */
  Waiting: number
}

interface RollbackOptions {
  /** The data folder, locked by the caller; nobody has its databases open. */
  folder: string
  settings: Settings
  passphrase: string | undefined
  now: () => Date
  tell?: TellProgress
  warn: (sentence: string) => void
}

/**
 * Finds the backup that was made before the last upgrade.
 * @throws UnusableBackup where there is no way back
 */
export async function findWayBack(folder: string, settings: Settings): Promise<WayBack> {
  const place = resolve(folder, settings.get(BACKUP.folder))
  const upgrade = await readUpgrade(folder, settings)
  if (upgrade === 'unreadable') return { file: await findNewest(folder, place), upgrade: undefined }
  if (upgrade === undefined)
    throw new UnusableBackup(
      `${folder} knows of no upgrade, so there is nothing to undo. To go back to a backup, ` +
        'restore it into another folder.',
    )
  const { At, To, Backup } = upgrade
  if (Backup === null)
    throw new UnusableBackup(
      `The upgrade of ${At} to version ${To.Version} was made without a backup ` +
        '(Svc:Backup:BeforeUpgrade), so it cannot be undone. Restore an earlier backup into ' +
        'another folder.',
    )
  const file = [Backup, join(place, basename(Backup))].find((path) => existsSync(path))
  if (file !== undefined) return { file, upgrade }
  throw new UnusableBackup(
    `${Backup}, the backup before the upgrade of ${At}, is gone. Put it back, or restore another ` +
      'backup into another folder.',
  )
}

/** A damaged or missing database does not tell. One of a newer version is refused. */
async function readUpgrade(
  folder: string,
  settings: Settings,
): Promise<LastUpgrade | 'unreadable' | undefined> {
  try {
    const reader = await openReadOnly(join(folder, 'engine.db'), readStoreLimits(settings))
    try {
      return await findLastUpgrade(reader)
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof NewerFolder) throw error
    return 'unreadable'
  }
}

async function findNewest(folder: string, place: string): Promise<string> {
  const newest = (await listBackups(place)).find(({ name }) => isBeforeUpgrade(name))
  if (newest) return join(place, newest.name)
  throw new UnusableBackup(
    `${join(folder, 'engine.db')} cannot be read, and ${place} has no backup that was made ` +
      'before an upgrade.',
  )
}

/**
 * Puts the folder back, whole: it is the one or the other, whenever this is cut off. Everybody has
 * to sign in again, and what would leave the house is held where the older version can.
 * @throws UnusableBackup with a sentence for the operator; nothing was changed then
 */
export async function rollbackFolder(
  { file, upgrade }: WayBack,
  options: RollbackOptions,
): Promise<RolledBack> {
  const { folder, passphrase, tell } = options
  requireMovable(folder)
  await using work = await openWorkFolder(join(folder, '.rollback'))
  const { comes } = prepareSwap(work.path)
  const manifest = await unpack({ file, passphrase, into: comes, tell })
  const faults = await findRestoreFaults(comes, manifest)
  if (faults.length > 0) throw new UnusableBackup([`${file} is not whole:`, ...faults].join('\n'))
  const ready = await makeReady(comes, manifest, options)
  requireSameFolder(folder, comes, file)
  const back = { ...ready, Version: upgrade?.From.Version ?? ready.Version }
  // The package lets go of a file with its last statement.
  Bun.gc(true)
  await swap(folder, work.path, back)
  return back
}

/** Ends a rollback that was cut off after its files began to move; undefined where none was. */
export async function finishRollback(folder: string): Promise<RolledBack | undefined> {
  // This build wrote it, or another one of the same form.
  const back = findSwap(folder) as RolledBack | undefined
  await finishSwap(folder)
  return back
}

/** A backup of another folder may bear the name. */
function requireSameFolder(folder: string, comes: string, file: string): void {
  const names = [folder, comes].map((each) => join(each, 'engine.db.id'))
  const ids = names.flatMap((path) => (existsSync(path) ? [readFileSync(path, 'utf8').trim()] : []))
  if (new Set(ids.filter((id) => id !== '')).size > 1)
    throw new UnusableBackup(`${file} is a backup of another data folder. Nothing was changed.`)
}

const SCOPE = systemScope('a folder that goes back belongs to every company')

/** Ends what has to end, and begins the hold, in tables that stay those of the older version. */
async function makeReady(
  comes: string,
  { CreatedAt, Databases }: BackupManifest,
  { settings, now, warn }: RollbackOptions,
): Promise<RolledBack> {
  const limits = readStoreLimits(settings)
  const open = (kind: DatabaseKind): Promise<Store> =>
    openStore({
      file: join(comes, `${kind}.db`),
      migrations: kind,
      lanes: 1,
      limits,
      warn,
      keepsSchema: true,
    })
  const { Schema } = Databases.engine
  const Held = Schema >= HOLD_SCHEMA
  await using store = disposable(await open('engine'))
  await store.write(async (tx) => {
    if (Held) await saveHold(tx, { RestoredAt: now().toISOString(), BackupOf: CreatedAt })
    if (await hasTable(tx, 'svc_search_feed')) await forgetFed(tx)
  }, SCOPE)
  await endSessions(comes, open)
  const Version = (await findStoreWriter(store)) ?? null
  return { At: CreatedAt, Version, Schema, Held, Waiting: await countWaiting(store) }
}

/** An early version had fewer tables: without the file, a start makes it. */
async function endSessions(comes: string, open: (kind: 'state') => Promise<Store>): Promise<void> {
  const file = join(comes, 'state.db')
  if (!existsSync(file)) return
  let isEnded = false
  {
    await using state = disposable(await open('state'))
    isEnded = await hasTable(state, 'svc_mfa_challenges')
    if (isEnded) await state.write(endAllSessions, SCOPE)
  }
  if (!isEnded) for (const end of ['-shm', '-wal', '']) rmSync(file + end, { force: true })
}

const disposable = (store: Store): Store & AsyncDisposable =>
  Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })

async function hasTable(reader: Reader, name: string): Promise<boolean> {
  const sql = "SELECT 1 AS Found FROM sqlite_schema WHERE type = 'table' AND name = @name"
  return (await reader.get({ sql, args: { name }, runs: 'inline' })) !== undefined
}

async function countWaiting(reader: Reader): Promise<number> {
  const counts = [
    `SELECT count(*) AS Count FROM svc_outbox WHERE State = 'pending'`,
    ...((await hasTable(reader, 'svc_jobs'))
      ? [`SELECT count(*) AS Count FROM svc_jobs WHERE ${UNFINISHED}`]
      : []),
  ]
  let waiting = 0
  for (const sql of counts) {
    const row = await reader.get<{ Count: number }>({ sql, args: {}, runs: 'lane' })
    waiting += row?.Count ?? 0
  }
  return waiting
}
