/**
 * A server of hub messages for the bench: the engine's hub, or (`bare`) `ws.publish` of Bun alone.
 * One message that comes in goes out to all who are connected. Prints its port and a token.
 */
import { echoHub, newEchoLog } from '../../test/support/echo-hub.ts'
import { startHubs } from '../../test/support/hubs.ts'
import { OFFICE } from '../../test/support/office.ts'
import { HANDSHAKE_DONE, writeEvent } from '../../src/server/hub/protocol.ts'

/** What is sent for each message, in both servers. */
const TEXT = 'x'.repeat(100)

const SETTINGS = {
  'Svc:Hubs:UserConnections': '20000',
  'Svc:Hubs:MessagesPerSecond': '10000',
  'Svc:Hubs:BytesPerSecond': '100MB',
}

if (process.argv[2] === 'bare') {
  const greeted = new WeakSet<object>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response()),
    websocket: {
      message: (socket) => {
        if (greeted.has(socket)) return void server.publish('all', writeEvent('said', [TEXT]))
        greeted.add(socket)
        socket.subscribe('all')
        socket.send(HANDSHAKE_DONE)
      },
    },
  })
  console.log(JSON.stringify({ port: server.port, token: '' }))
} else {
  const hubs = [echoHub(newEchoLog())]
  const server = await startHubs({ application: OFFICE, hubs, settings: SETTINGS })
  const { port } = new URL(server.url)
  console.log(JSON.stringify({ port: Number(port), token: server.tokens.clerk }))
}
