/** A zip archive read from the disk: its entries, and each one's content as a stream. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import { UnreadableSheet } from './format.ts'

const END = 0x06054b50
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const ENTRY = 0x02014b50
const END_BYTES = 22
const COMMENT_BYTES_MAX = 65_535
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const LOCATOR_BYTES = 20
const WIDE = 0xffffffff
const ENTRIES_MAX = 5000
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024

/** Limits for unpacking: a file beyond both, bytes and ratio, is a bomb and not a sheet. */
const FREE_BYTES = 64 * 1024 * 1024
const RATIO_MAX = 150

interface Entry {
  offset: number
  packedBytes: number
  isPacked: boolean
}

/** One archive; its content is unpacked as it is read, and never held. */
export class ZipReader {
  readonly #path: string
  readonly #file: FileHandle
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(path: string, file: FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#path = path
    this.#file = file
    this.#entries = entries
  }

  /** @throws UnreadableSheet for a file that is not an archive, is encrypted or too large. */
  static async open(path: string): Promise<ZipReader> {
    const file = await open(path)
    try {
      return new ZipReader(path, file, await readDirectory(file))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** @throws UnreadableSheet for an archive that unpacks to more bytes, whatever it claims. */
  async requireSmall(bytesMax: number): Promise<void> {
    let bytes = 0
    for (const name of this.#entries.keys()) {
      for await (const piece of this.pieces(name)) {
        bytes += piece.length
        if (bytes > bytesMax) throw new UnreadableSheet('bomb')
      }
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** The whole of a small part as text; '' if it does not exist. */
  async text(name: string, bytesMax: number): Promise<string> {
    let text = ''
    for await (const piece of this.pieces(name)) {
      text += piece
      if (text.length > bytesMax) throw new UnreadableSheet('unreadable')
    }
    return text
  }

  /** The text of a part in pieces; none if it does not exist. */
  async *pieces(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(name)
    if (!entry) return
    const start = await this.#findStart(entry)
    const packed = createReadStream(this.#path, {
      start,
      end: Math.max(start, start + entry.packedBytes - 1),
    })
    const stream = entry.isPacked ? packed.pipe(createInflateRaw()) : packed
    packed.on('error', (error) => stream.destroy(error))
    const decoder = new TextDecoder('utf-8')
    const bytesMax = Math.max(FREE_BYTES, entry.packedBytes * RATIO_MAX)
    let bytes = 0
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        bytes += piece.length
        if (bytes > bytesMax) throw new UnreadableSheet('bomb')
        yield decoder.decode(piece, { stream: true })
      }
    } catch (error) {
      throw error instanceof UnreadableSheet ? error : new UnreadableSheet('unreadable')
    } finally {
      stream.destroy()
      packed.destroy()
    }
  }

  async #findStart({ offset }: Entry): Promise<number> {
    const local = await readAt(this.#file, offset, LOCAL_BYTES)
    return offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28)
  }
}

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  if (at < 0 || !Number.isSafeInteger(at)) throw new UnreadableSheet('unreadable')
  const { bytesRead } = await file.read(buffer, 0, bytes, at)
  if (bytesRead < bytes) throw new UnreadableSheet('unreadable')
  return buffer
}

async function readDirectory(file: FileHandle): Promise<Map<string, Entry>> {
  const { size } = await file.stat()
  const tailBytes = Math.min(size, END_BYTES + COMMENT_BYTES_MAX)
  const tail = await readAt(file, size - tailBytes, tailBytes)
  let at = tailBytes - END_BYTES
  while (at >= 0 && tail.readUInt32LE(at) !== END) at--
  if (at < 0) throw new UnreadableSheet('unreadable')
  const place = await findPlace(file, tail, at, size - tailBytes)
  if (place.count > ENTRIES_MAX || place.bytes > DIRECTORY_BYTES_MAX) {
    throw new UnreadableSheet('bomb')
  }
  return listEntries(await readAt(file, place.offset, place.bytes), place.count)
}

interface Place {
  count: number
  bytes: number
  offset: number
}

async function findPlace(
  file: FileHandle,
  tail: Buffer,
  at: number,
  tailStart: number,
): Promise<Place> {
  const place = {
    count: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const isWide = place.count === 0xffff || place.bytes === WIDE || place.offset === WIDE
  if (!isWide) return place
  const locator = await readAt(file, tailStart + at - LOCATOR_BYTES, LOCATOR_BYTES)
  if (locator.readUInt32LE(0) !== LOCATOR_64) return place
  const end = await readAt(file, Number(locator.readBigUInt64LE(8)), 56)
  if (end.readUInt32LE(0) !== END_64) throw new UnreadableSheet('unreadable')
  return {
    count: Number(end.readBigUInt64LE(32)),
    bytes: Number(end.readBigUInt64LE(40)),
    offset: Number(end.readBigUInt64LE(48)),
  }
}

function listEntries(directory: Buffer, count: number): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  let at = 0
  for (let nth = 0; nth < count; nth++) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY) {
      throw new UnreadableSheet('unreadable')
    }
    if (directory.readUInt16LE(at + 8) & 1) throw new UnreadableSheet('encrypted')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      directory.readUInt16LE(at + offset),
    ) as [number, number, number]
    const nameAt = at + ENTRY_BYTES
    const name = directory.toString('utf8', nameAt, nameAt + nameBytes)
    const extra = directory.subarray(nameAt + nameBytes, nameAt + nameBytes + extraBytes)
    entries.set(name.replace(/^\//, ''), readEntry(directory, at, extra))
    at = nameAt + nameBytes + extraBytes + commentBytes
  }
  return entries
}

/** Sizes and places beyond 32 bits are in the extra field, in this order. */
function readEntry(directory: Buffer, at: number, extra: Buffer): Entry {
  const method = directory.readUInt16LE(at + 10)
  if (method !== 0 && method !== 8) throw new UnreadableSheet('unreadable')
  let packedBytes = directory.readUInt32LE(at + 20)
  let offset = directory.readUInt32LE(at + 42)
  const wide = findWide(extra)
  let next = directory.readUInt32LE(at + 24) === WIDE ? 8 : 0
  const take = (): number => {
    if (!wide || next + 8 > wide.length) throw new UnreadableSheet('unreadable')
    next += 8
    return Number(wide.readBigUInt64LE(next - 8))
  }
  if (packedBytes === WIDE) packedBytes = take()
  if (offset === WIDE) offset = take()
  return { offset, packedBytes, isPacked: method === 8 }
}

function findWide(extra: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const bytes = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, at + 4 + bytes)
    at += 4 + bytes
  }
  return undefined
}
