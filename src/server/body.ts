/** Request bodies: JSON objects in UTF-8, limited in size and depth. Everything else is refused. */
import { type Failure, invalid, tooLarge } from '../kernel/failure.ts'
import { findJsonFault, type JsonFault } from '../kernel/json-fault.ts'
import { parseJsonInTurns } from '../kernel/json-in-turns.ts'
import { holdsMoreValues } from '../kernel/json-values.ts'
import { BODY_DEPTH_MAX, JSON_VALUES_MAX } from '../kernel/limits.ts'
import { type Message, say } from '../kernel/messages.ts'
import { parseJsonExactly } from '../kernel/numerals.ts'
import { yieldToOthers } from '../kernel/yielder.ts'
import type { BodyBudget, HeldBody } from './body-budget.ts'

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i
const FOREIGN_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i

/** The code of a 400 for a body that is no JSON text. */
export const MALFORMED_JSON = 'MALFORMED_JSON'

/** Milliseconds that a body may take, and its least speed beyond that. */
const BODY_MS = 60_000
const LEAST_BYTES_A_MS = 16

/** Bytes up to which a body is read, parsed and cleaned in one turn of the event loop. */
const SMALL_BYTES = 64 * 1024

/** Checks that a body is so large that what is done with all of it leaves turns to others. */
export const isLarge = (held: HeldBody | undefined): boolean => (held?.bytes ?? 0) > SMALL_BYTES

/** Limits of a body. */
export interface BodyLimits {
  bytesMax: number
  /** Most values; default: as many as any body may have. */
  valuesMax?: number
  budget: BodyBudget
  /** Caller for whom the budget counts it. */
  caller: string
  /** Receives the body's hold on the budget, to be released with the answer. */
  keep: (held: HeldBody) => void
  /** Default: a minute, and more for a large body. */
  deadlineMs?: number
}

/**
 * Reads the JSON object that a request carries; `{}` without a body. Throws 413 as soon as the body
 * is known to be over `bytesMax`, 503 when too much is sent at once, and 400 for a body that takes
 * too long, another media type, broken UTF-8, text that is not JSON (with its line and column), a
 * value that is not an object, or one that is nested too deep or has too many values.
 * A number that a double would change is a `LongNumeral`, so that no field stores another one.
 * A byte order mark is skipped; of duplicate members the last one counts (ECMA-262, JSON.parse).
 */
export async function readJsonObject(
  request: Request,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, limits)
  const isLong = bytes.length > SMALL_BYTES
  requireFew(bytes, limits.valuesMax)
  if (isLong) await yieldToOthers()
  const text = decode(bytes)
  if (text.trim() === '') return {}
  const type = request.headers.get('content-type')
  if (type === null || !JSON_TYPE.test(type) || FOREIGN_CHARSET.test(type))
    throw invalid(say`The body must be sent as Content-Type: application/json, in UTF-8`)
  if (isLong) await yieldToOthers()
  const { value, depth = 0 } = isLong ? await parseLarge(text) : { value: parse(text) }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(say`The body must be a JSON object`)
  if (depth > BODY_DEPTH_MAX) throw tooDeep()
  if (!isLong) cleanJson(value)
  // What follows, the match with a schema, has a turn of its own.
  else await yieldToOthers()
  return value as Record<string, unknown>
}

async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { bytesMax } = limits
  const length = request.headers.get('content-length')
  const declared = length === null ? 0 : Number(length)
  if (declared > bytesMax) throw tooLong(bytesMax)
  const isChunked = request.headers.get('transfer-encoding') !== null
  const expected = isChunked ? bytesMax : declared
  // Only a chunked body has no length that Bun's parser holds the sender to.
  const isStreamed = isChunked || declared > SMALL_BYTES
  const reading = new Reading(request, limits.deadlineMs ?? BODY_MS + expected / LEAST_BYTES_A_MS)
  const held = limits.budget.hold(limits.caller, declared, (failure) => reading.end(failure))
  limits.keep(held)
  coming.add(reading)
  try {
    const bytes = isStreamed
      ? await reading.readChunks((size) => {
          if (size > bytesMax) throw tooLong(bytesMax)
          if (size > declared) held.grow(size - declared)
        })
      : await reading.readWhole()
    if (bytes.length > bytesMax) throw tooLong(bytesMax)
    if (bytes.length > held.bytes) held.grow(bytes.length - held.bytes)
    return bytes
  } finally {
    held.isWhole()
    coming.delete(reading)
  }
}

