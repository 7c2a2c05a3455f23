/** One client from its WebSocket's opening to its end. */
import type { ServerWebSocket } from 'bun'
import { toEnvelope, toFailure } from '../../kernel/envelope.ts'
import type { Log } from '../../kernel/log.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { ReadBy, ReadNotes } from '../../kernel/read-notes.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { WatchedCaller } from '../../access/callers/watched-callers.ts'
import type { ReadLog } from '../../engine/audit/work-reads.ts'
import { passCallerGate } from '../caller-gate.ts'
import { type Admitted, type Callee, Calls } from './calls.ts'
import type { Channel } from './channel.ts'
import { FloodLimit } from './flood-limit.ts'
import type { HubMethods } from './methods.ts'
import {
  findHandshakeFault,
  HANDSHAKE_DONE,
  parseMessage,
  ProtocolError,
  splitRecords,
  writeClose,
  writeEvent,
  writeHandshakeFault,
} from './protocol.ts'
import type { HubLimits } from './settings.ts'
import type { UserStreams } from './user-streams.ts'
import { requireNoDuty } from '../session.ts'

/** Codes of RFC 6455, section 7.4.1. */
const CODE = { done: 1000, goingAway: 1001, unsupported: 1002, refused: 1008 } as const

/** Counts of messages. */
export interface HubMessages {
  received: number
  sent: number
}

/** Parts that all connections share. */
export interface ConnectionShare {
  readonly log: Log
  readonly models: CurrentModel
  readonly callers: Callers
  readonly limits: HubLimits
  readonly streams: UserStreams
  readonly messages: HubMessages
  readonly exposesErrors: boolean
  readonly reads: ReadLog
}

/** An arriving caller, with the connection's id and trace. */
interface Arrival {
  readonly id: string
  readonly caller: Caller
  readonly traceId: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function toText(data: string | Uint8Array): string {
  if (typeof data === 'string') return data
  try {
    return utf8.decode(data)
  } catch {
    throw new ProtocolError(say`The message must be UTF-8`)
  }
}

/** The server's end of a connection to a hub. */
export class Connection implements Callee {
  readonly id: string
  readonly traceId: string
  /** By the monotonic clock. */
  readonly openedAt = performance.now()
  /** Time of the client's last message. */
  seenAt = this.openedAt
  /** Time at which the end was sent. */
  endedAt: number | undefined
  readonly #channel: Channel
  readonly #share: ConnectionShare
  readonly #watched: WatchedCaller
  readonly #flood: FloodLimit
  readonly #calls = new Calls(this)
  #caller: Caller
  #model: Model
  #judging: Promise<Admitted | undefined> | undefined
  #socket: ServerWebSocket<Connection> | undefined
  #isGreeted = false
  #rest = ''
  #draining: PromiseWithResolvers<void> | undefined

  constructor(channel: Channel, share: ConnectionShare, { id, caller, traceId }: Arrival) {
    this.id = id
    this.traceId = traceId
    this.#channel = channel
    this.#share = share
    this.#caller = caller
    this.#model = share.models.get()
    this.#watched = share.callers.watched.watch(caller)
    this.#flood = new FloodLimit(share.limits, this.openedAt)
  }

  get caller(): Caller {
    return this.#caller
  }

  get isUnchecked(): boolean {
    return this.#watched.isUnchecked || this.#share.models.get() !== this.#model
  }

  get hub(): string {
    return this.#channel.hub.name
  }

  get methods(): HubMethods {
    return this.#channel.methods
  }

  get streams(): UserStreams {
    return this.#share.streams
  }

  get log(): Log {
    return this.#share.log
  }

  openReads(by: () => ReadBy): ReadNotes | undefined {
    return this.#share.reads.open(by)
  }

  get exposesErrors(): boolean {
    return this.#share.exposesErrors
  }

  /** True once the handshake is done. */
  get isGreeted(): boolean {
    return this.#isGreeted
  }

  opened(socket: ServerWebSocket<Connection>): void {
    this.#socket = socket
  }

