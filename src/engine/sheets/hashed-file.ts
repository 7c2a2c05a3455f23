/** A file that is written once, from its beginning to its end, and hashed meanwhile. */
import { type FileHandle, open, rm } from 'node:fs/promises'

/** Bytes that are hashed at once, so that other work gets its turn. */
const HASHED_BYTES = 1024 * 1024

/** Mode of the file: only its owner reads what was exported. */
const MODE = 0o600

/** A new file; unusable after `close` or `abort`. */
export class HashedFile {
  readonly #path: string
  readonly #file: FileHandle
  readonly #hash = new Bun.CryptoHasher('sha256')
  /** Bytes before the end were rewritten: the hash is taken from the file. */
  #isPatched = false
  #size = 0

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /** @throws when there is a file at `path` already. */
  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(path, await open(path, 'wx+', MODE))
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    await this.#writeAt(bytes, this.#size)
    this.#size += bytes.length
  }

  /** Overwrites bytes that are already written. */
  async patch(bytes: Uint8Array, position: number): Promise<void> {
    this.#isPatched = true
    await this.#writeAt(bytes, position)
  }

  /** Syncs the file to disk and closes it. */
  async close(): Promise<{ size: number; sha256: string }> {
    const sha256 = this.#isPatched ? await this.#hashWhole() : this.#hash.digest('hex')
    await this.#file.sync()
    await this.#file.close()
    return { size: this.#size, sha256 }
  }

  /** Closes the file and removes it; never throws. */
  async abort(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#path, { force: true }).catch(() => {})
  }

  async #writeAt(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, position + at)
      at += bytesWritten
    }
  }

  async #hashWhole(): Promise<string> {
    const hash = new Bun.CryptoHasher('sha256')
    const buffer = new Uint8Array(HASHED_BYTES)
    for (let at = 0; at < this.#size;) {
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) throw new Error('An exported file became shorter')
      hash.update(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
    return hash.digest('hex')
  }
}
