/** The way to the clients of one hub. */
import type { CallerGate } from '../caller-gate.ts'
import type { Hub, HubChannel, HubConnection, UserPlace } from './hub.ts'
import { type HubMethods, readMethods } from './methods.ts'
import { writeEvent } from './protocol.ts'

/** A client that has done its handshake. */
interface Member extends HubConnection {
  /** Sends a record. */
  write(record: string): void
}

const keyOf = ({ userId, companyId }: UserPlace): string => `${userId}:${companyId}`

/** The clients of one hub, and the events that it sends them. */
export class Channel implements HubChannel {
  readonly #publish: (topic: string, record: string) => void
  readonly #byUser = new Map<string, Set<Member>>()
  #hub: Hub | undefined
  #methods: HubMethods | undefined

  /** `publish` sends to a topic of the whole server. */
  constructor(publish: (topic: string, record: string) => void) {
    this.#publish = publish
  }

  /** The hub whose clients these are: it is declared with its channel. */
  serve(hub: Hub): void {
    this.#hub = hub
    this.#methods = readMethods(hub)
  }

  get hub(): Hub {
    if (!this.#hub) throw new Error('A hub sends nothing while it is declared')
    return this.#hub
  }

  get methods(): HubMethods {
    return this.#methods ?? readMethods(this.hub)
  }

  get gate(): CallerGate {
    return this.hub.gate
  }

  /** Calls a method of all clients of a user in a company; nothing where none is connected. */
  toUser(place: UserPlace, event: string, ...args: readonly unknown[]): void {
    const connections = this.#byUser.get(keyOf(place))
    if (!connections) return
    const record = writeEvent(event, args)
    for (const connection of connections) connection.write(record)
  }

  /** The clients of a user in a company. */
  connectionsOf(place: UserPlace): readonly HubConnection[] {
    return [...(this.#byUser.get(keyOf(place)) ?? [])]
  }

  /** Calls a method of all clients that subscribe to a topic: one text, however many they are. */
  publish(topic: string, event: string, ...args: readonly unknown[]): void {
    this.#publish(this.topicOf(topic), writeEvent(event, args))
  }

  /** The topic as the server knows it: those of two hubs are never the same. */
  topicOf(topic: string): string {
    return `${this.hub.name} ${topic}`
  }

  /** A client has done its handshake. */
  async enter(connection: Member): Promise<void> {
    const key = keyOf(connection.caller)
    const known = this.#byUser.get(key)
    if (known) known.add(connection)
    else this.#byUser.set(key, new Set([connection]))
    for (const { open } of this.hub.parts) await open?.(connection)
  }

  /** Runs the parts' hooks after a change of a caller's rights, or of the model. */
  async change(connection: Member): Promise<void> {
    for (const { change } of this.hub.parts) await change?.(connection)
  }

  /** A client is gone; nothing is done for one that had not entered. */
  leave(connection: Member): void {
    const key = keyOf(connection.caller)
    const known = this.#byUser.get(key)
    if (!known?.delete(connection)) return
    if (known.size === 0) this.#byUser.delete(key)
    for (const { close } of this.hub.parts) close?.(connection)
  }
}
