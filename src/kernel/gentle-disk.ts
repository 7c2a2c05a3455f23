/**
 * Large writes beside a server. What is written and not synced goes to the disk in one run, and a
 * commit of the server waits behind it, longer the larger it is. So it goes piece by piece, and the
 * disk is left to others between two of them.
 */
import { type FileHandle, open } from 'node:fs/promises'

/** Bytes that are synced at a time: with more, commits beside them wait longer. */
const PIECE_BYTES = 4 * 1024 * 1024
/** Longest that the disk is left to others after a piece: a slow one would take hours. */
const PAUSE_MS_MAX = 100
/** Between two syncs of a file that others write. */
const FOLLOW_MS = 5

/** A file that is written from its beginning on. */
export class GentleFile {
  readonly #handle: FileHandle
  #unsynced = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Makes the file, for its owner alone. @throws the system's error; EEXIST where it is there */
  static async make(path: string): Promise<GentleFile> {
    return new GentleFile(await open(path, 'wx', 0o600))
  }

  /** Adds bytes; they are on the disk some time later. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#handle.writeFile(bytes)
    this.#unsynced += bytes.length
    if (this.#unsynced < PIECE_BYTES) return
    this.#unsynced = 0
    const begun = performance.now()
    await this.#handle.datasync()
    await Bun.sleep(Math.min(performance.now() - begun, PAUSE_MS_MAX))
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
 * Syncs a file again and again while other code of this process writes it, until `writing` has
 * ended; resolves to its result. The file may not be there yet.
 */
export async function syncAlong<T>(path: string, writing: Promise<T>): Promise<T> {
  const state = { isOver: false }
  const over = (): void => void (state.isOver = true)
  writing.then(over, over)
  const [written, synced] = await Promise.allSettled([writing, follow(path, state)])
  if (written.status === 'rejected') throw written.reason
  if (synced.status === 'rejected') throw synced.reason
  return written.value
}

async function follow(path: string, state: { readonly isOver: boolean }): Promise<void> {
  let handle: FileHandle | undefined
  try {
    while (!state.isOver) {
      handle ??= await openThere(path)
      await handle?.datasync()
      await Bun.sleep(FOLLOW_MS)
    }
  } finally {
    await handle?.close()
  }
}

async function openThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined
    throw error
  }
}
