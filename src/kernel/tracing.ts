/** Spans of work for OpenTelemetry: ended ones go to their follower, if there is one. */
import { type Account, findAccount, newAccount, onAccount } from './charged.ts'
import { newTraceId } from './ids.ts'

/** The place of a work in a trace; what it causes is below it. */
interface SpanPlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
}

/** A work that has ended. Nothing in it is of a user, of a record, or a value. */
export interface EndedSpan extends SpanPlace {
  readonly name: string
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  readonly parentId?: string | undefined
  /** Milliseconds since 1970, with fractions. */
  readonly begin: number
  readonly end: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly isFailed: boolean
}

/** Takes spans, at once: it waits for nothing. */
type FollowSpans = (span: EndedSpan) => void

let current: FollowSpans | undefined

/** Follows the spans of this process from here on; undefined: none are made. */
export function followSpans(follow: FollowSpans | undefined): void {
  current = follow
}

/** The follower of spans, if there is one. */
export const findSpans = (): FollowSpans | undefined => current

/** The id of a new span. */
export const newSpanId = (): string => newTraceId().slice(0, 16)

/** A time of `performance.now()` in milliseconds since 1970. */
export const toEpoch = (time: number): number => performance.timeOrigin + time

/** Gives the work of an account its place in a trace, where spans are followed. */
export function openSpan(account: Account, traceId: string): void {
  if (current) account.span = { traceId, spanId: newSpanId() }
}

/** A work by what it does. */
type SpanName = Pick<EndedSpan, 'name' | 'kind' | 'attributes'>

interface TraceOptions {
  /** The trace's id, where the log knows the work by one. */
  traceId?: string
  /** Tells faults from errors that are answers, as refusals are; all are faults without it. */
  isFault?: (error: unknown) => boolean
}

/** Runs work that begins a trace of its own, with its span. */
export async function runTraced<T>(
  span: SpanName,
  work: () => Promise<T>,
  { traceId = newTraceId(), isFault }: TraceOptions = {},
): Promise<T> {
  if (!current) return work()
  const account = findAccount() ?? newAccount()
  const place = { traceId, spanId: newSpanId() }
  account.span = place
  return onAccount(account, () => timed({ ...span, ...place, isFault }, work))
}

/** Runs a part of the current work with a span below it; without one where it has none. */
export function runSpan<T>(name: () => SpanName, work: () => Promise<T>): Promise<T> {
  const parent = current && findAccount()?.span
  if (!parent) return work()
  const place = { traceId: parent.traceId, spanId: newSpanId() }
  return timed({ ...name(), ...place, parentId: parent.spanId }, work)
}

interface TimedSpan extends SpanName, SpanPlace {
  parentId?: string
  isFault?: TraceOptions['isFault']
}

async function timed<T>(
  { isFault = () => true, ...span }: TimedSpan,
  work: () => Promise<T>,
): Promise<T> {
  const begin = toEpoch(performance.now())
  let isFailed = false
  try {
    return await work()
  } catch (error) {
    isFailed = isFault(error)
    throw error
  } finally {
    current?.({ ...span, begin, end: toEpoch(performance.now()), isFailed })
  }
}
