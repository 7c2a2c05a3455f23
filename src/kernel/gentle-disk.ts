/**
 * Large writes and removals beside a server. What is written and not synced goes to the disk in one
 * run, and so does the room of a file that is removed; a commit of the server waits behind it,
 * longer the larger it is. So it goes piece by piece, and the disk is left to others between two of
 * them.
 */
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that are synced at a time: with more, commits beside them wait longer. */
const PIECE_BYTES = 4 * 1024 * 1024
/** The cost of a write elsewhere than behind the last one, as bytes in a row. */
const SCATTERED_BYTES = 64 * 1024
/** Bytes of a file that are given back to the disk at a time. */
const FREED_BYTES = 32 * 1024 * 1024
/** Longest that the disk is left to others after a piece: a slow one would take hours. */
const PAUSE_MS_MAX = 100

/** A file that is written beside others. */
export class GentleFile {
  readonly #handle: FileHandle
  readonly #isHurried: () => boolean
  /** Place behind the last bytes that were written. */
  #end = 0
  #unsynced = 0

  private constructor(handle: FileHandle, isHurried: () => boolean) {
    this.#handle = handle
    this.#isHurried = isHurried
  }

  /**
   * Makes the file, for its owner alone. While it `isHurried` there are no pauses.
   * @throws the system's error; EEXIST where it is there
   */
  static async make(path: string, isHurried = (): boolean => false): Promise<GentleFile> {
    return new GentleFile(await open(path, 'wx', 0o600), isHurried)
  }

  /** Writes bytes at a place, or behind the last ones; they are on the disk some time later. */
  async write(bytes: Uint8Array, at = this.#end): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const left = bytes.length - done
      done += (await this.#handle.write(bytes, done, left, at + done)).bytesWritten
    }
    const isInRow = at === this.#end
    this.#end = at + bytes.length
    this.#unsynced += isInRow ? bytes.length : Math.max(bytes.length, SCATTERED_BYTES)
    if (this.#unsynced < PIECE_BYTES) return
    this.#unsynced = 0
    const took = await timeOf(() => this.#handle.datasync())
    if (!this.#isHurried()) await Bun.sleep(Math.min(took, PAUSE_MS_MAX))
  }

  /** Makes the file as long as this. */
  truncate(bytes: number): Promise<void> {
    return this.#handle.truncate(bytes)
  }

  /** Resolves when all of it is on the disk. */
  sync(): Promise<void> {
    return this.#handle.sync()
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/**
 * Removes a file or a folder with all that is in it; nothing where there is none. Large files give
 * their room back piece by piece: all at once, commits beside it wait for a quarter of a second.
 * @throws the system's error
 */
export async function removeGently(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined
    throw error
  })
  if (found?.isDirectory() === true)
    for (const name of await readdir(path)) await removeGently(join(path, name))
  // A file with another name keeps its room.
  else if (found?.isFile() === true && found.nlink === 1 && found.size > FREED_BYTES)
    await freeInPieces(path, found.size)
  await rm(path, { force: true, recursive: true })
}

async function freeInPieces(path: string, size: number): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    for (let left = size - FREED_BYTES; left > 0; left -= FREED_BYTES) {
      const took = await timeOf(async () => {
        await handle.truncate(left)
        await handle.sync()
      })
      await Bun.sleep(Math.min(took, PAUSE_MS_MAX))
    }
  } finally {
    await handle.close()
  }
}

/** Milliseconds that it takes. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
