/** The folder of backups: each file has a description beside it. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { saveFile } from '../../kernel/durable.ts'
import { removeGently } from '../../kernel/gentle-disk.ts'
import { HOUR } from '../../kernel/setting.ts'
import type { BackupFacts } from './backup-helper.ts'
import type { KeptBackup } from './keep.ts'
import { isBeforeUpgrade, readTime } from './names.ts'

/** The result of a rehearsal. */
interface RehearsalResult {
  /** The instant of its end, as an ISO text. */
  At: string
  Ok: boolean
  Seconds: number
  /** The fault; null without one. */
  Error: string | null
}

/** The facts beside a backup's file; a loss of them loses no backup. */
interface BackupDescription extends BackupFacts {
  Rehearsal: RehearsalResult | null
}

/** A backup that lies in the folder. */
export interface ListedBackup {
  name: string
  at: Date
  /** Bytes of the file. */
  size: number
  isEncrypted: boolean
  /** Undefined where the file beside it is missing or no description. */
  description: BackupDescription | undefined
}

const besides = (file: string): string => `${file}.json`

/** The end of the name of a description until it is whole: see `saveFile`. */
const DESCRIPTION_PART = '.json.part'

/** Writes the facts beside a backup. */
export const saveDescription = (file: string, description: BackupDescription): void =>
  saveFile(besides(file), `${JSON.stringify(description, undefined, 1)}\n`)

/** Removes descriptions that a process of before did not finish; none may be written meanwhile. */
export function removeLeftDescriptions(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const file = name.endsWith(DESCRIPTION_PART) ? name.slice(0, -DESCRIPTION_PART.length) : ''
    if (readTime(file)) rmSync(join(folder, name), { force: true })
  }
}

/** Lists the backups by their names, the newest first; none where there is no folder. */
export async function listBackups(folder: string): Promise<ListedBackup[]> {
  if (!existsSync(folder)) return []
  const found = await Promise.all(readdirSync(folder).map((name) => findBackup(folder, name)))
  return found.flatMap((backup) => backup ?? []).toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/** Finds a backup by its name; undefined for any name that is not of ours, or has no file. */
export async function findBackup(folder: string, name: string): Promise<ListedBackup | undefined> {
  const at = readTime(name)
  if (!at) return undefined
  const file = join(folder, name)
  const facts = statSync(file, { throwIfNoEntry: false })
  if (!facts?.isFile()) return undefined
  const description = await readDescription(file)
  return { name, at, size: facts.size, isEncrypted: name.endsWith('.age'), description }
}

async function readDescription(file: string): Promise<BackupDescription | undefined> {
  try {
    const json: unknown = JSON.parse(await readFile(besides(file), 'utf8'))
    const isOne = typeof json === 'object' && json !== null && 'Rehearsal' in json
    return isOne ? (json as BackupDescription) : undefined
  } catch {
    // A description that is missing or cut off tells nothing; the backup itself is whole.
    return undefined
  }
}

/** A listed backup as the rule of keeping looks at it. */
export const toKept = ({ name, at, description }: ListedBackup): KeptBackup => ({
  name,
  at,
  isGood: description?.Rehearsal?.Ok === true,
  isBeforeUpgrade: isBeforeUpgrade(name),
})

/** The end of a backup's name while it is being removed; the list has none of these. */
const REMOVING = '.removing'

/** Leftovers of that age are of a process that ended: a removal takes no time. */
const LEFT_MS = HOUR

/**
 * Removes a backup. It is out of the list before `note` writes that down, and in it again where
 * that fails: what is noted is so. Its description goes first: none is left without its file.
 * @throws the system's error for a file that cannot be removed; nothing is noted then
 */
export async function removeBackup(
  folder: string,
  name: string,
  note: () => Promise<void> = async () => {},
): Promise<void> {
  const file = join(folder, name)
  const aside = `${file}${REMOVING}`
  renameSync(file, aside)
  try {
    await note()
  } catch (error) {
    renameSync(aside, file)
    throw error
  }
  rmSync(besides(file), { force: true })
  await removeGently(aside)
}

/** Removes what processes that ended meanwhile left of backups that they were removing. */
export async function removeLeftBackups(folder: string, now: Date): Promise<void> {
  if (!existsSync(folder)) return
  for (const left of readdirSync(folder)) {
    const name = left.endsWith(REMOVING) ? left.slice(0, -REMOVING.length) : ''
    if (!readTime(name)) continue
    const path = join(folder, left)
    const changed = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Infinity
    if (changed > now.getTime() - LEFT_MS) continue
    rmSync(besides(join(folder, name)), { force: true })
    await removeGently(path)
  }
}
