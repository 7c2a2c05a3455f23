/** A hub: the declaration of a feature, in parts that know nothing of each other. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { CallerGate } from '../caller-gate.ts'

/** One client that is connected. */
export interface HubConnection {
  /** The id that its client knows, too. */
  readonly id: string
  /** The connected caller, as they were when their rights were last checked. */
  readonly caller: Caller
  /** True when a change may have affected the caller's admission. */
  readonly isUnchecked: boolean
  /** Calls a method of the client's. It is dropped once the connection has ended. */
  send(event: string, ...args: readonly unknown[]): void
  /** Adds the connection to the receivers of `HubChannel.publish` for a topic. */
  subscribe(topic: string): void
  unsubscribe(topic: string): void
}

/** Context of a method's call: its caller, and how long its result is waited for. */
export interface HubCall {
  readonly connection: HubConnection
  /** The caller of now: their rights were checked for this call. */
  readonly caller: Caller
  readonly model: Model
  /** Ends with the connection, and when the client cancels its stream. */
  readonly signal: AbortSignal
  readonly traceId: string
}

/** The arguments of a method in the order in which clients send them, by name. */
export type HubArguments = Readonly<Record<string, TSchema>>

/** One argument of a method is a member here. */
type Values<A extends HubArguments> = { [Name in keyof A]: Static<A[Name]> }

interface Described {
  readonly description: string
  readonly arguments: HubArguments
}

/** A method that is run once for each call, one call of a connection after the other. */
export interface HubMethod extends Described {
  readonly kind: 'method'
  /** Runs the method; resolves to the client's result, undefined for none. */
  readonly run: (call: HubCall, args: Readonly<Record<string, unknown>>) => unknown
}

/** A method that answers piece by piece, beside the calls of its connection. */
export interface HubStream extends Described {
  readonly kind: 'stream'
  readonly run: (call: HubCall, args: Readonly<Record<string, unknown>>) => AsyncIterable<unknown>
}

/** An event that the server sends to its clients. */
type HubEvent = Described

interface MethodOf<A extends HubArguments, Result> {
  readonly description: string
  readonly arguments: A
  readonly run: (call: HubCall, args: Values<A>) => Result
}

/** A method whose `run` gets the arguments as their schemas say. */
export const hubMethod = <A extends HubArguments>(method: MethodOf<A, unknown>): HubMethod => ({
  ...method,
  kind: 'method',
  run: (call, args) => method.run(call, args as Values<A>),
})

/** A stream whose `run` gets the arguments as their schemas say. */
export const hubStream = <A extends HubArguments>(
  stream: MethodOf<A, AsyncIterable<unknown>>,
): HubStream => ({
  ...stream,
  kind: 'stream',
  run: (call, args) => stream.run(call, args as Values<A>),
})

/** Methods and events that belong together, with hooks for clients that come or go. */
export interface HubPart {
  readonly methods?: Readonly<Record<string, HubMethod | HubStream>>
  readonly events?: Readonly<Record<string, HubEvent>>
  /** Runs when a client has connected, before any of its calls. */
  readonly open?: (connection: HubConnection) => void | Promise<void>
  /** Runs after a change of the caller's rights, or of the model, that still lets the caller in. */
  readonly change?: (connection: HubConnection) => void | Promise<void>
  /** The client is gone. */
  readonly close?: (connection: HubConnection) => void
}

/** A hub, as `/api/v1/hubs/<name>` serves it. */
export interface Hub {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** Gate of the hub; a caller who no longer passes is disconnected. */
  readonly gate: CallerGate
  readonly parts: readonly HubPart[]
}

/** A user in a company. */
export interface UserPlace {
  readonly userId: number
  readonly companyId: number
}

/** The way to the clients of one hub. */
export interface HubChannel {
  /** Calls a method of all clients of a user in a company; nothing where none is connected. */
  toUser(place: UserPlace, event: string, ...args: readonly unknown[]): void
  /** The clients of a user in a company. */
  connectionsOf(place: UserPlace): readonly HubConnection[]
  /** Calls a method of all clients that subscribe to a topic: one text, however many they are. */
  publish(topic: string, event: string, ...args: readonly unknown[]): void
}
