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
    this.#end = at + bytes.length
    this.#unsynced += bytes.length
    if (this.#unsynced < PIECE_BYTES) return
    this.#unsynced = 0
    const begun = performance.now()
    await this.#handle.datasync()
    const pause = Math.min(performance.now() - begun, PAUSE_MS_MAX)
    if (!this.#isHurried()) await Bun.sleep(pause)
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