/** An arriving body, until it is whole, too late, or ended in favour of other callers. */
class Reading {
  /** By the monotonic clock. */
  readonly endsAt: number
  readonly #request: Request
  #failure: Failure | undefined
  #reject: ((failure: Failure) => void) | undefined
  #reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> | undefined

  constructor(request: Request, deadlineMs: number) {
    this.#request = request
    this.endsAt = performance.now() + deadlineMs
  }

  /** Fails the wait for the body; the rest of it is not waited for. */
  end(failure: Failure): void {
    this.#failure ??= failure
    this.#reject?.(failure)
    this.#reader?.cancel().catch(() => {})
  }

  readWhole(): Promise<Uint8Array> {
    return this.#orEnd(this.#request.bytes())
  }

  /** Calls `onSize` with the bytes that have come so far; it throws for too many. */
  async readChunks(onSize: (bytes: number) => void): Promise<Uint8Array> {
    const reader = this.#request.body?.getReader()
    if (!reader) return new Uint8Array()
    this.#reader = reader
    const chunks: Uint8Array[] = []
    let size = 0
    for (;;) {
      const { value, done } = await this.#orEnd(reader.read())
      // A reader that was ended says that it is done.
      if (this.#failure) throw this.#failure
      if (done) return Buffer.concat(chunks, size)
      size += value.length
      onSize(size)
      chunks.push(value)
    }
  }

  #orEnd<T>(read: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      read.then(resolve, reject)
      if (this.#failure) reject(this.#failure)
    })
  }
}

const SWEEP_MS = 250

/** Bodies that come now, with one timer for all: most are there before one would be set. */
class Coming {
  readonly #readings = new Set<Reading>()
  #timer: ReturnType<typeof setInterval> | undefined

  add(reading: Reading): void {
    this.#readings.add(reading)
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS)
  }

  delete(reading: Reading): void {
    this.#readings.delete(reading)
  }

  #sweep(): void {
    const now = performance.now()
    for (const reading of this.#readings) if (reading.endsAt <= now) reading.end(tooSlow())
    if (this.#readings.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const coming = new Coming()

const tooSlow = (): Failure =>
  invalid(say`The request body arrived too slowly`, {
    code: 'BODY_TOO_SLOW',
    headers: { Connection: 'close' },
  })

const tooLong = (bytesMax: number): Failure =>
  tooLarge(say`The body is over ${Math.floor(bytesMax / 1024)} KB`)

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid(say`The body is not valid UTF-8`, { code: MALFORMED_JSON })
  }
}

/** Refuses what holds too many values, before they are made. */
function requireFew(bytes: Uint8Array, valuesMax = JSON_VALUES_MAX): void {
  if (holdsMoreValues(bytes, valuesMax))
    throw invalid(say`The body has more than ${valuesMax} values`)
}

function describeFault(fault: JsonFault | undefined): Message {
  if (!fault) return say`The body is not valid JSON. The error is after the first 256 KB.`
  const { line, column, problem } = fault
  return say`The body is not valid JSON: line ${line}, column ${column}: ${problem}`
}

function parse(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    throw malformed(text)
  }
}

/** The same, while others have turns; the value is clean, and as deep as it says. */
async function parseLarge(text: string): Promise<{ value: unknown; depth?: number }> {
  try {
    return await parseJsonInTurns(text, cleanObject)
  } catch {
    throw malformed(text)
  }
}

function malformed(text: string): Failure {
  return invalid(describeFault(findJsonFault(text)), { code: MALFORMED_JSON })
}

const tooDeep = (): Failure => invalid(say`The body is nested deeper than ${BODY_DEPTH_MAX} levels`)

/**
 * Refuses a value that is nested deeper than anything we read, before a validator descends into it,
 * and drops members named `__proto__`, which an assignment could turn into a prototype.
 */
export function cleanJson(value: object, depth = 1): void {
  if (depth > BODY_DEPTH_MAX) throw tooDeep()
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const item of inner)
    if (typeof item === 'object' && item !== null) cleanJson(item, depth + 1)
  cleanObject(value)
}

function cleanObject(value: object): void {
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  // Else a template that holds the value would throw, as Elysia's text of a schema refusal does.
  if (Object.hasOwn(value, 'toString'))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => '{}' })
}
