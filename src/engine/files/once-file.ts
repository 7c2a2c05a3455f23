/** A file without a name: open readers read it to its end, then it is removed from the disk. */
import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'

const openFile = promisify(open)
const closeFile = promisify(close)
const readFile = promisify(read)

/** Closes the file of an answer that was dropped unread, without a log entry. */
const dropped = new FinalizationRegistry<number>((descriptor) => void closeFile(descriptor))

/** A file whose opener closes it; a dropped one is closed when its memory is freed. */
export class OnceFile {
  /** Bytes. */
  readonly size: number
  #descriptor: number | undefined

  private constructor(descriptor: number, size: number) {
    this.size = size
    this.#descriptor = descriptor
    dropped.register(this, descriptor, this)
  }

  /** Opens a file of the given bytes for reading. */
  static async open(path: string, size: number): Promise<OnceFile> {
    return new OnceFile(await openFile(path, 'r'), size)
  }

  /** The next bytes; undefined behind the last one, and when it is closed. */
  async read(bytesMax: number): Promise<Uint8Array | undefined> {
    if (this.#descriptor === undefined) return undefined
    const piece = new Uint8Array(bytesMax)
    const { bytesRead } = await readFile(this.#descriptor, piece, 0, bytesMax, null)
    return bytesRead > 0 ? piece.subarray(0, bytesRead) : undefined
  }

  async close(): Promise<void> {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return
    this.#descriptor = undefined
    dropped.unregister(this)
    await closeFile(descriptor)
  }
}
