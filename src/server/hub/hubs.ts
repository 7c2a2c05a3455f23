/** All hub connections of the server: their start, their limits and their end. */
import type { ServerWebSocket, WebSocketHandler } from 'bun'
import { Loop } from '../../kernel/background.ts'
import { sleep } from '../../kernel/clock.ts'
import { Failure, tooMany } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { ReadLog } from '../../engine/audit/work-reads.ts'
import { EXPOSE_ERRORS } from '../floor.ts'
import { SENT_BYTES_MAX } from './calls.ts'
import { Channel } from './channel.ts'
import { Connection, type ConnectionShare, type HubMessages, PING_TOPIC } from './connection.ts'
import { PING } from './protocol.ts'
import { HUBS, readHubLimits } from './settings.ts'
import { UserStreams } from './user-streams.ts'
import type { ConnectionServer } from '../listening/connection-server.ts'

/** Milliseconds between two looks at connections: ended rights are found by then. */
const SWEEP_MS = SECOND

/** SignalR's own times: of the handshake, between two pings, and without a word of a client. */
const HANDSHAKE_MS = 15 * SECOND
const PING_MS = 15 * SECOND
const CLIENT_MS = 30 * SECOND

/** A client that does not answer a close in this time is cut off. */
const FAREWELL_MS = 2 * SECOND

/** Callers whose rights are checked again at the same time. */
const JUDGED_AT_ONCE = 10

/** Seconds after which a client may try again that found no room. */
const RETRY_SECONDS = 5

interface HubsParts {
  readonly settings: Settings
  readonly log: Log
  readonly models: CurrentModel
  readonly callers: Callers
  readonly reads: ReadLog
}

/** The hub connections of an app. */
export class Hubs {
  readonly #parts: HubsParts
  readonly #share: ConnectionShare
  readonly #connections = new Set<Connection>()
  readonly #perUser = new Map<number, number>()
  readonly #connectionsMax: number
  readonly #userConnectionsMax: number
  #server: ConnectionServer | undefined
  #pingedAt = 0
  #isClosing = false

  constructor(parts: HubsParts) {
    this.#parts = parts
    const { settings, log, models, callers, reads } = parts
    const limits = readHubLimits(settings)
    this.#share = {
      log,
      models,
      callers,
      reads,
      limits,
      messages: this.messages,
      exposesErrors: settings.get(EXPOSE_ERRORS),
      streams: new UserStreams(settings.get(HUBS.userStreams)),
    }
    this.#connectionsMax = settings.get(HUBS.maxConnections)
    this.#userConnectionsMax = settings.get(HUBS.userConnections)
  }

  /** Messages to one client and from it, and those to all who follow a topic, which count once. */
  readonly messages: HubMessages = { received: 0, sent: 0 }

  /** Number of connections. */
  get size(): number {
    return this.#connections.size
  }

  /** A channel for a hub that is still to be declared. */
  openChannel(): Channel {
    return new Channel((topic, record) => {
      this.messages.sent++
      this.#server?.publish(topic, record)
    })
  }

  /** Looks after the connections: pings, silence, rights that ended. */
  get loop(): Loop {
    return new Loop({
      name: 'hub connections',
      everyMs: SWEEP_MS,
      steps: [() => this.sweep()],
      failure: 'hub connections could not be checked',
      log: this.#parts.log,
    })
  }

  /**
   * Throws the 429 of a user with too many connections, and the 503 of a server that is full or
   * goes away.
   */
  requireRoom({ userId }: Caller): void {
    if (this.#isClosing || this.#connections.size >= this.#connectionsMax) throw noRoom()
    if ((this.#perUser.get(userId) ?? 0) >= this.#userConnectionsMax)
      throw tooMany(say`You have too many connections open`, RETRY_SECONDS)
  }

  /** Turns a request into a connection; false unless it is a handshake of a WebSocket. */
  connect(
    server: ConnectionServer,
    channel: Channel,
    { request, ...arrival }: { request: Request; id: string; caller: Caller; traceId: string },
  ): boolean {
    this.#server = server
    const connection = new Connection(channel, this.#share, arrival)
    const headers = { 'X-Trace-Id': arrival.traceId }
    const isUpgraded = server.upgrade(request, { data: connection, headers })
    if (!isUpgraded) connection.closed()
    return isUpgraded
  }

  /** Handler of `Bun.serve` for all hubs. */
  get handler(): WebSocketHandler<Connection> {
    return {
      maxPayloadLength: this.#share.limits.messageBytesMax,
      backpressureLimit: SENT_BYTES_MAX,
      closeOnBackpressureLimit: true,
      perMessageDeflate: false,
      // The protocol has pings of its own, and a time for the client's.
      idleTimeout: 0,
      sendPings: false,
      open: (socket) => this.#open(socket),
      message: (socket, data) => socket.data.receive(data),
      drain: (socket) => socket.data.drain(),
      close: (socket) => this.#close(socket),
      ping: (socket, data) => socket.data.control(data.length),
      pong: (socket, data) => socket.data.control(data.length),
    }
  }

  /**
   * Visits all connections once; rights are checked again where an admission may have ended. `now`
   * is of the monotonic clock.
   */
  async sweep(now = performance.now()): Promise<void> {
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now
      this.#server?.publish(PING_TOPIC, PING)
    }
    const unchecked: Connection[] = []
    for (const connection of this.#connections) {
      if (connection.endedAt !== undefined) {
        if (now - connection.endedAt >= FAREWELL_MS) connection.terminate()
      } else if (!connection.isGreeted) {
        if (now - connection.openedAt >= HANDSHAKE_MS) connection.timeOut()
      } else if (now - connection.seenAt >= CLIENT_MS) connection.timeOut()
      else if (connection.isUnchecked) unchecked.push(connection)
    }
    const yielder = new Yielder()
    for (let from = 0; from < unchecked.length; from += JUDGED_AT_ONCE) {
      await Promise.all(
        unchecked.slice(from, from + JUDGED_AT_ONCE).map((connection) => connection.admit()),
      )
      await yielder.yieldWhenDue()
    }
  }

  /**
   * Takes no more connections and says good-bye to the open ones: each ends its calls, but not
   * after `deadlineMs`. Resolves when all are closed.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true
    const all = [...this.#connections]
    await Promise.race([Promise.all(all.map((one) => one.goAway())), sleep(deadlineMs)])
    const isGone = async (): Promise<void> => {
      while (this.#connections.size > 0) await sleep(10)
    }
    await Promise.race([isGone(), sleep(FAREWELL_MS)])
    for (const connection of this.#connections) connection.terminate()
  }

  #open(socket: ServerWebSocket<Connection>): void {
    const connection = socket.data
    connection.opened(socket)
    this.#connections.add(connection)
    this.#count(connection, 1)
  }

  #close({ data: connection }: ServerWebSocket<Connection>): void {
    if (this.#connections.delete(connection)) this.#count(connection, -1)
    connection.closed()
  }

  #count({ caller: { userId } }: Connection, by: number): void {
    const count = (this.#perUser.get(userId) ?? 0) + by
    if (count > 0) this.#perUser.set(userId, count)
    else this.#perUser.delete(userId)
  }
}

const noRoom = (): Failure =>
  new Failure('unavailable', say`The server has too many connections right now. Try again later.`, {
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  })
