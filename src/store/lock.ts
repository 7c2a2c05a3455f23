/** One serving process a data folder. */
import { join } from 'node:path'
import { makeFolder } from '../kernel/durable.ts'
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
 * Of several that begin at the same moment each may keep all others out: SQLite comes to its lock
 * by steps. So each tries again after a pause of its own, until one is through; who finds the
 * folder locked by then finds it so every time.
 */
const TRIES = 12
const PAUSE_MS_MAX = 50

/**
 * Locks the folder, making it when it is not there. Throws FolderInUse when another process holds
 * it, and an Error with a sentence for the operator when it cannot be locked.
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  makeFolder(folder)
  for (let attempt = 1; ; attempt++) {
    try {
      const database = lock(join(folder, 'lock.db'))
      return { release: () => release(database) }
    } catch (error) {
      const failure = refusal(folder, error)
      if (attempt === TRIES || !(failure instanceof FolderInUse)) throw failure
    }
    await Bun.sleep(Math.random() * PAUSE_MS_MAX)
  }
}

/** The open transaction is the lock. Nothing is held where it fails. */
function lock(file: string): NativeDatabase {
  const database = openNative(file, 'rwc')
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw error
  }
  held.add(database)
  return database
}

function release(database: NativeDatabase): void {
  if (held.delete(database)) database.close()
}

function refusal(folder: string, error: unknown): Error {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED')
    return new FolderInUse(`Another process serves ${folder} already`, { cause: error })
  const file = join(folder, 'lock.db')
  return new Error(`${file} could not be locked (${code || String(error)})`, { cause: error })
}
