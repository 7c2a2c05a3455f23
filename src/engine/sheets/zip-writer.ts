/** A zip archive that is written piece by piece, of any size (zip64 where needed). */
import { promisify } from 'node:util'
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib'
import type { HashedFile } from './hashed-file.ts'

const deflate = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw)

/**
 * Each piece is compressed by itself, off the event loop, up to a boundary of bytes: one after the
 * other they are one stream, which an empty last block ends.
 */
const PIECE = {
  level: 2,
  memLevel: 9,
  chunkSize: 256 * 1024,
  finishFlush: constants.Z_SYNC_FLUSH,
}
const LAST_BLOCK = Uint8Array.of(3, 0)

const LIMIT_32 = 0xffffffff
const LIMIT_16 = 0xffff
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const UTF8_NAME = 0x0800
const DEFLATED = 8
const VERSION = 20
const VERSION_64 = 45
const EXTRA_64 = 1
/** Microsoft's padding for parts that grow: the place that zip64 sizes may need later. */
const EXTRA_PADDING = 0xa220
const PADDING_SIGNATURE = 0xa028
const EXTRA_BYTES = 20

interface Entry {
  name: Buffer
  offset: number
  crc: number
  compressed: number
  size: number
}

/** Writes one entry after the other; an entry is closed before the next one begins. */
export class ZipWriter {
  readonly #file: HashedFile
  readonly #entries: Entry[] = []
  readonly #time: number

  constructor(file: HashedFile, now: Date) {
    this.#file = file
    this.#time = toDosTime(now)
  }

