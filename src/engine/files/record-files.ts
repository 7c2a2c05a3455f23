/** Files of records that a command writes into `files/` of a data folder that it holds. */
import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { newId } from '../../kernel/ids.ts'
import { detectType, extensionOfType } from './content-type.ts'
import { cleanFileName, extensionOf } from './file-name.ts'
import { FILES_FOLDER } from './file-vault.ts'

/** First bytes of a file, enough to show its type. */
const HEAD_BYTES = 4100

/** Files that are brought to the disk at once. */
const SYNCED_AT_ONCE = 16

/**
 * Writes files before the rows that name them. `finish` resolves when all of them are on the disk,
 * before the commit of their rows; `undo` removes them.
 */
export class RecordFiles {
  readonly #folder: string
  readonly #paths: string[] = []

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, FILES_FOLDER)
  }

  /** Writes a file; a name without an ending gets that of its content. */
  async write(name: string, bytes: AsyncIterable<Uint8Array>) {
    if (this.#paths.length === 0) makeFolder(this.#folder)
    const Path = newId()
    const path = join(this.#folder, Path)
    this.#paths.push(path)
    const { head, Size, Sha256 } = await writeBytes(path, bytes)
    const given = cleanFileName(name)
    const ContentType = await detectType({ path, head, fileName: given })
    const ending = extensionOf(given) === '' ? extensionOfType(ContentType) : ''
    return { Path, FileName: `${given}${ending}`, ContentType, Size, Sha256 }
  }

  /** Resolves when every file and its name are on the disk. */
  async finish(): Promise<void> {
    if (this.#paths.length === 0) return
    const waiting = this.#paths.values()
    const work = async (): Promise<void> => {
      for (const path of waiting) await syncFile(path)
    }
    await Promise.all(Array.from({ length: SYNCED_AT_ONCE }, work))
    await syncFolder(this.#folder)
  }

  /** Removes what was written. */
  async undo(): Promise<void> {
    for (const path of this.#paths.splice(0)) await rm(path, { force: true })
  }
}

async function writeBytes(path: string, bytes: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  const handle = await open(path, 'wx')
  let head: Uint8Array = new Uint8Array()
  let Size = 0
  try {
    for await (const piece of bytes) {
      if (Size === 0) head = piece.slice(0, HEAD_BYTES)
      Size += piece.length
      hash.update(piece)
      await handle.writeFile(piece)
    }
  } finally {
    await handle.close()
  }
  return { head, Size, Sha256: hash.digest('hex') }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
