/**
 * The write-ahead log of a database, read as a file beside the processes that write it (SQLite
 * file format, section 4). Nothing of the log is locked or changed.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { endianness } from 'node:os'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The first word of a log; its last bit tells the order of bytes in which checksums are made. */
const MAGIC = 0x377f0682
const PAGE_BYTES_AT = 8
const SALT_AT = 16
const SALT_BYTES = 8
/** Bytes of a header that are part of its checksum: of the log's, and of a frame's. */
const HEADER_SUMMED = 24
const FRAME_SUMMED = 8
const COMMIT_AT = 4
const FRAME_SALT_AT = 8
const FRAME_SUM_AT = 16
const READ_BYTES = 1024 * 1024

/** Pages that the commits of a log have written. */
export interface LoggedPages {
  /** Where in the log the last committed content of a page lies, by the page's number from 1. */
  places: ReadonlyMap<number, number>
  pageBytes: number
  /** Pages of the database as of the last commit. */
  count: number
  /** Checks that the log has not begun again since, as it does behind a whole checkpoint. */
  isCurrent(): Promise<boolean>
}

/** The log of a database, open to be read. */
export class LogFrames implements AsyncDisposable {
  readonly #handle: FileHandle | undefined

  private constructor(handle: FileHandle | undefined) {
    this.#handle = handle
  }

  /** Opens the log beside a database; where there is none it has no pages. */
  static async open(file: string): Promise<LogFrames> {
    try {
      return new LogFrames(await open(`${file}-wal`, 'r'))
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT')
        return new LogFrames(undefined)
      throw error
    }
  }

  /**
   * Finds the pages of all commits that are whole in the log as it is now; undefined for a log
   * without one. Frames that come while it is read are left: writers may be faster than a reader.
   */
  async readCommits(): Promise<LoggedPages | undefined> {
    const end = (await this.#handle?.stat())?.size ?? 0
    const header = await this.read(0, HEADER_BYTES)
    const sum = readSum(header)
    if (sum === undefined) return undefined
    const pageBytes = header.readUInt32BE(PAGE_BYTES_AT)
    const salt = header.subarray(SALT_AT, SALT_AT + SALT_BYTES)
    const pages = new PageTable({ pageBytes, salt, sum })
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    const step = Math.max(1, Math.floor(READ_BYTES / frameBytes)) * frameBytes
    for (let at = HEADER_BYTES; at < end; at += step) {
      const bytes = await this.read(at, Math.min(step, end - at))
      if (!pages.add(bytes, at) || bytes.length < step) break
    }
    const isCurrent = async (): Promise<boolean> =>
      (await this.read(0, HEADER_BYTES)).equals(header)
    return pages.count === 0 ? undefined : { ...pages.found, pageBytes, isCurrent }
  }

  /** Reads as many of the bytes as there are. */
  async read(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (this.#handle !== undefined && filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close()
  }
}

/** Frames as they follow each other: each is proved by a checksum over all that came before it. */
class PageTable {
  readonly #frameBytes: number
  readonly #salt: Buffer
  readonly #sum: Checksum
  readonly #places = new Map<number, number>()
  /** Places of a commit whose last frame has not come yet. */
  #open = new Map<number, number>()
  /** Pages of the database as of the last commit; 0 before the first one. */
  count = 0

  constructor({ pageBytes, salt, sum }: { pageBytes: number; salt: Buffer; sum: Checksum }) {
    this.#frameBytes = FRAME_HEADER_BYTES + pageBytes
    this.#salt = salt
    this.#sum = sum
  }

  get found(): Pick<LoggedPages, 'places' | 'count'> {
    return { places: this.#places, count: this.count }
  }

  /** Adds the frames of a part of the log that begins at `at`; false behind the last one. */
  add(bytes: Buffer, at: number): boolean {
    for (let from = 0; from + this.#frameBytes <= bytes.length; from += this.#frameBytes)
      if (!this.#addFrame(bytes.subarray(from, from + this.#frameBytes), at + from)) return false
    return true
  }

  #addFrame(frame: Buffer, at: number): boolean {
    const salt = frame.subarray(FRAME_SALT_AT, FRAME_SALT_AT + SALT_BYTES)
    if (!salt.equals(this.#salt)) return false
    this.#sum.add(frame.subarray(0, FRAME_SUMMED))
    this.#sum.add(frame.subarray(FRAME_HEADER_BYTES))
    if (!this.#sum.isAt(frame, FRAME_SUM_AT)) return false
    this.#open.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    const count = frame.readUInt32BE(COMMIT_AT)
    if (count > 0) this.#commit(count)
    return true
  }

  #commit(count: number): void {
    for (const [page, place] of this.#open) this.#places.set(page, place)
    this.#open = new Map()
    this.count = count
  }
}

/** The checksum of a log, begun with its header; undefined for one that is not whole. */
function readSum(header: Buffer): Checksum | undefined {
  if (header.length < HEADER_BYTES) return undefined
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined
  const sum = new Checksum((magic & 1) === 1 ? 'BE' : 'LE')
  sum.add(header.subarray(0, HEADER_SUMMED))
  return sum.isAt(header, HEADER_SUMMED) ? sum : undefined
}

/** Two sums over words of 32 bits, each of which adds the other one (section 4.2). */
class Checksum {
  readonly #isSwapped: boolean
  #first = 0
  #second = 0

  constructor(order: 'BE' | 'LE') {
    this.#isSwapped = order !== endianness()
  }

  /** Adds a multiple of eight bytes. */
  add(part: Buffer): void {
    // A copy is aligned, as words must be.
    const bytes = Buffer.from(Uint8Array.from(part).buffer)
    if (this.#isSwapped) bytes.swap32()
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    let [first, second] = [this.#first, this.#second]
    for (let at = 0; at < words.length; at += 2) {
      first = (first + (words[at] ?? 0) + second) >>> 0
      second = (second + (words[at + 1] ?? 0) + first) >>> 0
    }
    this.#first = first
    this.#second = second
  }

  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second
  }
}
