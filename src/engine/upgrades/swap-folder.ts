/**
 * Puts the files of a prepared folder in place of those of a data folder. It is decided by one
 * rename; what comes after it is done to its end, by the next command.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { saveFile, syncFolder } from '../../kernel/durable.ts'
import { requireNoRollback, ROLLBACK_FOLDER } from '../../store/file/identity.ts'
import { UnusableBackup } from '../backups/manifest.ts'
import { SETTINGS_NAME } from '../backups/settings-file.ts'

/** Parts of the folder of a swap: what comes, what goes, the mark of a phase, what it is about. */
const COMES = 'folder'
const GOES = 'replaced'
const MOVING_OUT = 'moving-out'
const FACTS = 'facts.json'

const ENGINE = 'engine.db'

/** Files and folders that are of one state of the data: all go, and what is prepared comes. */
const REPLACED = [
  /^(?:engine|state)\.db(?:-wal|-shm|-journal|\.open|\.before-upgrade)?$/,
  /^appsettings\.json$/,
  /^(?:audit|extensions|exports|files|imports|uploads)$/,
]

const isReplaced = (name: string): boolean => REPLACED.some((form) => form.test(name))

const listReplaced = (folder: string): string[] => readdirSync(folder).filter(isReplaced)

/** Throws where a part of the folder lies elsewhere: it could not be moved. */
export function requireMovable(folder: string): void {
  const { dev } = statSync(folder)
  const other = listReplaced(folder).find((name) => {
    const facts = lstatSync(join(folder, name))
    return facts.isSymbolicLink() || facts.dev !== dev
  })
  if (other !== undefined)
    throw new UnusableBackup(
      `${join(folder, other)} is a link, or on a disk of its own, so it cannot be put back in ` +
        'one step. Nothing was changed: restore the backup into another folder instead.',
    )
}

/** Makes the folders of a swap in `work`, an empty folder in the data folder. */
export function prepareSwap(work: string): { comes: string } {
  const comes = join(work, COMES)
  for (const name of [COMES, GOES]) mkdirSync(join(work, name), { mode: 0o700 })
  return { comes }
}

/** Decides for the swap that is prepared in `work`, and does it. `facts` are those of its end. */
export async function swap(folder: string, work: string, facts: object): Promise<void> {
  saveFile(join(work, FACTS), JSON.stringify(facts))
  saveFile(join(work, MOVING_OUT), '')
  const comes = join(work, COMES)
  for (const name of readdirSync(comes)) if (!isReplaced(name)) rmSync(join(comes, name))
  await syncFolder(comes)
  await syncFolder(work)
  renameSync(work, join(folder, ROLLBACK_FOLDER))
  await syncFolder(folder)
  await finishSwap(folder)
}

/** Throws where a swap that was decided is not done; removes what one has left that is. */
export async function requireSwapped(folder: string): Promise<void> {
  requireNoRollback(folder)
  await finishSwap(folder)
}

/** Facts of a swap that was decided; undefined where none is under way. */
export function findSwap(folder: string): unknown {
  const path = join(folder, ROLLBACK_FOLDER, FACTS)
  if (!existsSync(join(folder, ROLLBACK_FOLDER, COMES, ENGINE))) return undefined
  return JSON.parse(readFileSync(path, 'utf8'))
}

/**
 * Does what is left of a swap that was decided; nothing where none was. The database goes first and
 * comes last: without it no version starts.
 */
export async function finishSwap(folder: string): Promise<void> {
  const work = join(folder, ROLLBACK_FOLDER)
  if (!existsSync(work)) return
  const [comes, goes] = [join(work, COMES), join(work, GOES)]
  if (existsSync(join(comes, ENGINE))) {
    if (existsSync(join(work, MOVING_OUT))) {
      for (const name of databaseFirst(listReplaced(folder)))
        renameSync(join(folder, name), join(goes, name))
      await syncFolder(goes)
      await syncFolder(folder)
      rmSync(join(work, MOVING_OUT))
      await syncFolder(work)
    }
    for (const name of databaseFirst(readdirSync(comes)).toReversed()) {
      if (name === ENGINE) await syncFolder(folder)
      renameSync(join(comes, name), join(folder, name))
    }
    await syncFolder(folder)
  }
  keepSettings(folder, goes)
  rmSync(work, { recursive: true })
}

const databaseFirst = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => Number(b === ENGINE) - Number(a === ENGINE))

/** Settings are of the operator's hand: those that others replace stay, under another name. */
function keepSettings(folder: string, goes: string): void {
  const [now, before] = [join(folder, SETTINGS_NAME), join(goes, SETTINGS_NAME)]
  if (!existsSync(before)) return
  const isSame = existsSync(now) && readFileSync(now).equals(readFileSync(before))
  if (!isSame) renameSync(before, join(folder, REPLACED_SETTINGS))
}

/** Settings that were in place before a rollback with other ones. */
const REPLACED_SETTINGS = 'appsettings.json.replaced'
