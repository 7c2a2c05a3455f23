/** Reads an archive: decrypts, decompresses and unpacks it as it comes. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { extract as openExtract } from 'tar-stream'
import { MB } from '../../kernel/setting.ts'
import { toStream } from './archive-writer.ts'
import { UnusableBackup } from './manifest.ts'

/** A file of an archive; its bytes are read before the next one is asked for. */
export interface ReadFile {
  name: string
  size: number
  bytes: AsyncIterable<Uint8Array>
}

const READ_BYTES = MB
const AGE = Buffer.from('age-encryption.org/v1\n')
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * The files of an archive in their order. One that was decrypted or decompressed by other programs
 * is read, too.
 * @throws UnusableBackup for one that is cut off, damaged, or none
 */
export async function* readArchive(
  file: string,
  passphrase: string | undefined,
): AsyncGenerator<ReadFile> {
  const extract = openExtract()
  const reading = decode(file, passphrase).then(({ bytes, isZstd }) =>
    isZstd
      ? pipeline(Readable.from(bytes), createZstdDecompress(), extract)
      : pipeline(Readable.from(bytes), extract),
  )
  reading.catch((error: unknown) => extract.destroy(error instanceof Error ? error : undefined))
  try {
    for await (const entry of extract) {
      const { name, size = 0, type } = entry.header
      if (type !== 'file' && type !== 'directory')
        throw new UnusableBackup(`${file} holds ${name}, which is no file. It is no backup.`)
      if (type === 'file') yield { name, size, bytes: readEntry(file, entry) }
      entry.resume()
    }
    await reading
  } catch (error) {
    throw explain(file, error)
  } finally {
    extract.destroy()
    await reading.catch(() => {})
  }
}

async function* readEntry(file: string, entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of entry) yield chunk as Uint8Array
  } catch (error) {
    throw explain(file, error)
  }
}

/** The bytes of the tar, or of its zstd. */
async function decode(file: string, passphrase: string | undefined) {
  const head = await readHead(file)
  if (!head.subarray(0, AGE.length).equals(AGE)) {
    if (passphrase !== undefined)
      throw new UnusableBackup(`${file} is not encrypted: leave the passphrase out.`)
    return { bytes: readBytes(file), isZstd: isZstd(head) }
  }
  if (passphrase === undefined)
    throw new UnusableBackup(`${file} is encrypted: give its passphrase by --passphrase-file.`)
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const stream = await decrypter.decrypt(toStream(readBytes(file)))
  const parts = stream[Symbol.asyncIterator]()
  const first = await parts.next()
  const bytes = first.done ? new Uint8Array() : first.value
  return { bytes: rejoin(bytes, parts), isZstd: isZstd(Buffer.from(bytes)) }
}

async function* rejoin(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

const isZstd = (head: Buffer): boolean => head.subarray(0, ZSTD.length).equals(ZSTD)

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE.length), 0, AGE.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function* readBytes(file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES }))
    yield chunk as Uint8Array
}

/** Errors of the libraries say what is wrong with bytes, not with a backup. */
function explain(file: string, error: unknown): unknown {
  if (error instanceof UnusableBackup) return error
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return error
  const why = error instanceof Error ? error.message : String(error)
  return new UnusableBackup(
    /passphrase|identity|no identity matched/i.test(why)
      ? `The passphrase is not that of ${file}.`
      : `${file} cannot be read: it is cut off, damaged, or no backup (${why}).`,
    { cause: error },
  )
}
