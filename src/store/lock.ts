/** One serving process a data folder. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './faults.ts'
import { openNative } from './native.ts'
import type { NativeDatabase } from './native.ts'

/**
 * Held for the life of the process; the system lets go of it when the process ends, however it
 * ends.
 */
export interface DataFolderLock {
  release(): void
}

/** Another process holds the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/** Kept referenced: a collected database is closed, and its lock with it. */
const held = new Set<NativeDatabase>()

/**
 * Locks the folder, making it when it is not there. Throws FolderInUse when another process holds
 * it, and an Error with a sentence for the operator when it cannot be locked.
 */
export function lockDataFolder(folder: string): Promise<DataFolderLock> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'lock.db')
  try {
    const database = openNative(file)
    held.add(database)
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    return Promise.resolve({ release: () => release(database) })
  } catch (error) {
    return Promise.reject(refusal(folder, file, error))
  }
}

function release(database: NativeDatabase): void {
  if (held.delete(database)) database.close()
}

function refusal(folder: string, file: string, error: unknown): Error {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED')
    return new FolderInUse(`Another process serves ${folder} already`, { cause: error })
  return new Error(`${file} could not be locked (${code || String(error)})`, { cause: error })
}
