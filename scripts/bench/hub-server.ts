/**
 * A server of hub messages for the bench: the engine's hub, or (`bare`) `ws.publish` of Bun alone.
 * One message that comes in goes out to all who are connected. Prints its port and a token.
 */
import { Type } from '@sinclair/typebox'
import { systemScope } from '../../src/store/store.ts'
import type { AppContext } from '../../src/server/context.ts'
import type { DeclareHub } from '../../src/server/feature.ts'
import { AUTHENTICATED } from '../../src/server/gate.ts'
import { hubMethod } from '../../src/server/hub/hub.ts'
import { HANDSHAKE_DONE, writeEvent } from '../../src/server/hub/protocol.ts'
import { ADMINISTRATORS } from '../../test/support/administrators.ts'
import { echoHub, newEchoLog } from '../../test/support/echo-hub.ts'
import { startHubs } from '../../test/support/hubs.ts'

/** The payload of each message, in both servers. */
const TEXT = 'x'.repeat(100)

const SETTINGS = {
  'Svc:Hubs:UserConnections': '20000',
  'Svc:Hubs:MessagesPerSecond': '10000',
  'Svc:Hubs:BytesPerSecond': '100MB',
}

const SAY = { description: 'Changes the row', arguments: { text: Type.String() } }

const write = ({ store }: AppContext, sql: string): Promise<number> =>
  store.write((tx) => tx.run(sql), systemScope('the bench changes a row'))

const move = (app: AppContext): Promise<number> =>
  write(app, 'UPDATE cases SET Cost = Cost + 1 WHERE Id = 1')

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
} else if (process.argv[2] === 'changes') {
  // One message that comes in changes a row that all see who subscribe to its view.
  const mover: DeclareHub = (app) => ({
    name: 'echo',
    gate: AUTHENTICATED,
    summary: 'the bench',
    description: 'For the bench.',
    parts: [{ methods: { Say: hubMethod({ ...SAY, run: () => move(app) }) } }],
  })
  const server = await startHubs({ application: ADMINISTRATORS, hubs: [mover], settings: SETTINGS })
  await write(
    server.context,
    `INSERT INTO cases (Id, CompanyId, Title, Cost) VALUES (1, 1, 'x', 0)`,
  )
  const { port } = new URL(server.url)
  console.log(JSON.stringify({ port: Number(port), token: server.tokens.mgr }))
} else {
  const hubs = [echoHub(newEchoLog())]
  const server = await startHubs({ application: ADMINISTRATORS, hubs, settings: SETTINGS })
  const { port } = new URL(server.url)
  console.log(JSON.stringify({ port: Number(port), token: server.tokens.clerk }))
}
