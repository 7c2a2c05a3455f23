/** Answers in fewer bytes, in the coding that the client likes best of ours (RFC 9110, 12.5.3). */
import { promisify } from 'node:util'
import { constants, gzip, zstdCompress } from 'node:zlib'
import { Lru } from '../kernel/lru.ts'

/** The codings that answers are sent in; of equally wanted ones the first. */
const CODINGS = ['zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Answers from this size on, in bytes, are worth it. */
export const CODED_BYTES_MIN = 1024
/** Bytes above which coding moves off the event loop: this takes a fifth of a millisecond. */
const AT_ONCE_BYTES_MAX = 64 * 1024

const LEVEL = { zstd: 1, gzip: 3 } as const
/** Bytes below which the first level packs as small in half of the time. */
const SMALL_BYTES_MAX = 4096

/** Headers by their text: clients send few different ones. */
const chosen = new Lru<string, { coding: Coding | undefined }>(100)

/** Returns the coding that an `Accept-Encoding` asks for; undefined unless it is one of ours. */
export function chooseCoding(header: string | null): Coding | undefined {
  if (header === null) return undefined
  const known = chosen.find(header)
  if (known) return known.coding
  return chosen.keep(header, { coding: findCoding(header) }).coding
}

function findCoding(header: string): Coding | undefined {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    const weight = parameters.find((word) => word.startsWith('q='))?.slice(2)
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0)
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = [...CODINGS].sort((a, b) => weightOf(b) - weightOf(a))
  const plain = weights.get('identity') ?? 0
  // A coding wins over an equally wanted identity: for that a client names codings.
  return best && weightOf(best) > 0 && weightOf(best) >= plain ? best : undefined
}

/**
 * Paths of answers with tokens, which are sent uncoded: beside text of a client their length would
 * reveal them (CVE-2013-3587).
 */
const SECRET = /\/auth\//

const isSecret = (path: string): boolean => SECRET.test(path)

/** Returns true for an answer that may be coded: text of ours, no file, and no secret in it. */
const isCodable = (path: string, { headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/json') &&
  !headers.has('content-encoding') &&
  !headers.has('content-disposition') &&
  !isSecret(path)

/** The answer in a coding, where it may be and is long enough; it says then what that hangs on. */
export function encodeAnswer(
  path: string,
  response: Response,
  coding: Coding | undefined,
): Response | Promise<Response> {
  if (!isCodable(path, response)) return response
  varyByCoding(response.headers)
  return coding ? encodeLong(response, coding) : response
}

/** In a coding where it is long enough. Its tag is that of all its codings. */
async function encodeLong(response: Response, coding: Coding): Promise<Response> {
  // A check for a body is left out: it would turn the body into a stream.
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length < CODED_BYTES_MIN) {
    const { status, headers } = response
    return new Response(bytes.length === 0 ? null : bytes, { status, headers })
  }
  return encodeBytes(response, bytes, coding)
}

/** UTF-8 takes at most so many bytes for one unit of a text. */
const BYTES_A_UNIT = 3

/** Encodes an answer whose JSON text is at hand. */
export function encodeText(
  path: string,
  { response, text }: { response: Response; text: string },
  coding: Coding,
): Response | Promise<Response> {
  if (text.length * BYTES_A_UNIT < CODED_BYTES_MIN || isSecret(path)) return response
  const bytes = new Uint8Array(Buffer.from(text))
  return bytes.length < CODED_BYTES_MIN ? response : encodeBytes(response, bytes, coding)
}

function encodeBytes(
  { status, headers }: Response,
  bytes: Bytes,
  coding: Coding,
): Response | Promise<Response> {
  const answer = (coded: Uint8Array): Response => {
    nameCoding(headers, coding)
    return new Response(coded as Bytes, { status, headers })
  }
  return bytes.length <= AT_ONCE_BYTES_MAX
    ? answer(compressAtOnce(bytes, coding))
    : compress(bytes, coding).then(answer)
}

/**
 * Adds `Vary`: the client's codings decide on the answer's, also for an uncoded answer or a 304;
 * else a cache would give one client the coding of another (RFC 9110, 12.5.5).
 */
export function varyByCoding(headers: Headers): void {
  if (!headers.get('vary')?.includes('Accept-Encoding')) headers.append('Vary', 'Accept-Encoding')
}

/** Says in the headers of an answer that its body is in a coding. */
export function nameCoding(headers: Headers, coding: Coding): void {
  headers.set('Content-Encoding', coding)
  const tag = headers.get('etag')
  if (tag?.startsWith('"')) headers.set('ETag', `W/${tag}`)
}

type Bytes = Uint8Array<ArrayBuffer>

const compressAtOnce = (bytes: Bytes, coding: Coding): Uint8Array =>
  coding === 'zstd'
    ? Bun.zstdCompressSync(bytes, { level: LEVEL.zstd })
    : Bun.gzipSync(bytes, { level: bytes.length <= SMALL_BYTES_MAX ? 1 : LEVEL.gzip })

const gzipLater = promisify<Bytes, { level: number }, Uint8Array>(gzip)
const zstdLater = promisify<Bytes, { params: Record<number, number> }, Uint8Array>(zstdCompress)

/** Compresses off the event loop. The default level is for text that changes each time. */
export const compress = (
  bytes: Bytes,
  coding: Coding,
  level: number = LEVEL[coding],
): Promise<Uint8Array> =>
  coding === 'zstd'
    ? zstdLater(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } })
    : gzipLater(bytes, { level })
