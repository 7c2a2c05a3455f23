/** The whole application behind a real socket, and the stock client of SignalR at its hubs. */
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  LogLevel,
} from '@microsoft/signalr'
import { startBackground } from '../../src/kernel/background.ts'
import type { DeclareHub, Feature } from '../../src/server/feature.ts'
import { Connection } from '../../src/server/hub/connection.ts'
import { createApp, FEATURES, listen, startServices } from '../../src/app.ts'
import { type AppOptions, startApp, type TestApp } from './app.ts'

/** A running server. `await using` stops it. */
export interface HubServer extends TestApp {
  /** `http://127.0.0.1:12345` */
  readonly url: string
  /** A client of a hub that is not started yet; `as` is a user, or an access token. */
  client(hub: string, as: string, options?: ClientOptions): HubConnection
  /** A WebSocket at a hub on which nothing was said yet. */
  socket(hub: string, as: string, options?: { headers?: Record<string, string> }): WebSocket
}

export interface ClientOptions {
  /** A WebSocket at once, without a negotiation. */
  skipsNegotiation?: boolean
  /** Milliseconds before each attempt to come back. */
  reconnects?: number[]
}

export interface HubServerOptions extends AppOptions {
  /** Hubs beside those of the product. */
  hubs?: readonly DeclareHub[]
  /** Without them nobody looks after connections. */
  withoutLoops?: boolean
}

/** Starts the server for one test. */
export async function startHubs(options: HubServerOptions = {}): Promise<HubServer> {
  const { hubs = [], withoutLoops = false, ...rest } = options
  const app = await startApp(rest)
  const extra: Feature = {
    areas: [{ name: 'Test', description: 'Hubs of the test' }],
    routes: [],
    hubs,
  }
  const features = [...FEATURES, extra]
  const served = createApp(app.context, features)
  const { listeners } = app.context
  const port = await listen(app.context, served, { host: '127.0.0.1', port: 0 })
  const background = withoutLoops
    ? await startBackground([])
    : await startServices(app.context, { features })
  const address = `127.0.0.1:${port}`
  const tokenOf = (as: string): string => app.tokens[as] ?? as
  return {
    ...app,
    url: `${listeners.scheme}://${address}`,
    client: (hub, as, given = {}) => {
      const builder = new HubConnectionBuilder().configureLogging(LogLevel.None)
      builder.withUrl(`http://${address}/api/v1/hubs/${hub}`, {
        accessTokenFactory: () => tokenOf(as),
        ...(given.skipsNegotiation === true && {
          skipNegotiation: true,
          transport: HttpTransportType.WebSockets,
        }),
      })
      if (given.reconnects) builder.withAutomaticReconnect(given.reconnects)
      return builder.build()
    },
    socket: (hub, as, { headers = {} } = {}) =>
      new WebSocket(`${listeners.scheme.replace('http', 'ws')}://${address}/api/v1/hubs/${hub}`, {
        tls: { rejectUnauthorized: false },
        headers: { Authorization: `Bearer ${tokenOf(as)}`, ...headers },
      } as unknown as string[]),
    [Symbol.asyncDispose]: async () => {
      await background[Symbol.asyncDispose]()
      await app.context.hubs.close(0)
      await listeners.stop(true)
      await app[Symbol.asyncDispose]()
    },
  }
}

/** A client that is connected. */
export async function connect(client: HubConnection): Promise<HubConnection> {
  await client.start()
  return client
}

/** Cuts connections off, as a network does: nobody says good-bye. */
export function cutOff(connections: Iterable<unknown>): void {
  for (const connection of connections) if (connection instanceof Connection) connection.terminate()
}

/** Resolves with the arguments of the next call of a client's method. */
export const nextCall = (client: HubConnection, event: string): Promise<unknown[]> =>
  new Promise((resolve) => {
    const listen = (...args: unknown[]): void => {
      client.off(event, listen)
      resolve(args)
    }
    client.on(event, listen)
  })

/** Resolves when the client is closed, with its error if it was not the client's own wish. */
export const closingOf = (client: HubConnection): Promise<Error | undefined> =>
  new Promise((resolve) => client.onclose(resolve))
