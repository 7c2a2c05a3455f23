/** Identifiers and secrets: random, never guessable, never derived from anything. */
import { randomBytes } from 'node:crypto'

const TRACE_ID_DIGITS = 32
/** Trace ids that are drawn together: every request needs one. */
const TRACE_IDS_DRAWN = 64

let digits = ''
let used = 0

/** A new trace id: 32 lower-case hexadecimal digits (W3C Trace Context). */
export function newTraceId(): string {
  if (used === digits.length) {
    digits = randomBytes((TRACE_IDS_DRAWN * TRACE_ID_DIGITS) / 2).toString('hex')
    used = 0
  }
  const id = digits.slice(used, used + TRACE_ID_DIGITS)
  used += TRACE_ID_DIGITS
  return id
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/**
 * The trace id of a `traceparent` header, or undefined when the header is not one
 * (W3C Trace Context, section 3.2: version ff and all-zero ids are invalid).
 */
export function findTraceId(traceparent: string): string | undefined {
  const [, version, trace, parent, rest] = TRACEPARENT.exec(traceparent) ?? []
  if (trace === undefined || parent === undefined || version === 'ff') return undefined
  if (version === '00' && rest !== undefined) return undefined
  return /^0+$/.test(trace) || /^0+$/.test(parent) ? undefined : trace
}

/** The span of the caller in a `traceparent` header that `findTraceId` takes. */
export const findParentId = (traceparent: string): string | undefined =>
  findTraceId(traceparent) === undefined ? undefined : traceparent.split('-')[2]

/** The `traceparent` of a request that follows from a trace; undefined for one that W3C has not. */
export const toTraceparent = (traceId: string | null): string | undefined =>
  traceId !== null && /^(?!0+$)[0-9a-f]{32}$/.test(traceId)
    ? `00-${traceId}-${randomBytes(8).toString('hex')}-01`
    : undefined

/** A new identifier that sorts by the time of its making (UUID version 7). */
export const newId = (): string => Bun.randomUUIDv7()

/** A secret of `bytes` random bytes as base64url: 32 bytes are 43 characters. */
export const newSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url')
