/**
 * Brings a data folder that an older version wrote up to date: first a backup, then a trial on what
 * comes out of it, then the folder itself.
 */
import { existsSync, statSync } from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Settings } from '../../kernel/settings.ts'
import type { DatabaseKind } from '../../store/engine-tables.ts'
import { checkDatabase } from '../../store/file/check-database.ts'
import { copyDatabase } from '../../store/file/copy-database.ts'
import { ENGINE_VERSION } from '../../store/file/engine-version.ts'
import { describeStorageFault } from '../../store/file/explain-fault.ts'
import { openStore } from '../../store/file/open.ts'
import { type DueUpgrade, findUpgrade, migrateFolder } from '../../store/file/upgrade.ts'
import { readStoreLimits } from '../../store/floor.ts'
import { openModel } from '../../model/load.ts'
import {
  listBackups,
  removeBackup,
  removeLeftDescriptions,
  saveDescription,
} from '../backups/backup-folder.ts'
import type { BackupFacts } from '../backups/backup-helper.ts'
import { makeBackup } from '../backups/make-backup.ts'
import { isBeforeUpgrade, planUpgradeName } from '../backups/names.ts'
import { BACKUP, readBackupPassphrase } from '../backups/settings.ts'
import { unpack } from '../backups/unpack.ts'
import { openWorkFolder } from '../backups/work-folder.ts'
import { DISK_RESERVE_BYTES } from '../files/disk-reserve.ts'

interface UpgradeOptions {
  /** The data folder, locked by the caller; nobody has its databases open. */
  folder: string
  settings: Settings
  now: () => Date
  tell: UpgradeTeller
}

/** Where sentences for the operator go. */
export interface UpgradeTeller {
  info(sentence: string): void
  warn(sentence: string): void
}

/** An upgrade under way. */
interface Upgrade extends UpgradeOptions {
  due: DueUpgrade
  at: Date
  passphrase: string | undefined
}

/** An upgrade that was not made: its message is a sentence for the operator. */
class FailedUpgrade extends Error {
  override readonly name = 'FailedUpgrade'
}

/**
 * Upgrades the folder where that is due. The backup stands in `engine.db` with the upgrade, for
 * `rollbackFolder`.
 * @throws FailedUpgrade where anything fails; the folder is as it was then
 */
export async function upgradeFolder(options: UpgradeOptions): Promise<void> {
  const { folder, settings, tell } = options
  removeLeftDescriptions(resolve(folder, settings.get(BACKUP.folder)))
  const due = await findUpgrade(folder)
  if (due === undefined) return
  const at = options.now()
  const upgrade = { ...options, due, at, passphrase: readBackupPassphrase(settings) }
  tell.info(`${folder} was written by ${nameFrom(due)}: it is brought up to ${nameTo(due)}`)
  const isBackedUp = settings.get(BACKUP.beforeUpgrade)
  if (!isBackedUp)
    tell.warn('Svc:Backup:BeforeUpgrade is false: no backup is made, and nothing leads back')
  const backup = isBackedUp ? await backUp(upgrade) : undefined
  try {
    await tryOut(upgrade, backup?.file)
    await migrate(upgrade, backup?.file)
  } catch (error) {
    // A fault behind the commit does not say that nothing was changed.
    if ((await findUpgrade(folder)) === undefined) throw error
    if (backup !== undefined) await removeBackup(dirname(backup.file), basename(backup.file))
    throw failed(upgrade, error)
  }
  // A backup without its description is of an upgrade that was cut off: the next one removes it.
  if (backup !== undefined) saveDescription(backup.file, { ...backup.facts, Rehearsal: null })
  const way = backup ? `; "appengine rollback" takes it back, by ${backup.file}` : ''
  tell.info(`${folder} is of ${nameTo(due)} now${way}`)
}

const nameVersion = (version: string | undefined, schema: number): string =>
  version === undefined ? `schema ${schema}` : `version ${version} (schema ${schema})`

const nameFrom = ({ version, from }: DueUpgrade): string => nameVersion(version, from.engine)

const nameTo = ({ to }: DueUpgrade): string => nameVersion(ENGINE_VERSION, to.engine)

function failed({ folder, due }: Upgrade, cause: unknown, more = ''): FailedUpgrade {
  const told = cause instanceof Error ? cause.message : String(cause)
  const reason = (describeStorageFault(cause) ?? told).replace(/\.$/, '')
  const reads = due.version === undefined ? 'The version that wrote it' : `Version ${due.version}`
  return new FailedUpgrade(
    `${folder} was not upgraded to version ${ENGINE_VERSION}: ${reason}.${more} The folder is as ` +
      `it was: ${reads} still serves it.`,
    { cause },
  )
}

const WITHOUT =
  ' Make room, name a folder on another disk (--Svc:Backup:Folder=DIR), or make a backup ' +
  'elsewhere and go on without this one by --Svc:Backup:BeforeUpgrade=false.'

