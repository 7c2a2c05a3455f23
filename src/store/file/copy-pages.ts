/**
 * Copies the pages of a database piece by piece beside the processes that write it. Checkpoints may
 * change the file meanwhile: every page that they write is in the log, which keeps all frames since
 * before the copy began (`LogHold`). So the file as it was read, with the last committed content of
 * each page of the log over it, is the state of the last commit of the log.
 */
import { fstatSync, read as readDescriptor, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { GentleFile } from '../../kernel/gentle-disk.ts'
import { LogHold } from './hold-log.ts'
import { keepDescriptor } from './identity.ts'
import { LogFrames, type LoggedPages } from './log-frames.ts'

/** The log may grow by this much while its database is copied. */
const LOG_GROWTH_MAX = 1024 ** 3
/** From this share of it on the copy takes no pauses. */
const HURRIED_SHARE = 1 / 4

const PIECE_BYTES = 1024 * 1024
/** Pieces after which the hold moves on, so that checkpoints are as small as without the copy. */
const HELD_PIECES = 8

/** A copy that was given up because the log grew too much: its message is for the operator. */
export class LogOutgrown extends Error {
  override readonly name = 'LogOutgrown'
}

interface CopyOptions {
  file: string
  target: string
  /** Told behind each piece: bytes of the file that were copied. */
  tell?: ((bytes: number) => void) | undefined
  /** Bytes that are read at a time. */
  pieceBytes?: number
  /** Bytes by which the log may grow meanwhile. */
  growthMax?: number
}

/**
 * Copies a database into a new file, which stands alone, without a log; resolves to the bytes by
 * which the log of the original grew. The copy has all that was committed before the last piece.
 * @throws LogOutgrown
 */
export async function copyPages({
  file,
  target,
  tell,
  pieceBytes = PIECE_BYTES,
  growthMax = LOG_GROWTH_MAX,
}: CopyOptions): Promise<number> {
  const descriptor = keepDescriptor(file)
  const growth = new LogGrowth(file, growthMax)
  const out = await GentleFile.make(target, () => growth.isLarge)
  try {
    using hold = new LogHold(file)
    await using log = await LogFrames.open(file)
    const size = fstatSync(descriptor).size
    for (let at = 0, pieces = 1; at < size; at += pieceBytes, pieces++) {
      await out.write(await readFully(descriptor, at, pieceBytes), at)
      growth.requireBounded()
      tell?.(Math.min(size, at + pieceBytes))
      if (pieces % HELD_PIECES === 0) hold.moveOn()
    }
    await copyLogged(log, out)
    await standAlone(out)
    await out.sync()
    return growth.bytes
  } finally {
    await out.close()
  }
}

/** How the log of a database has grown since. */
class LogGrowth {
  readonly #file: string
  readonly #most: number
  readonly #before: number

  constructor(file: string, most: number) {
    this.#file = file
    this.#most = most
    this.#before = logBytes(file)
  }

  get bytes(): number {
    return Math.max(0, logBytes(this.#file) - this.#before)
  }

  get isLarge(): boolean {
    return this.bytes > this.#most * HURRIED_SHARE
  }

  requireBounded(): void {
    if (this.bytes <= this.#most) return
    throw new LogOutgrown(
      `${this.#file}-wal grew by more than ${this.#most} bytes while the database was ` +
        'copied. Back up when less is written.',
    )
  }
}

const logBytes = (file: string): number =>
  statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

const readAt = promisify(readDescriptor)

/** Reads a piece of a file, or what there is of it: a checkpoint may have made the file shorter. */
async function readFully(descriptor: number, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await readAt(descriptor, bytes, filled, length - filled, at + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** Times that a log can begin again behind the hold: once, where it was empty to its holder. */
const LOG_TURNS = 3

/** Writes the committed pages of the log into the copy. */
async function copyLogged(log: LogFrames, out: GentleFile): Promise<void> {
  for (let turn = 1; ; turn++) {
    const pages = await log.readCommits()
    if (pages === undefined) return
    if (await copyCommits(log, pages, out)) return out.truncate(pages.count * pages.pageBytes)
    if (turn === LOG_TURNS) throw new Error('The log began again while its database was copied')
  }
}

/** False where the log began again meanwhile: then all that it had is in the file. */
async function copyCommits(
  log: LogFrames,
  { places, pageBytes, isCurrent }: LoggedPages,
  out: GentleFile,
): Promise<boolean> {
  const sorted = [...places].toSorted(([left], [right]) => left - right)
  const step = Math.max(1, Math.floor(PIECE_BYTES / pageBytes))
  for (let from = 0; from < sorted.length; from += step) {
    const read: PagesRead[] = []
    for (const [page, place] of sorted.slice(from, from + step))
      addPage(read, (page - 1) * pageBytes, await log.read(place, pageBytes))
    if (!(await isCurrent())) return false
    for (const { at, pages } of read) await out.write(Buffer.concat(pages), at)
  }
  return true
}

/** Pages that follow each other in the database, and where the first one begins. */
interface PagesRead {
  at: number
  end: number
  pages: Buffer[]
}

function addPage(read: PagesRead[], at: number, page: Buffer): void {
  const last = read.at(-1)
  if (last?.end !== at) return void read.push({ at, end: at + page.length, pages: [page] })
  last.pages.push(page)
  last.end += page.length
}

/** Where the head of a database says that it needs a log to be read, and to be written. */
const VERSIONS_AT = 18
const WITHOUT_LOG = Buffer.from([1, 1])

const standAlone = (out: GentleFile): Promise<void> => out.write(WITHOUT_LOG, VERSIONS_AT)
