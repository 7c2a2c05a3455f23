/**
 * Multipart forms (RFC 7578), streamed: files go to the disk as they come and are never held in
 * memory, whatever their size.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { explainWrite } from '../kernel/disk-failure.ts'
import { type Failure, invalid, tooLarge } from '../kernel/failure.ts'
import { newId } from '../kernel/ids.ts'
import { say } from '../kernel/messages.ts'
import { Yielder } from '../kernel/yielder.ts'
import { requireRoom } from '../engine/files/disk-reserve.ts'
import { FIELDS_BYTES_MAX, makeParser, malformed, type ParserOptions } from './multipart-parser.ts'
import { admitAgain, findFacts } from './session.ts'

/** Bytes of a form without its files. */
const FORM_BYTES_MAX = 2 * 1024 * 1024

const LEAST_SPEED: Speed = { afterMs: 20_000, bytesPerSecond: 1024 }
/** Milliseconds between two checks of a body's speed. */
const LOOK_MS = 1000

/** Most bytes that the parser gets at once; a piece of the network may be larger. */
const WRITTEN_BYTES = 64 * 1024

/** After so many bytes of a file it is looked whether the disk has room for more. */
const LOOKED_BYTES = 32 * 1024 * 1024

/** First bytes of a file, enough to show its type. */
const HEAD_BYTES = 4100

/** A file that arrived whole and is on the disk. */
export interface ReceivedFile {
  /** The name of the form's field. */
  field: string
  /** Name that the client gives the file, to be shown, never to be stored under; a path if kept. */
  fileName: string
  /** Path of the file: a name of our own in `folder`. */
  path: string
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha256: string
  /** First bytes of the file. */
  head: Uint8Array
}

interface ReceivedForm extends AsyncDisposable {
  /** Text fields by lower-case name; of two with one name the last counts. */
  fields: ReadonlyMap<string, string>
  files: readonly ReceivedFile[]
  /** Keeps a file beyond the form: without it, `await using` removes it. */
  keep(file: ReceivedFile): void
}

interface MultipartOptions extends ParserOptions {
  /** Folder of the written files; made when it is missing. */
  folder: string
  /**
   * Called before a file's first byte is written, with the fields so far: throws the refusal of the
   * form, or returns the limit of this file.
   */
  onFile?: (
    fields: ReadonlyMap<string, string>,
    fileName: string,
  ) => FileLimit | void | Promise<FileLimit | void>
  /** Least speed of a body once it has taken a while; by default 1 KB a second after 20 s. */
  speed?: Speed
}

/** The least speed of a body, over all of its time. */
interface Speed {
  afterMs: number
  bytesPerSecond: number
}

/** Limit of one file, beneath `fileBytesMax`. */
export interface FileLimit {
  bytesMax: number
  /** Returns the failure that is thrown for more. */
  refusal: () => Failure
}

/**
 * Receives the form that a request carries. Throws 400 for a body that is not a multipart form, is
 * malformed, ends early or has too many parts, 401 for a sender who is let in no longer once it is
 * whole, 413 as soon as a file is over its limit, and whatever `onFile` throws; then nothing of it
 * stays on the disk.
 */
export async function receiveMultipart(
  request: Request,
  options: MultipartOptions,
): Promise<ReceivedForm> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw invalid(say`The body must be sent as Content-Type: multipart/form-data`)
  const length = request.headers.get('content-length')
  const bytesMax = options.fileBytesMax * options.filesMax + FORM_BYTES_MAX
  if (length !== null && Number(length) > bytesMax) throw tooLong(options.fileBytesMax)
  await mkdir(options.folder, { recursive: true })
  const receiver = new Receiver(options, type)
  try {
    await receiver.receive(request)
    // A long form may outlive the admission of its sender.
    const facts = findFacts(request)
    if (facts) await admitAgain({ facts })
    return receiver
  } catch (error) {
    await receiver[Symbol.asyncDispose]()
    throw error
  }
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

/** A part of the form that is a file. */
interface Part {
  stream: BusboyFileStream
  fileName: string
  limit: FileLimit | undefined
}

/** 413. */
export const tooLong = (bytesMax: number): Failure =>
  tooLarge(say`The file is larger than ${Math.floor(bytesMax / 1024)} KB`)

class Receiver implements ReceivedForm {
  readonly fields = new Map<string, string>()
  readonly files: ReceivedFile[] = []
  readonly #options: MultipartOptions
  readonly #parser: BusboyInstance
  readonly #taken = new Set<string>()
  readonly #paths = new Set<string>()
  /** The files that are being written, one after the other. */
  #writing: Promise<void> = Promise.resolve()
  #fault: unknown
  /** The part that is being read; it ends with the parser. */
  #stream: BusboyFileStream | undefined
  readonly #startedAt = performance.now()
  #bytes = 0
  #fieldBytes = 0

  constructor(options: MultipartOptions, contentType: string) {
    this.#options = options
    this.#parser = makeParser(contentType, options)
  }

