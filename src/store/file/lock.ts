/** The lock of a data folder: one serving process for each. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../kernel/durable.ts'
import { type NativeDatabase, openNative } from '../connection/native.ts'
import { codeOf, isBusy } from '../faults.ts'
import { identify } from './disk-state.ts'
import { hasForeignLog } from './open.ts'

/**
 * Held for the life of the process; the system lets go of it when the process ends, however it
 * ends.
 */
interface DataFolderLock {
  /**
   * Locks the folder once more where its lock file was removed or replaced. To be asked again and
   * again; throws when another process has the new file.
   */
  keep(): void
  release(): void
}

/** Another process holds the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

const LOCK = 'lock.db'
const ENGINE = 'engine.db'

/** Kept referenced: a collected database is closed, and its lock with it. */
const held = new Set<NativeDatabase>()

/**
 * Tries to lock a folder. Of several processes that begin at the same moment each may keep all
 * others out: SQLite comes to its lock by steps. So each tries again after a pause of its own,
 * until one is through; a process that finds the folder locked by then finds it so every time.
 */
const TRIES = 12
const PAUSE_MS_MAX = 50

/**
 * Locks the folder, making it when it does not exist. Throws FolderInUse when another process holds
 * it, and an Error with a sentence for the operator when it cannot be locked.
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  makeFolder(folder)
  const mayOpen = await mayOpenToWrite(folder)
  for (let attempt = 1; ; attempt++) {
    try {
      return new HeldLock(folder, mayOpen)
    } catch (error) {
      const failure = refusal(folder, error)
      if (attempt === TRIES || !(failure instanceof FolderInUse)) throw failure
    }
    await Bun.sleep(Math.random() * PAUSE_MS_MAX)
    // The package lets go of a file with its last statement: a look at it would keep this one out.
    Bun.gc(true)
  }
}

/**
 * Checks that the database may be opened to write without the lock file: not with a log that is not
 * its own, which its opening reports, leaving both as they are.
 */
async function mayOpenToWrite(folder: string): Promise<boolean> {
  if (existsSync(join(folder, LOCK)) || !existsSync(join(folder, ENGINE))) return true
  const isForeign = await hasForeignLog(join(folder, ENGINE))
  return !isForeign
}

class HeldLock implements DataFolderLock {
  readonly #file: string
  readonly #databases: NativeDatabase[] = []
  #identity: string | undefined

  constructor(folder: string, mayOpen: boolean) {
    this.#file = join(folder, LOCK)
    const isNew = !existsSync(this.#file)
    this.#lock()
    if (isNew && mayOpen) this.#requireAlone(join(folder, ENGINE))
  }

  keep(): void {
    if (process.platform === 'win32' || identify(this.#file) === this.#identity) return
    // The old lock is held on: who still has that file open is kept out by it.
    this.#lock()
  }

  release(): void {
    for (const database of this.#databases.splice(0)) {
      held.delete(database)
      database.close()
    }
  }

  /** The open transaction is the lock. Nothing is held where it fails. */
  #lock(): void {
    const database = openNative(this.#file, 'rwc')
    try {
      database.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      database.close()
      throw error
    }
    held.add(database)
    this.#databases.push(database)
    this.#identity = identify(this.#file)
  }

  /**
   * Requires that no other process has the database open. Its lock file was missing beside data: it
   * may have been removed from under a server.
   */
  #requireAlone(file: string): void {
    if (!existsSync(file)) return
    try {
      requireUnopened(file)
    } catch (error) {
      this.release()
      rmSync(this.#file, { force: true })
      throw error
    }
  }
}

/** Throws what SQLite says, SQLITE_BUSY, where another process has a database open. */
function requireUnopened(file: string): void {
  const database = openNative(file, 'rw')
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
  } catch (error) {
    // The opening of the database reports any other fault.
    if (isBusy(error)) throw error
  } finally {
    database.close()
  }
}

function refusal(folder: string, error: unknown): Error {
  if (isBusy(error))
    return new FolderInUse(`Another process already uses ${folder}`, { cause: error })
  const file = join(folder, LOCK)
  return new Error(`${file} could not be locked (${codeOf(error) || String(error)})`, {
    cause: error,
  })
}
