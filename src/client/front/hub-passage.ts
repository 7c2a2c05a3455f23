/** Hubs on their way through: a connection to the engine for each of a browser. */
import type { Server, ServerWebSocket, WebSocketHandler } from 'bun'
import { tlsTo } from './passage.ts'
import { isOfOwnPage } from './refresh-cookie.ts'

/** Bytes that wait for one side before the connection ends: it does not read any more. */
const WAITING_BYTES_MAX = 1024 * 1024

/** WebSocket closes that a program may send (RFC 6455, 7.4). */
const mayClose = (code: number): boolean => code === 1000 || (code >= 3000 && code < 5000)

const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

/** The state of one connection of a browser. */
export interface HubLink {
  target: string
  headers: Record<string, string>
  tls: { rejectUnauthorized: boolean }
  engine: WebSocket | undefined
  /** Messages of the browser that came before the engine had answered. */
  early: (string | Uint8Array<ArrayBuffer>)[]
  /** Their sizes together. */
  earlyBytes: number
}

/** Takes a browser's upgrade; false where it is none. */
export function upgradeHub(
  request: Request,
  {
    server,
    target,
    address,
  }: { server: Server<HubLink>; target: URL; address: string | undefined },
): boolean {
  const headers: Record<string, string> = {}
  const authorization = request.headers.get('authorization')
  if (authorization !== null) headers.Authorization = authorization
  // A page of another origin is the engine's to judge (`Svc:Cors:Origins`).
  const origin = request.headers.get('origin')
  if (origin !== null && !isOfOwnPage(request)) headers.Origin = origin
  const before = request.headers.get('x-forwarded-for')
  if (address !== undefined)
    headers['X-Forwarded-For'] = before === null ? address : `${before}, ${address}`
  const data: HubLink = {
    target: target.href.replace(/^http/, 'ws'),
    headers,
    tls: tlsTo(target),
    engine: undefined,
    early: [],
    earlyBytes: 0,
  }
  return server.upgrade(request, { data })
}

/** Both directions of each connection. */
export const HUB_PASSAGE: WebSocketHandler<HubLink> = {
  maxPayloadLength: WAITING_BYTES_MAX,
  backpressureLimit: WAITING_BYTES_MAX,
  closeOnBackpressureLimit: true,
  idleTimeout: 120,
  open: connect,
  message(browser, message) {
    const { data } = browser
    const { engine, early } = data
    const sent = typeof message === 'string' ? message : new Uint8Array(message)
    const isOpen = engine?.readyState === WebSocket.OPEN
    // A browser that sends more than the engine takes ends, as one that does not read.
    const waiting = isOpen ? engine.bufferedAmount : data.earlyBytes
    if (waiting > WAITING_BYTES_MAX) return browser.close(TRY_AGAIN_LATER)
    if (isOpen) engine.send(sent)
    else {
      early.push(sent)
      data.earlyBytes += sent.length
    }
  },
  close({ data }, code) {
    if (mayClose(code)) data.engine?.close(code)
    else data.engine?.close()
  },
}

function connect(browser: ServerWebSocket<HubLink>): void {
  const { target, headers, tls, early } = browser.data
  const engine = new WebSocket(target, { headers, tls })
  engine.binaryType = 'arraybuffer'
  browser.data.engine = engine
  engine.addEventListener('open', () => {
    for (const message of early.splice(0)) engine.send(message)
  })
  engine.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    browser.send(data)
  })
  engine.addEventListener('close', ({ code, reason }) => {
    browser.close(mayClose(code) ? code : code === 1006 ? TRY_AGAIN_LATER : GOING_AWAY, reason)
  })
}
