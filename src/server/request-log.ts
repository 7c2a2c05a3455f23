/**
 * One line of the log for each request: what was requested, by whom, how it ended and how long it
 * took.
 */
import type { Clock } from '../kernel/clock.ts'
import { toIsoTime } from '../kernel/iso-time.ts'
import type { Log } from '../kernel/log.ts'
import { addressOf, type Located, type RequestFacts } from './session.ts'

interface AnsweredRequest {
  method: string
  /** Its path stands without the query, which may hold what somebody searched for. */
  facts: Pick<RequestFacts, 'path' | 'traceId' | 'caller'> & Located
  status: number
  /** Of the body, where its length is known beforehand. */
  bytes: string | null
  milliseconds: number
}

/** Their address is logged: whoever guesses at the doors is found by it. */
const NOT_LET_IN: ReadonlySet<number> = new Set([401, 429])

/** A path that stands in JSON as it is. */
const PLAIN = /^[!#-[\]-~]*$/

/** Writes the line. Spelled by hand, as it is written for every request. */
export function logRequest(log: Log, clock: Clock, request: AnsweredRequest): void {
  const { caller, path, traceId } = request.facts
  const who = caller ? `,"user":${caller.userId},"company":${caller.companyId}` : ''
  const by = caller?.impersonatorId === undefined ? '' : `,"impersonator":${caller.impersonatorId}`
  const address = NOT_LET_IN.has(request.status) ? addressOf(request.facts) : undefined
  const from = address === undefined ? '' : `,"address":${JSON.stringify(address)}`
  const size = request.bytes === null ? '' : `,"bytes":${Number(request.bytes)}`
  const named = PLAIN.test(path) ? `"${path}"` : JSON.stringify(path)
  log.line(
    `{"at":"${toIsoTime(clock.now())}","level":"info","message":"request"` +
      `,"method":"${request.method}","path":${named}` +
      `,"status":${request.status},"ms":${request.milliseconds.toFixed(2)}` +
      `${size}${who}${by}${from}` +
      `,"traceId":"${traceId}"}`,
  )
}