  async entry(name: string): Promise<ZipEntry> {
    const entry = {
      name: Buffer.from(name),
      offset: this.#file.size,
      crc: 0,
      compressed: 0,
      size: 0,
    }
    this.#entries.push(entry)
    await this.#file.write(composeLocal(entry, this.#time))
    return new ZipEntry(this.#file, entry, () => composeLocal(entry, this.#time))
  }

  /** Writes an entry whose content is complete. */
  async add(name: string, text: string): Promise<void> {
    const entry = await this.entry(name)
    await entry.write(Buffer.from(text))
    await entry.close()
  }

  /** Writes the directory. */
  async close(): Promise<void> {
    const offset = this.#file.size
    for (const entry of this.#entries) await this.#file.write(composeCentral(entry, this.#time))
    const size = this.#file.size - offset
    await this.#file.write(composeEnd(this.#entries.length, size, offset))
  }
}

/** An entry that is being written. */
export class ZipEntry {
  readonly #file: HashedFile
  readonly #entry: Entry
  readonly #composeHeader: () => Buffer
  /** The piece that is being compressed and written while the next one is made. */
  #writing: Promise<void> = Promise.resolve()

  constructor(file: HashedFile, entry: Entry, composeHeader: () => Buffer) {
    this.#file = file
    this.#entry = entry
    this.#composeHeader = composeHeader
  }

  /**
   * Resolves when the piece before this one is written, whose failure it throws; leave this one
   * unchanged until the next call resolves.
   */
  async write(piece: Uint8Array): Promise<void> {
    await this.#writing
    this.#entry.crc = Bun.hash.crc32(piece, this.#entry.crc)
    this.#entry.size += piece.length
    this.#writing = this.#compress(piece)
    this.#writing.catch(ignore)
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#write(LAST_BLOCK)
    await this.#file.patch(this.#composeHeader(), this.#entry.offset)
  }

  /** Waits for writing under way, whether it succeeds or fails. */
  async settle(): Promise<void> {
    await this.#writing.catch(ignore)
  }

  async #compress(piece: Uint8Array): Promise<void> {
    if (piece.length > 0) await this.#write(await deflate(piece, PIECE))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes)
    this.#entry.compressed += bytes.length
  }
}

const ignore = (): void => undefined

/** Sizes are written once they are known; until then they are zero. */
function composeLocal(entry: Entry, time: number): Buffer {
  const is64 = entry.size > LIMIT_32 || entry.compressed > LIMIT_32
  const bytes = Buffer.alloc(30 + entry.name.length + EXTRA_BYTES)
  bytes.writeUInt32LE(LOCAL, 0)
  bytes.writeUInt16LE(is64 ? VERSION_64 : VERSION, 4)
  writeFacts(bytes, 6, entry, time, is64)
  bytes.writeUInt16LE(entry.name.length, 26)
  bytes.writeUInt16LE(EXTRA_BYTES, 28)
  entry.name.copy(bytes, 30)
  const extra = 30 + entry.name.length
  bytes.writeUInt16LE(is64 ? EXTRA_64 : EXTRA_PADDING, extra)
  bytes.writeUInt16LE(EXTRA_BYTES - 4, extra + 2)
  if (is64) {
    bytes.writeBigUInt64LE(BigInt(entry.size), extra + 4)
    bytes.writeBigUInt64LE(BigInt(entry.compressed), extra + 12)
  } else bytes.writeUInt16LE(PADDING_SIGNATURE, extra + 4)
  return bytes
}

/** Flags, method, time, checksum and sizes, which both kinds of header have in this order. */
function writeFacts(bytes: Buffer, at: number, entry: Entry, time: number, is64: boolean): void {
  bytes.writeUInt16LE(UTF8_NAME, at)
  bytes.writeUInt16LE(DEFLATED, at + 2)
  bytes.writeUInt32LE(time, at + 4)
  bytes.writeUInt32LE(entry.crc, at + 8)
  bytes.writeUInt32LE(is64 ? LIMIT_32 : entry.compressed, at + 12)
  bytes.writeUInt32LE(is64 ? LIMIT_32 : entry.size, at + 16)
}

function composeCentral(entry: Entry, time: number): Buffer {
  const { name, size, compressed, offset } = entry
  const is64 = Math.max(size, compressed, offset) > LIMIT_32
  const extra = is64 ? 28 : 0
  const bytes = Buffer.alloc(46 + name.length + extra)
  bytes.writeUInt32LE(CENTRAL, 0)
  bytes.writeUInt16LE(is64 ? VERSION_64 : VERSION, 4)
  bytes.writeUInt16LE(is64 ? VERSION_64 : VERSION, 6)
  writeFacts(bytes, 8, entry, time, is64)
  bytes.writeUInt16LE(name.length, 28)
  bytes.writeUInt16LE(extra, 30)
  bytes.writeUInt32LE(is64 ? LIMIT_32 : offset, 42)
  name.copy(bytes, 46)
  if (is64) {
    const at = 46 + name.length
    bytes.writeUInt16LE(EXTRA_64, at)
    bytes.writeUInt16LE(extra - 4, at + 2)
    bytes.writeBigUInt64LE(BigInt(size), at + 4)
    bytes.writeBigUInt64LE(BigInt(compressed), at + 12)
    bytes.writeBigUInt64LE(BigInt(offset), at + 20)
  }
  return bytes
}

function composeEnd(count: number, size: number, offset: number): Buffer {
  const is64 = offset > LIMIT_32 || size > LIMIT_32 || count > LIMIT_16
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(is64 ? LIMIT_16 : count, 8)
  end.writeUInt16LE(is64 ? LIMIT_16 : count, 10)
  end.writeUInt32LE(is64 ? LIMIT_32 : size, 12)
  end.writeUInt32LE(is64 ? LIMIT_32 : offset, 16)
  return is64 ? Buffer.concat([composeEnd64(count, size, offset), end]) : end
}

function composeEnd64(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(76)
  bytes.writeUInt32LE(END_64, 0)
  bytes.writeBigUInt64LE(44n, 4)
  bytes.writeUInt16LE(VERSION_64, 12)
  bytes.writeUInt16LE(VERSION_64, 14)
  bytes.writeBigUInt64LE(BigInt(count), 24)
  bytes.writeBigUInt64LE(BigInt(count), 32)
  bytes.writeBigUInt64LE(BigInt(size), 40)
  bytes.writeBigUInt64LE(BigInt(offset), 48)
  bytes.writeUInt32LE(LOCATOR_64, 56)
  bytes.writeBigUInt64LE(BigInt(offset + size), 64)
  bytes.writeUInt32LE(1, 72)
  return bytes
}

const DOS_FIRST_YEAR = 1980

function toDosTime(now: Date): number {
  const year = Math.max(0, now.getUTCFullYear() - DOS_FIRST_YEAR)
  const date = (year << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate()
  const seconds = now.getUTCSeconds() >> 1
  return ((date << 16) | (now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | seconds) >>> 0
}
