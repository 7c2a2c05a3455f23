/**
 * Writes an archive: a tar, compressed by zstd, encrypted in the format of age where there is a
 * passphrase. `tar --zstd -xf` and `age -d` open it. The file has its name once it is whole.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack as openPack } from 'tar-stream'
import { syncFolder } from '../../kernel/durable.ts'
import { GentleFile } from '../../kernel/gentle-disk.ts'
import { MB } from '../../kernel/setting.ts'
import type { BackupEntry } from './manifest.ts'

/** A file to be packed: from the disk, or a text. */
export type PackedFile = { name: string } & ({ path: string; size: number } | { text: string })

/** Bytes that are compressed at once, each to a frame of its own. */
const BLOCK_BYTES = 2 * MB
/** Blocks that are compressed side by side. */
const BLOCKS_AHEAD = 2
const READ_BYTES = MB
/** Blocks after which is collected: the collector sees little of what buffers take. */
const COLLECTED_BLOCKS = 16
/** Of zstd's levels, the one that its own command takes. */
const LEVEL = 3
/**
 * The work that a guess of the passphrase takes, as a power of two: 64 MB and a fifth of a second.
 * The format's usual 18 takes 256 MB, which a small server may not have.
 */
const SCRYPT_WORK = 16

const OWNER_FILE = 0o600

/** An archive that is being written. */
export class ArchiveWriter {
  readonly #pack: Pack = openPack()
  readonly #written: Promise<void>
  readonly #part: string
  readonly #target: string
  readonly #modified: Date
  /** Why the archive cannot be written. */
  #fault: unknown
  /** Bytes of the files that were added. */
  bytes = 0

  /** `part` is the file's name until it is whole; it must not exist. */
  constructor(
    target: string,
    { part, passphrase, at }: { part: string; passphrase?: string | undefined; at: Date },
  ) {
    this.#target = target
    this.#part = part
    this.#modified = at
    this.#written = this.#write(passphrase)
    this.#written.catch((error: unknown) => {
      this.#fault = error
      this.#pack.destroy(toError(error))
    })
  }

  /** Adds a file; resolves to its size and hash. @throws Error for one that changes meanwhile */
  async add(file: PackedFile): Promise<BackupEntry> {
    const size = 'text' in file ? Buffer.byteLength(file.text) : file.size
    const hash = createHash('sha256')
    const header = { name: file.name, size, mode: OWNER_FILE, mtime: this.#modified }
    const read = this.#read(file, hash)
    try {
      await pipeline(read, this.#pack.entry(header))
    } catch (error) {
      // The reason of the archive comes behind that of the file that it takes no more of.
      this.#pack.destroy(toError(error))
      await this.#written.catch(() => {})
      throw this.#fault ?? error
    }
    return { Name: file.name, Size: size, Sha256: hash.digest('hex') }
  }

  async *#read(file: PackedFile, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
    const chunks =
      'text' in file
        ? [Buffer.from(file.text)]
        : createReadStream(file.path, {
            highWaterMark: READ_BYTES,
            end: Math.max(0, file.size - 1),
          })
    for await (const chunk of chunks) {
      const bytes = chunk as Buffer
      hash.update(bytes)
      this.bytes += bytes.length
      yield bytes
    }
  }

  /** Gives the whole archive its name; afterwards it is on the disk. */
  async finish(): Promise<void> {
    this.#pack.finalize()
    await this.#written
    await rename(this.#part, this.#target)
    await syncFolder(dirname(this.#target))
  }

  /** Removes what was written of an archive that is not finished. */
  async abandon(): Promise<void> {
    this.#pack.destroy(new Error('The archive was given up'))
    await this.#written.catch(() => {})
    await rm(this.#part, { force: true })
  }

  async #write(passphrase: string | undefined): Promise<void> {
    const file = await GentleFile.make(this.#part)
    try {
      const chunks = this.#pack as unknown as AsyncIterable<Uint8Array>
      for await (const bytes of await encrypt(compress(chunks), passphrase)) await file.write(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** Frames of zstd, one behind the other: to its readers they are one stream. */
async function* compress(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ahead: Promise<Uint8Array>[] = []
  let blocks = 0
  for await (const block of toBlocks(chunks)) {
    if (++blocks % COLLECTED_BLOCKS === 0) Bun.gc(true)
    const frame = Bun.zstdCompress(block, { level: LEVEL })
    frame.catch(() => {})
    ahead.push(frame)
    if (ahead.length === BLOCKS_AHEAD) yield (await ahead.shift()) as Uint8Array
  }
  for (const frame of ahead) yield await frame
}

async function* toBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < BLOCK_BYTES) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}

async function encrypt(
  bytes: AsyncGenerator<Uint8Array>,
  passphrase: string | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (passphrase === undefined) return bytes
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(SCRYPT_WORK)
  return encrypter.encrypt(toStream(bytes))
}

/** A stream that reads on only when it is asked to. */
export const toStream = (bytes: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await bytes.return?.()),
    },
    { highWaterMark: 0 },
  )
