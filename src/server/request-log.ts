/** One line of the log for each request: the route, the caller, the status and the time taken. */
import type { Clock } from '../kernel/clock.ts'
import { toIsoTime } from '../kernel/iso-time.ts'
import type { Log } from '../kernel/log.ts'
import { addressOf, type Located, type RequestFacts } from './session.ts'

interface AnsweredRequest {
  method: string
  /** Facts of the request; the path is without the query, which may hold a user's search text. */
  facts: Pick<RequestFacts, 'path' | 'traceId' | 'caller'> & Located
  status: number
  /** Bytes of the body, if known beforehand. */
  bytes: string | null
  milliseconds: number
}

/** Statuses whose address is logged: it identifies a client that guesses. */
const NOT_LET_IN: ReadonlySet<number> = new Set([401, 429])

/** A path that needs no escapes in JSON. */
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
