/** Request bodies: JSON objects in UTF-8, limited in size and depth. Everything else is refused. */
import { invalid, tooLarge } from '../kernel/failure.ts'
import type { Failure } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { findJsonFault } from '../kernel/json-fault.ts'
import { holdsMoreValues } from '../kernel/json-values.ts'
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../kernel/limits.ts'

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i
const FOREIGN_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i

/**
 * The JSON object that a request carries; `{}` when it carries nothing. Throws 413 as soon as the
 * body is known to be over `bytesMax`, and 400 for another media type, broken UTF-8, text that is
 * no JSON (with its line and column), a value that is no object, or one that is nested too deep or
 * has too many values.
 * A byte order mark is skipped; of duplicate members the last one counts (ECMA-262, JSON.parse).
 */
export async function readJsonObject(
  request: Request,
  bytesMax: number,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, bytesMax)
  requireFew(bytes)
  const text = decode(bytes)
  if (text.trim() === '') return {}
  const type = request.headers.get('content-type')
  if (type === null || !JSON_TYPE.test(type) || FOREIGN_CHARSET.test(type))
    throw invalid(say`The body must be sent as Content-Type: application/json, in UTF-8`)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(say`The body must be a JSON object`)
  clean(value, 1)
  return value as Record<string, unknown>
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) > bytesMax) throw tooLong(bytesMax)
  // Only a chunked body has no length that Bun's parser holds the sender to.
  const bytes =
    request.headers.get('transfer-encoding') === null
      ? await request.bytes()
      : await readChunks(request, bytesMax)
  if (bytes.length > bytesMax) throw tooLong(bytesMax)
  return bytes
}

async function readChunks(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > bytesMax) throw tooLong(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

const tooLong = (bytesMax: number): Failure =>
  tooLarge(say`The body is over ${Math.floor(bytesMax / 1024)} KB`)

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid(say`The body is not valid UTF-8`)
  }
}

/** Refuses what holds too many values, before they are made. */
function requireFew(bytes: Uint8Array): void {
  if (holdsMoreValues(bytes, JSON_VALUES_MAX))
    throw invalid(say`The body holds more than ${JSON_VALUES_MAX} values`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    const { line, column, problem } = findJsonFault(text)
    throw invalid(say`The body is no JSON: line ${line}, column ${column}: ${problem}`, {
      code: 'MALFORMED_JSON',
    })
  }
}

/**
 * Refuses what is nested deeper than anything we read, before a validator descends into it, and
 * drops members named `__proto__`, which an assignment further in could turn into a prototype.
 */
function clean(value: object, depth: number): void {
  if (depth > JSON_DEPTH_MAX)
    throw invalid(say`The body is nested deeper than ${JSON_DEPTH_MAX} levels`)
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const item of inner) if (typeof item === 'object' && item !== null) clean(item, depth + 1)
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  // Else whoever put it into a text, as Elysia does with what a schema refuses, would throw.
  if (Object.hasOwn(value, 'toString'))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => '{}' })
}
