/** The two routes of a hub: negotiation, and the connection itself. */
import { createHash } from 'node:crypto'
import { type TSchema, Type } from '@sinclair/typebox'
import { denied, invalid, notFound } from '../../kernel/failure.ts'
import { newSecret } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'
import { named, oneOf, Values } from '../../kernel/schema.ts'
import type { RequestCall } from '../call.ts'
import type { AppContext } from '../context.ts'
import { HUBS_PATH } from '../cors.ts'
import type { DeclareHub } from '../feature.ts'
import type { Channel } from './channel.ts'
import type { Hub, HubArguments } from './hub.ts'
import { isOwnOrigin } from '../own-origin.ts'
import { ok } from '../reply.ts'
import { QUERY_TOKEN } from '../route-table.ts'
import { route, type RouteGroup } from '../route.ts'
import { Envelope } from '../schema.ts'

const Negotiation = named(
  'HubNegotiation',
  Type.Object(
    {
      negotiateVersion: Type.Optional(Type.Integer({ description: 'Left out for version 0' })),
      connectionId: Type.String({ description: 'What the connection is called' }),
      connectionToken: Type.Optional(Type.String({ description: 'Names it when it is opened' })),
      availableTransports: Type.Array(
        named(
          'HubTransport',
          Type.Object({ transport: Type.String(), transferFormats: Type.Array(Type.String()) }),
        ),
      ),
    },
    {
      examples: [
        {
          negotiateVersion: 1,
          connectionId: 'mJQ2kXn0b4sUu2E6nQ5f1g',
          connectionToken: 'xQ9v1cTn3bW8yR5zL0aHkA',
          availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
        },
      ],
    },
  ),
)

const Argument = named(
  'HubArgument',
  Type.Object({ Name: Type.String(), Schema: { ...Values, description: 'A JSON Schema' } }),
)

const Description = named(
  'HubDescription',
  Type.Object(
    {
      Name: Type.String(),
      Methods: Type.Array(
        named(
          'HubMethod',
          Type.Object({
            Name: Type.String(),
            Kind: oneOf(['method', 'stream']),
            Description: Type.String(),
            Arguments: Type.Array(Argument, { description: 'In their order, with JSON Schemas' }),
          }),
        ),
      ),
      Events: Type.Array(
        named(
          'HubEvent',
          Type.Object({
            Name: Type.String({ description: 'Method of the client that the server calls' }),
            Description: Type.String(),
            Arguments: Type.Array(Argument),
          }),
        ),
      ),
    },
    {
      examples: [
        {
          Name: 'notifications',
          Methods: [
            {
              Name: 'Open',
              Kind: 'method',
              Description: 'Tells that the caller has a record open',
              Arguments: [{ Name: 'object', Schema: { type: 'string' } }],
            },
          ],
          Events: [],
        },
      ],
    },
  ),
)

/** Characters of a connection's token. */
const TOKEN_BYTES = 16
const TOKEN = /^[\w-]{22}$/

/** Returns the id of a connection, which follows from its secret token. */
const toId = (token: string): string =>
  createHash('sha256').update(token).digest('base64url').slice(0, 22)

/** A member of a query, which may have others that a client adds; the last of a name counts. */
const queryMember = ({ url }: Request, name: string): string | undefined =>
  new URL(url).searchParams.getAll(name).at(-1)

/** SignalR's own answer, without the envelope. */
function negotiate({ app, caller, request }: RequestCall) {
  app.hubs.requireRoom(caller)
  const token = newSecret(TOKEN_BYTES)
  const transports = [{ transport: 'WebSockets', transferFormats: ['Text'] }]
  if (Number(queryMember(request, 'negotiateVersion') ?? 0) < 1)
    return { connectionId: token, availableTransports: transports }
  return {
    negotiateVersion: 1,
    connectionId: toId(token),
    connectionToken: token,
    availableTransports: transports,
  }
}