  /** Takes data of the socket. */
  receive(data: string | Uint8Array): void {
    if (this.endedAt !== undefined) return
    this.seenAt = performance.now()
    try {
      const text = this.#rest + toText(data)
      const { records, rest } = splitRecords(text, this.#share.limits.messageBytesMax)
      this.#rest = rest
      if (!this.#flood.take(Math.max(1, records.length), data.length, this.seenAt))
        return this.end(CODE.refused, { error: say`Too many messages` })
      this.#share.messages.received += records.length
      for (const record of records) this.#read(record)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.end(CODE.unsupported, { error: error.text })
    }
  }

  /** Counts a ping or a pong of the WebSocket, which says nothing: no sign of life, but work. */
  control(bytes: number): void {
    if (this.endedAt !== undefined || this.#flood.take(1, bytes, performance.now())) return
    this.end(CODE.refused, { error: say`Too many messages` })
  }

  admit(): Admitted | undefined | Promise<Admitted | undefined> {
    if (this.endedAt !== undefined) return undefined
    if (!this.isUnchecked && !this.#judging) return { caller: this.#caller, model: this.#model }
    this.#judging ??= this.#judge().finally(() => (this.#judging = undefined))
    return this.#judging
  }

  send(event: string, ...args: readonly unknown[]): void {
    this.write(writeEvent(event, args))
  }

  write(record: string): void {
    if (this.endedAt !== undefined || !this.#socket) return
    this.#share.messages.sent++
    if (this.#socket.send(record) === BACKPRESSURE) this.#draining ??= Promise.withResolvers()
  }

  drained(): Promise<void> | undefined {
    return this.#draining?.promise
  }

  /** The socket has room again. */
  drain(): void {
    this.#draining?.resolve()
    this.#draining = undefined
  }

  subscribe(topic: string): void {
    if (this.endedAt === undefined) this.#socket?.subscribe(this.#channel.topicOf(topic))
  }

  unsubscribe(topic: string): void {
    this.#socket?.unsubscribe(this.#channel.topicOf(topic))
  }

  describe(thrown: unknown, traceId = this.traceId): string {
    const failure = toFailure(thrown)
    return toEnvelope(failure, traceId, this.exposesErrors, this.#caller.language).error
  }

  /** Sends the reason in the caller's language, and closes; after this nothing is sent or begun. */
  end(
    code: number,
    { error, ...reason }: { error?: string | Message; allowReconnect?: boolean },
  ): void {
    if (this.endedAt !== undefined) return
    const told = error !== undefined && { error: renderMessage(error, this.#caller.language) }
    if (this.#isGreeted) this.write(writeClose({ ...told, ...reason }))
    this.#close(code)
  }

  /** Lets running calls end, then tells the client that the server goes away. */
  async goAway(): Promise<void> {
    await this.#calls.finish()
    this.end(CODE.goingAway, { allowReconnect: true })
  }

  /** Ends a connection that was silent for too long; the client may come back. */
  timeOut(): void {
    this.end(CODE.refused, { error: say`The client stopped responding`, allowReconnect: true })
  }

  /** Closes the socket at once: the client did not answer the end that was sent. */
  terminate(): void {
    this.#socket?.terminate()
  }

  /** The socket is closed, from whichever side. */
  closed(): void {
    this.endedAt ??= performance.now()
    this.#calls.end()
    this.drain()
    this.#watched[Symbol.dispose]()
    if (this.#isGreeted) this.#channel.leave(this)
    this.#isGreeted = false
    this.#socket = undefined
  }

  #close(code: number): void {
    this.endedAt = performance.now()
    this.#calls.end()
    this.drain()
    this.#socket?.close(code)
  }

  #read(record: string): void {
    if (this.endedAt !== undefined) return
    if (!this.#isGreeted) return this.#greet(record)
    const message = parseMessage(record)
    if (message.kind === 'close') this.#close(CODE.done)
    else if (message.kind === 'cancel') this.#calls.cancel(message.id)
    else if (message.kind === 'invocation' || message.kind === 'stream') {
      if (!this.#calls.take(message))
        this.end(CODE.refused, { error: say`Too many calls are waiting` })
    }
  }

  #greet(record: string): void {
    const fault = findHandshakeFault(record)
    if (fault !== undefined) {
      this.write(writeHandshakeFault(fault.render(this.#caller.language)))
      return this.#close(CODE.unsupported)
    }
    this.write(HANDSHAKE_DONE)
    this.#isGreeted = true
    this.#socket?.subscribe(PING_TOPIC)
    this.#calls.enqueue(() => this.#enter())
  }

  async #enter(): Promise<void> {
    try {
      const admitted = await this.admit()
      // Other data of the same piece may have ended it meanwhile.
      if (admitted && this.endedAt === undefined) await this.#channel.enter(this)
    } catch (error) {
      this.log.error('a hub could not be entered', error, { traceId: this.traceId })
      this.end(CODE.refused, { allowReconnect: true })
    }
  }

  /** Checks again who the caller is and whether they may be here. */
  async #judge(): Promise<Admitted | undefined> {
    try {
      const { language, timeZone } = this.#caller
      const renewed = await this.#watched.current()
      requireNoDuty(renewed)
      const model = this.#share.models.get()
      const caller = { ...renewed, timeZone, ...(language !== undefined && { language }) }
      shareValidity(renewed, caller)
      passCallerGate(this.#channel.gate, caller, model)
      this.#caller = caller
      this.#model = model
      await this.#channel.change(this)
      return this.endedAt === undefined ? { caller, model } : undefined
    } catch (thrown) {
      const failure = toFailure(thrown)
      if (failure.kind === 'internal')
        this.log.error('a caller could not be checked', failure.cause, { traceId: this.traceId })
      this.end(CODE.refused, {
        error: this.describe(failure),
        allowReconnect: failure.kind === 'internal',
      })
      return undefined
    }
  }
}

/** Result of `ServerWebSocket.send` for data that waits to be sent. */
const BACKPRESSURE = -1

/** Topic of all connections: its pings show the client that the server is there. */
export const PING_TOPIC = 'ping'
