/** Requests to addresses that a user or an author named. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { type Message, say } from '../../kernel/messages.ts'
import {
  checkOutboundUrl,
  hostOf,
  INNER_HOST,
  type OutboundPolicy,
  OutboundRefusal,
  portOf,
  resolveOutbound,
} from './outbound-policy.ts'

export interface OutboundRequest {
  method: 'POST' | 'PUT' | 'GET'
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | string
  /** Milliseconds for all of it: name, connection and the whole answer. */
  timeoutMs: number
  /** Bytes of the answer's body that are read; of more the first. */
  answerBytesMax: number
  signal?: AbortSignal
}

export interface OutboundAnswer {
  /** A redirect is an answer like another: it is not followed. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** True when the answer's body has more bytes than were read. */
  isCut: boolean
}

/** A request without an answer: no connection, a false certificate, a timeout, no HTTP. */
export class OutboundFailure extends Error {
  /** The code of the system: `ECONNREFUSED`, `CERT_HAS_EXPIRED`, `ETIMEDOUT`. */
  readonly code: string
  /** The message for the user who named the address. */
  readonly text: Message

  constructor(code: string, cause: unknown) {
    const text = say`No answer: ${code}`
    super(String(text), { cause })
    this.code = code
    this.text = text
  }
}

/**
 * Sends one request and reads its answer, by a connection of its own to an address that was
 * checked now. The receiver's certificate must be that of the name in the URL.
 *
 * By `node:https`, as measured under Bun 1.4.5: `fetch` with an address in the URL and the name
 * as `tls.serverName` checks the certificate, too, but goes through whatever `HTTPS_PROXY` names,
 * which resolves and connects by itself. Here `lookup` is asked once, proxies and redirects are
 * not followed, an answer is not unpacked, and headers without end fail.
 *
 * @throws OutboundRefusal, OutboundFailure
 */
export async function sendOutbound(
  address: string,
  sent: OutboundRequest,
  policy: OutboundPolicy,
): Promise<OutboundAnswer> {
  const url = checkOutboundUrl(address, policy)
  const timeout = AbortSignal.timeout(sent.timeoutMs)
  const signal = sent.signal ? AbortSignal.any([timeout, sent.signal]) : timeout
  const addresses = await beforeAbort(resolveOutbound(url, policy), signal)
  return exchange(planRequest(url, addresses, policy), { url, sent, signal })
}

/**
 * Checks that a request may go to an address by now, without sending one.
 * @throws OutboundRefusal, also where its name is not resolved within the time
 */
export async function requireOutbound(
  address: string,
  timeoutMs: number,
  policy: OutboundPolicy,
): Promise<void> {
  const url = checkOutboundUrl(address, policy)
  try {
    await beforeAbort(resolveOutbound(url, policy), AbortSignal.timeout(timeoutMs))
  } catch (error) {
    throw error instanceof OutboundFailure ? new OutboundRefusal(INNER_HOST) : error
  }
}

function planRequest(
  url: URL,
  addresses: readonly string[],
  { ca }: OutboundPolicy,
): RequestOptions {
  const host = hostOf(url)
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const lookup: LookupFunction = (_, options, done) => {
    const [first] = found
    if (options.all) done(null, found)
    else if (first) done(null, first.address, first.family)
  }
  return {
    host,
    port: portOf(url),
    path: url.pathname + url.search,
    agent: false,
    lookup,
    ...(ca && { ca: [...ca] }),
    ...(isIP(host) === 0 && { servername: host }),
  }
}

interface Exchange {
  url: URL
  sent: OutboundRequest
  signal: AbortSignal
}

function exchange(plan: RequestOptions, { url, sent, signal }: Exchange): Promise<OutboundAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const fail = (error: unknown): void => reject(toFailure(error, signal))
  const body = Buffer.from(sent.body ?? '')
  const headers = {
    ...sent.headers,
    host: url.host,
    'accept-encoding': 'identity',
    'content-length': body.byteLength,
  }
  const options = { ...plan, headers, method: sent.method, signal }
  // Loaded with the first request: a start does not wait for it.
  const isSecure = url.protocol === 'https:'
  const client = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http')
  const request = client.request(options)
  request.on('error', fail)
  request.on('response', (answer) => {
    readAnswer(answer, sent.answerBytesMax)
      .then(resolve, fail)
      .finally(() => request.destroy())
  })
  request.end(body)
  return promise
}

async function readAnswer(answer: IncomingMessage, bytesMax: number): Promise<OutboundAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > bytesMax) break
  }
  const body = Buffer.concat(chunks).subarray(0, bytesMax)
  return { status: answer.statusCode ?? 0, headers: answer.headers, body, isCut: bytes > bytesMax }
}

function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(toFailure(signal.reason, signal))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

function toFailure(error: unknown, signal: AbortSignal): OutboundFailure {
  const isTimeout = signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
  if (isTimeout) return new OutboundFailure('ETIMEDOUT', error)
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return new OutboundFailure(typeof code === 'string' ? code : 'ABORTED', error)
}
