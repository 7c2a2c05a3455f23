/** The folder of backups: each file has a description beside it. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { saveFile } from '../../kernel/durable.ts'
import type { BackupFacts } from './backup-helper.ts'
import type { KeptBackup } from './keep.ts'
import { readTime } from './names.ts'

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

/** Writes the facts beside a backup. */
export const saveDescription = (file: string, description: BackupDescription): void =>
  saveFile(besides(file), `${JSON.stringify(description, undefined, 1)}\n`)

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
})

/** Removes a backup: its description goes first, so that none is left without its file. */
export function removeBackup(folder: string, name: string): void {
  const file = join(folder, name)
  rmSync(besides(file), { force: true })
  rmSync(file, { force: true })
}