/** @throws notFound for what no negotiation gave; a client may leave it out */
function readId(token: string | undefined): string {
  if (token === undefined) return toId(newSecret(TOKEN_BYTES))
  if (!TOKEN.test(token)) throw notFound(say`There is no such connection`)
  return toId(token)
}

/**
 * A browser says where its page is from: it may connect from the server's own pages and from the
 * origins of `Svc:Cors:Origins`. Other clients say nothing. @throws denied
 */
function requireOrigin(app: AppContext, request: Request): void {
  if (!isOwnOrigin(app, request))
    throw denied(say`Pages of this origin are not allowed to connect`, 'ORIGIN_DENIED')
}

const isHandshake = ({ headers }: Request): boolean =>
  headers.get('upgrade')?.toLowerCase() === 'websocket'

function connect(channel: Channel, call: RequestCall): Response {
  const { app, request, caller, facts, traceId, server } = call
  requireOrigin(app, request)
  app.hubs.requireRoom(caller)
  const id = readId(queryMember(request, 'id'))
  const arrival = { request: facts.received, id, caller, traceId }
  if (!server || !app.hubs.connect(server, channel, arrival))
    throw invalid(say`This is not a WebSocket handshake`)
  // Bun has answered; this is for the log.
  return new Response(null, { status: 101 })
}

const describeArguments = (args: HubArguments): { Name: string; Schema: TSchema }[] =>
  Object.entries(args).map(([Name, Schema]) => ({ Name, Schema }))

const describeHub = ({ name, parts }: Hub) => ({
  Name: name,
  Methods: parts.flatMap(({ methods = {} }) =>
    Object.entries(methods).map(([Name, { kind, description, arguments: args }]) => ({
      Name,
      Kind: kind,
      Description: description,
      Arguments: describeArguments(args),
    })),
  ),
  Events: parts.flatMap(({ events = {} }) =>
    Object.entries(events).map(([Name, { description, arguments: args }]) => ({
      Name,
      Description: description,
      Arguments: describeArguments(args),
    })),
  ),
})

/** Methods and events as a list in a route's description. */
function listAll(hub: Hub): string {
  const { Methods, Events } = describeHub(hub)
  const line = ({ Name, Description, Arguments }: (typeof Events)[number]): string =>
    `- \`${Name}(${Arguments.map((argument) => argument.Name).join(', ')})\`: ${Description}`
  return [
    hub.description,
    ...(Methods.length > 0 ? ['', 'The client calls:', '', ...Methods.map(line)] : []),
    ...(Events.length > 0 ? ['', 'The server calls:', '', ...Events.map(line)] : []),
  ].join('\n')
}

/** The routes of a hub. */
export function hubRoutes(app: AppContext, declare: DeclareHub, area: string): RouteGroup {
  const channel = app.hubs.openChannel()
  const hub = declare(app, channel)
  channel.serve(hub)
  const name = hub.name.replace(/^./, (first) => first.toUpperCase())
  const negotiation = {
    response: Negotiation,
    detail: {
      ...QUERY_TOKEN,
      'x-gate': hub.gate,
      operationId: `negotiate${name}`,
      summary: `Connect to the hub: ${hub.summary}`,
      description: listAll(hub),
    },
  }
  const connection = {
    response: Envelope(Description),
    detail: {
      ...QUERY_TOKEN,
      'x-gate': hub.gate,
      operationId: `describe${name}Hub`,
      summary: `What the hub offers: ${hub.summary}`,
      description:
        'With the handshake of a WebSocket (RFC 6455) this is the hub itself, which speaks ' +
        'the SignalR JSON protocol, version 1; without one its methods and events.',
    },
  }
  return {
    prefix: `${HUBS_PATH}/${hub.name}`,
    area,
    routes: [
      route('POST', '/negotiate', negotiation, negotiate),
      route('GET', '', connection, (call) =>
        isHandshake(call.request) ? connect(channel, call) : ok(describeHub(hub)),
      ),
    ],
  }
}
