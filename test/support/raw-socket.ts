/** A client of a hub as bytes on a socket: it can be as rude as no library lets one be. */
import { connect, type Socket } from 'node:net'

const RECORD_END = '\x1e'

/** A masked text frame (RFC 6455, section 5.2); its mask is zero, which leaves the text alone. */
export function toFrame(text: string): Buffer {
  const body = Buffer.from(text)
  const { length } = body
  const head =
    length < 126
      ? Buffer.from([0x81, 0x80 | length])
      : length < 65_536
        ? Buffer.from([0x81, 0xfe, length >> 8, length & 0xff])
        : Buffer.from([
            0x81,
            0xff,
            0,
            0,
            0,
            0,
            ...[24, 16, 8, 0].map((by) => (length >> by) & 0xff),
          ])
  return Buffer.concat([head, Buffer.alloc(4), body])
}

/** A socket that has done both handshakes, of the WebSocket and of SignalR. */
export interface RawHubSocket {
  readonly socket: Socket
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
  /** Bytes that have come. */
  received(): number
  /** The received text, its last 64 KB. */
  text(): string
}

/** Connects with a token to a hub of the server at `url`. */
export async function openRawSocket(
  url: string,
  hub: string,
  token: string,
): Promise<RawHubSocket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let bytes = 0
  let isUpgraded = false
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const greeted = Promise.withResolvers<void>()
  socket.on('error', greeted.reject)
  socket.on('data', (chunk) => {
    bytes += chunk.length
    text = (text + chunk.toString('latin1')).slice(-65_536)
    if (!isUpgraded && text.includes('\r\n\r\n')) {
      isUpgraded = true
      socket.write(toFrame(`{"protocol":"json","version":1}${RECORD_END}`))
    }
    if (text.includes(`{}${RECORD_END}`)) greeted.resolve()
  })
  const head = [
    `GET /api/v1/hubs/${hub}?access_token=${token} HTTP/1.1`,
    ...[`Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', ''],
  ]
  socket.write(head.join('\r\n'))
  await greeted.promise
  return { socket, closed, received: () => bytes, text: () => text }
}