/** Makes the backup, in place of those of upgrades that were cut off. */
async function backUp(upgrade: Upgrade): Promise<{ file: string; facts: BackupFacts }> {
  const { folder, settings, passphrase, tell } = upgrade
  const place = resolve(folder, settings.get(BACKUP.folder))
  try {
    await requireRoom(folder, place)
    const file = planFile(place, upgrade)
    const { manifest, size } = await makeBackup({
      folder,
      target: file,
      passphrase,
      // The folder goes back whole, its settings too.
      secrets: [],
      engine: ENGINE_VERSION,
      limits: readStoreLimits(settings),
      now: upgrade.now,
    })
    const { CreatedAt, Engine, Missing, Entries: Files, Bytes: ContentBytes } = manifest
    const facts = { CreatedAt, Engine, Missing, Files, ContentBytes, LogGrowth: 0 }
    await removeUnused(place, [file, upgrade.due.wayHome])
    tell.info(`The backup before the upgrade is ${file} (${size} bytes)`)
    return { file, facts }
  } catch (error) {
    throw failed(upgrade, error, WITHOUT)
  }
}

async function removeUnused(place: string, used: readonly (string | undefined)[]): Promise<void> {
  for (const { name, description } of await listBackups(place))
    if (isBeforeUpgrade(name) && !description && !used.includes(join(place, name)))
      await removeBackup(place, name)
}

/** A name that no file has: an upgrade may have been cut off within this second. */
function planFile(place: string, { due, at, passphrase }: Upgrade): string {
  const { version, from, to } = due
  const ends = { from: version ?? `schema-${from.engine}`, to: ENGINE_VERSION }
  // Two builds of one version may have different schemas.
  if (ends.from === ends.to) ends.to = `schema-${to.engine}`
  for (let second = 0; ; second++) {
    const time = new Date(at.getTime() + second * 1000)
    const file = join(place, planUpgradeName(ends, time, passphrase !== undefined))
    if (!existsSync(file)) return file
  }
}

const KINDS: readonly DatabaseKind[] = ['engine', 'state']
const CONTENT = ['audit', 'extensions', 'files', 'imports']

/** Room for copies of the databases, and an archive of them and of all files. */
async function requireRoom(folder: string, place: string): Promise<void> {
  const databases = databaseBytes(folder)
  const sizes = await Promise.all(CONTENT.map((name) => folderBytes(join(folder, name))))
  const files = sizes.reduce((sum, size) => sum + size, 0)
  const needed = Math.ceil(databases * 1.5) + files + DISK_RESERVE_BYTES
  const free = await freeBytes(place)
  if (free < needed)
    throw new FailedUpgrade(
      `${place} has ${free} bytes free, and the backup before the upgrade needs up to ${needed}`,
    )
}

const databaseBytes = (folder: string): number =>
  KINDS.flatMap((kind) => ['', '-wal'].map((end) => `${kind}.db${end}`))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)

async function folderBytes(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (each.isFile()) bytes += (await stat(join(each.parentPath, each.name))).size
  return bytes
}

/** Of the disk of a folder that may not be there yet. */
async function freeBytes(folder: string): Promise<number> {
  let place = folder
  while (!existsSync(place)) place = dirname(place)
  const { bavail, bsize } = await statfs(place)
  return bavail * bsize
}

/** Migrates and opens a copy, which the backup gives: so that is proven, too. */
async function tryOut(upgrade: Upgrade, backup: string | undefined): Promise<void> {
  const { folder, settings, passphrase, tell } = upgrade
  const bytes = databaseBytes(folder)
  const needed = 2 * bytes + DISK_RESERVE_BYTES
  const free = await freeBytes(folder)
  const hasRoom = free >= needed
  await using work = await openWorkFolder(join(folder, '.upgrade'))
  const into = work.path
  const isWanted = (name: string): boolean => hasRoom && /^\w+\.db$/.test(name)
  const neededBytes = hasRoom ? bytes : 0
  if (backup !== undefined) await unpack({ file: backup, passphrase, into, isWanted, neededBytes })
  if (!hasRoom)
    return tell.warn(
      `The upgrade is not tried on a copy first: ${folder} has ${free} bytes free, and that ` +
        `needs ${needed}`,
    )
  if (backup === undefined) await copyDatabases(folder, into)
  await migrateFolder(into)
  await requireServable(into, settings)
  tell.info('The upgrade was tried on a copy, which is whole')
}

async function copyDatabases(folder: string, into: string): Promise<void> {
  for (const kind of KINDS) {
    const file = join(folder, `${kind}.db`)
    if (existsSync(file)) await copyDatabase(file, kind, join(into, `${kind}.db`))
  }
}

/** Requires pages, references and tables that are whole, and a model that this version reads. */
async function requireServable(folder: string, settings: Settings): Promise<void> {
  const faults: string[] = []
  for (const kind of KINDS) faults.push(...(await checkDatabase(join(folder, `${kind}.db`), kind)))
  if (faults.length > 0) throw new Error(faults.join('; '))
  const store = await openStore({
    file: join(folder, 'engine.db'),
    migrations: 'engine',
    lanes: 1,
    limits: readStoreLimits(settings),
  })
  try {
    await openModel(store)
  } finally {
    await store.close()
  }
}

/** The folder itself. */
function migrate({ folder, due, at }: Upgrade, backup: string | undefined): Promise<void> {
  return migrateFolder(folder, {
    At: at.toISOString(),
    From: { Version: due.version ?? null, Schema: due.from },
    To: { Version: ENGINE_VERSION, Schema: due.to },
    Backup: backup ?? null,
  })
}