  keep(file: ReceivedFile): void {
    this.#taken.add(file.path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A file that cannot be removed is by the next start; the form itself is not at fault.
    for (const path of this.#paths)
      if (!this.#taken.has(path)) await rm(path, { force: true }).catch(() => {})
  }

  async receive(request: Request): Promise<void> {
    const ended = this.#listen()
    const reader = request.body?.getReader()
    const watching = setInterval(() => this.#requireSpeed(reader), LOOK_MS)
    try {
      if (reader) await this.#feed(reader, ended)
    } catch {
      this.#fail(malformed())
    } finally {
      clearInterval(watching)
    }
    if (this.#fault === undefined) this.#parser.end()
    await ended
    await this.#writing
    if (this.#fault === undefined) return
    // The rest of it is not waited for.
    reader?.cancel().catch(() => {})
    throw this.#fault
  }

  /** Feeds the body to the parser no faster than the disk takes it. */
  async #feed(reader: BodyReader, ended: Promise<void>): Promise<void> {
    const pacing = new Yielder()
    for (;;) {
      const { value, done } = await reader.read()
      if (done || this.#fault !== undefined) return
      this.#bytes += value.length
      for (let at = 0; at < value.length && this.#fault === undefined; at += WRITTEN_BYTES) {
        if (!this.#parser.write(value.subarray(at, at + WRITTEN_BYTES))) await this.#drained(ended)
        await pacing.yieldWhenDue()
      }
    }
  }

  /** A client that drips holds a connection and a file for ever. */
  #requireSpeed(reader: BodyReader | undefined): void {
    const elapsed = performance.now() - this.#startedAt
    const { afterMs, bytesPerSecond } = this.#options.speed ?? LEAST_SPEED
    if (elapsed < afterMs || this.#bytes / (elapsed / 1000) >= bytesPerSecond) return
    this.#fail(invalid(say`The request body arrived too slowly`, { code: 'BODY_TOO_SLOW' }))
    reader?.cancel().catch(() => {})
  }

  /** Resolves when the parser has seen the end, or something has failed. */
  #listen(): Promise<void> {
    const parser = this.#parser
    return new Promise<void>((resolve) => {
      parser.on('field', (name, value, isNameCut, isValueCut) => {
        this.#fieldBytes += value.length
        if (isNameCut || isValueCut || this.#fieldBytes > FIELDS_BYTES_MAX)
          return this.#fail(invalid(say`A field of the form is too long`))
        this.fields.set(String(name).toLowerCase(), value)
      })
      parser.on('file', (name, stream, fileName) => {
        this.#stream = stream
        stream.on('error', () => this.#fail(malformed()))
        stream.on('limit', () => this.#fail(tooLong(this.#options.fileBytesMax)))
        this.#writing = this.#writing.then(() => this.#receiveFile(name, stream, fileName))
      })
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
        parser.on(limit, () => this.#fail(invalid(say`The form has too many parts`)))
      parser.on('error', () => {
        this.#fail(malformed())
        resolve()
      })
      parser.on('finish', () => resolve())
      parser.on('close', () => resolve())
    })
  }

  #drained(ended: Promise<void>): Promise<void> {
    const drained = new Promise<void>((resolve) => this.#parser.once('drain', resolve))
    return Promise.race([drained, ended])
  }

  #fail(fault: unknown): void {
    this.#fault ??= fault
    this.#parser.destroy()
    this.#stream?.destroy()
  }

  /** Names the fault before the stream ends over it, since it cannot be named after that. */
  #blame(fault: unknown): unknown {
    return (this.#fault ??= fault)
  }

  async #receiveFile(field: string, stream: BusboyFileStream, fileName: string): Promise<void> {
    try {
      if (this.#fault !== undefined) return
      const limit = (await this.#options.onFile?.(this.fields, fileName ?? '')) ?? undefined
      this.files.push(await this.#writeFile(field, { stream, fileName: fileName ?? '', limit }))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Writes one part; it is on the disk before any answer mentions it. */
  async #writeFile(field: string, { stream, fileName, limit }: Part): Promise<ReceivedFile> {
    const path = join(this.#options.folder, newId())
    this.#paths.add(path)
    const hash = createHash('sha256')
    const head: Uint8Array[] = []
    let size = 0
    let looked = 0
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      throw this.#blame(explainWrite(error))
    })
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        if (size < HEAD_BYTES) head.push(chunk.slice(0, HEAD_BYTES - size))
        size += chunk.length
        if (limit && size > limit.bytesMax) throw this.#blame(limit.refusal())
        hash.update(chunk)
        if (size - looked >= LOOKED_BYTES) {
          looked = size
          await requireRoom(this.#options.folder, 0).catch((error: unknown) => {
            throw this.#blame(error)
          })
        }
        await file.writeFile(chunk).catch((error: unknown) => {
          throw this.#blame(explainWrite(error))
        })
      }
      await file.sync().catch((error: unknown) => {
        throw this.#blame(explainWrite(error))
      })
    } finally {
      await file.close()
    }
    const sha256 = hash.digest('hex')
    return { field, fileName, path, size, sha256, head: Buffer.concat(head) }
  }
}
