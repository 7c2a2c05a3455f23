/** A file as an answer: streamed from the disk, in part or whole, never run by a browser. */
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cannotRead, diskCodeOf, explainRead } from '../kernel/disk-failure.ts'
import { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { OnceFile } from '../engine/files/once-file.ts'

/** A file on the disk, with the facts that its headers report. */
export interface ServedFile {
  path: string
  fileName: string
  contentType: string
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha256: string
  /** True when a browser may show it in place. */
  isInline: boolean
}

/**
 * Answers with a file: 304 for one that the client has, 206 for one range, 416 for a range that it
 * has not, else whole; undefined when it is not on the disk.
 */
export async function answerFile(
  request: Request,
  file: ServedFile,
): Promise<Response | undefined> {
  if (!(await isReadable(file.path))) return undefined
  const content = Bun.file(file.path)
  const { size } = file
  const etag = `"${file.sha256}"`
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    ...planHeaders(file),
  }
  const { headers: requested } = request
  if (holdsTag(requested.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers })
  const condition = requested.get('if-range')
  const range =
    condition === null || condition.trim() === etag
      ? findRange(requested.get('range'), size)
      : undefined
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const { first, last } = range ?? { first: 0, last: size - 1 }
  return new Response(range ? content.slice(first, last + 1) : content, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'Content-Type': withCharset(file.contentType),
      'Content-Length': String(last - first + 1),
      ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
    },
  })
}

/** One byte is read: what fails behind the head of an answer can only cut it off. */
async function isReadable(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r')
    try {
      await file.read(new Uint8Array(1), 0, 1, 0)
      return true
    } finally {
      await file.close()
    }
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT') throw explainRead(error)
    // A missing folder is a fault that may pass; a missing file is not a fault.
    await stat(dirname(path)).catch((fault: unknown) => {
      throw cannotRead(fault)
    })
    return false
  }
}

/** Whatever is in a file, no browser takes it for another type or runs it as a page of ours. */
const planHeaders = ({ fileName, isInline }: Pick<ServedFile, 'fileName' | 'isInline'>) => ({
  'Content-Disposition': planDisposition(isInline ? 'inline' : 'attachment', fileName),
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
})

/** A file that is given out once. */
interface StreamedFile extends Omit<ServedFile, 'path' | 'sha256' | 'size'> {
  file: OnceFile
}

/** Answers with a file that is sent once: whole, and not to be cached. */
export async function streamFile(request: Request, given: StreamedFile): Promise<Response> {
  const { file, contentType } = given
  const headers = {
    ...planHeaders(given),
    'Cache-Control': 'no-store',
    'Content-Type': withCharset(contentType),
    'Content-Length': String(file.size),
  }
  if (request.method !== 'HEAD') return new Response(readPieces(file), { headers })
  await file.close()
  return new Response(null, { headers })
}

const PIECE_BYTES = 256 * 1024

/** Streams a file; the next piece is read when the one before it has been taken. */
const readPieces = (file: OnceFile): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        const piece = await file.read(PIECE_BYTES)
        if (piece) return controller.enqueue(piece)
        await file.close()
        controller.close()
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )

/** Adds a charset, else browsers misread UTF-8; a byte order mark goes before it. */
const withCharset = (type: string): string =>
  type.startsWith('text/') && !type.includes(';') ? `${type}; charset=utf-8` : type

/** Returns true when If-None-Match names a tag: compared weakly, as RFC 9110 has it. */
export const holdsTag = (header: string | null, etag: string): boolean =>
  header !== null &&
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)

const unsatisfiable = (size: number): Failure =>
  new Failure('wrongRange', say`The requested range is outside the file`, {
    headers: { 'Content-Range': `bytes */${size}` },
  })

/** A part of a file: its first byte and its last one. */
interface ByteRange {
  first: number
  last: number
}

const ONE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i

/**
 * Returns the range that a `Range` header means (RFC 9110, section 14), `unsatisfiable` for a range
 * outside the file, undefined for the whole file: without a header, for several ranges, for text
 * that is not a range.
 */
function findRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = ONE_RANGE.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  if (from !== '' && to !== '' && Number(to) < first) return undefined
  return first > last ? 'unsatisfiable' : { first, last }
}

/**
 * Builds the `Content-Disposition` (RFC 6266), shown or saved, with the file's name in ASCII for
 * old clients, and in full for all others where that says more.
 */
function planDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const quoted = `${kind}; filename="${ascii}"`
  return ascii === fileName ? quoted : `${quoted}; filename*=UTF-8''${encodeName(fileName)}`
}

/** Encodes a name by RFC 8187, which keeps more than a URL, but no apostrophe or brackets. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed())
    .replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:2[346B]|5E|60|7C)/g, decodeURIComponent)
