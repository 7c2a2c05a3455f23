/** Puts a backup back: into an empty folder, which is whole afterwards or as empty as it was. */
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import type { DatabaseKind } from '../../store/engine-tables.ts'
import { openStore } from '../../store/file/open.ts'
import type { StoreLimits } from '../../store/limits.ts'
import { type Store, systemScope } from '../../store/store.ts'
import { openModel } from '../../model/load.ts'
import { endAllSessions } from '../../access/sessions/end-all.ts'
import type { TellProgress } from './make-backup.ts'
import { type BackupManifest, UnusableBackup } from './manifest.ts'
import { findRestoreFaults } from './prove.ts'
import { type BackupFile, unpack } from './unpack.ts'
import { openWorkFolder } from './work-folder.ts'
import { forgetFed } from '../global-search/text-index/feed.ts'
import { saveHold } from '../jobs/hold.ts'

interface RestoreOptions extends BackupFile {
  /** The data folder to be; it may exist where it is empty. */
  target: string
  now: () => Date
  limits: StoreLimits
  /** Called with a sentence for the operator about each repair. */
  warn: (sentence: string) => void
  tell?: TellProgress | undefined
  /** Called as each step begins. */
  tellStep?: (step: RestoreStep) => void
}

type RebuildOptions = Omit<RestoreOptions, 'target'>

export type RestoreStep = 'unpack' | 'check' | 'place'

/**
 * Restores a folder. Everybody has to sign in again, what would leave the house is held, and an
 * outside search index is built anew.
 * @throws UnusableBackup with a sentence for the operator; nothing was changed then
 */
export async function restoreFolder(options: RestoreOptions): Promise<BackupManifest> {
  const target = resolve(options.target)
  requireEmpty(target)
  const isInside = !canReplace(target)
  const prefix = isInside ? join(target, INSIDE) : `${target}${BESIDE}`
  makeFolder(isInside ? target : dirname(target))
  await using work = await openWorkFolder(prefix)
  const manifest = await rebuildFolder(work.path, options)
  options.tellStep?.('place')
  requireEmpty(target)
  if (isInside) await moveInto(work.path, target)
  else await replace(work.path, target)
  return manifest
}

/** Unpacks a backup into a folder, proves it and makes it ready to serve. */
export async function rebuildFolder(
  folder: string,
  options: RebuildOptions,
): Promise<BackupManifest> {
  options.tellStep?.('unpack')
  const manifest = await unpack({ ...options, into: folder })
  options.tellStep?.('check')
  const faults = await findRestoreFaults(folder, manifest)
  if (faults.length > 0)
    throw new UnusableBackup([`${options.file} is not whole:`, ...faults].join('\n'))
  await makeReady(folder, manifest, options)
  return manifest
}

const BESIDE = '.restoring'
const INSIDE = '.restoring'

/** Names that a folder may have and still be empty: work that was left, and what disks have. */
const isNothing = (name: string): boolean => name.startsWith(`${INSIDE}.`) || name === 'lost+found'

function requireEmpty(target: string): void {
  if (!existsSync(target)) return
  if (!statSync(target).isDirectory())
    throw new UnusableBackup(`${target} is a file: name a folder that is empty or not there.`)
  if (readdirSync(target).every(isNothing)) return
  throw new UnusableBackup(
    `${target} is not empty, and a restore changes no data: name a folder that is empty or ` +
      'not there. To put the backup in place of a folder, stop its server and rename that folder ' +
      'first.',
  )
}

/**
 * Checks that another folder can take the place of this one: not where a disk is mounted, as in a
 * container, nor where this user may not write the folder above.
 */
function canReplace(target: string): boolean {
  if (!existsSync(target)) return true
  const above = dirname(target)
  if (readdirSync(target).length > 0 || statSync(above).dev !== statSync(target).dev) return false
  try {
    accessSync(above, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const SCOPE = systemScope('a restored folder belongs to every company')

/** Brings both databases up to date, ends what has to end, and begins the hold. */
async function makeReady(
  folder: string,
  { CreatedAt }: BackupManifest,
  { limits, warn, now }: RebuildOptions,
): Promise<void> {
  const open = (kind: DatabaseKind): Promise<Store> =>
    openStore({ file: join(folder, `${kind}.db`), migrations: kind, lanes: 1, limits, warn })
  const [store, state] = [await open('engine'), await open('state')]
  try {
    const reason = { RestoredAt: now().toISOString(), BackupOf: CreatedAt }
    await store.write(async (tx) => {
      await saveHold(tx, reason)
      await forgetFed(tx)
    }, SCOPE)
    await state.write(endAllSessions, SCOPE)
    // A model that this version cannot read would show itself at the start alone.
    await openModel(store)
  } finally {
    await state.close()
    await store.close()
  }
}

async function replace(work: string, target: string): Promise<void> {
  await syncFolder(work)
  // Linux renames over an empty folder, Windows does not.
  if (process.platform === 'win32' && existsSync(target)) rmdirSync(target)
  renameSync(work, target)
  await syncFolder(dirname(target))
}

/** The database comes last: until then a start finds its other half, and refuses. */
async function moveInto(work: string, target: string): Promise<void> {
  const names = readdirSync(work).filter((name) => name !== 'engine.db')
  for (const name of names.toSorted((a, b) => rank(a) - rank(b)))
    renameSync(join(work, name), join(target, name))
  await syncFolder(target)
  renameSync(join(work, 'engine.db'), join(target, 'engine.db'))
  rmSync(work, { recursive: true })
  await syncFolder(target)
}

/** The name of the database comes first: with it alone a start refuses. */
const rank = (name: string): number => (name === 'engine.db.id' ? 0 : 1)
