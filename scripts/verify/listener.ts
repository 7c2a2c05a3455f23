/** A client of the hub of notifications that comes back whenever it was cut off. */
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  LogLevel,
} from '@microsoft/signalr'
import type { Random } from '../../data/demo/random.ts'
import { Relay } from './relay.ts'

const CUT_MS_MAX = 250
const AGAIN_MS = 15

interface Notification {
  Seq: number
}

/** Messages that one client has heard, over all of its connections. */
export class Listener implements AsyncDisposable {
  readonly faults: string[] = []
  readonly heard = new Set<number>()
  connections = 0
  /** Connections that had heard all that was there before they were cut. */
  caughtUp = 0
  missed = 0
  readonly #relay: Relay
  readonly #token: string
  readonly #random: Random
  /** All up to it was heard: what came as it happened counts once what was before it has come. */
  #last = 0
  #isCut = true
  #isOver = false
  #running: Promise<void> = Promise.resolve()

  private constructor(relay: Relay, token: string, random: Random) {
    this.#relay = relay
    this.#token = token
    this.#random = random
  }

  static async open(token: string, random: Random): Promise<Listener> {
    const listener = new Listener(await Relay.open(), token, random)
    listener.#running = listener.#run()
    return listener
  }

  /** Where the server is now. */
  set server(url: string | undefined) {
    this.#relay.target = url
  }

  /** Is cut off no more; resolves when it has heard all that is there. */
  async settle(): Promise<void> {
    this.#isCut = false
    const before = this.caughtUp
    this.#relay.cut()
    for (let look = 0; look < 1500 && this.caughtUp === before; look++) await Bun.sleep(20)
    if (this.caughtUp === before) this.faults.push('did not come back')
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const life = new Life(this.faults)
      const client = this.#build()
      client.on('notification', ({ Seq }: Notification) => {
        life.hearNow(Seq)
        this.#hear(life, [Seq])
      })
      const closed = new Promise<void>((resolve) => client.onclose(() => resolve()))
      const isOpen = await client.start().then(
        () => true,
        () => false,
      )
      if (!isOpen) await Bun.sleep(AGAIN_MS)
      else {
        this.connections++
        const cut = this.#isCut ? this.#random.next() * CUT_MS_MAX : undefined
        const timer = cut === undefined ? undefined : setTimeout(() => this.#relay.cut(), cut)
        await this.#catchUp(client, life)
        await closed
        clearTimeout(timer)
      }
    }
  }

  /** Ends where the connection does. */
  async #catchUp(client: HubConnection, life: Life): Promise<void> {
    for (let from = this.#last; ;) {
      const missed = await client.invoke<Notification[]>('Since', from).catch(() => undefined)
      if (missed === undefined) return
      if (missed.length === 0) break
      const seqs = missed.map(({ Seq }) => Seq)
      this.missed += seqs.length
      life.hear(seqs)
      this.#hear(life, seqs)
      from = Math.max(from, ...seqs)
    }
    life.isCaughtUp = true
    this.#last = Math.max(this.#last, ...life.heard)
    this.caughtUp++
  }

  #hear(life: Life, seqs: readonly number[]): void {
    for (const seq of seqs) this.heard.add(seq)
    if (life.isCaughtUp) this.#last = Math.max(this.#last, ...seqs)
  }

  #build(): HubConnection {
    return new HubConnectionBuilder()
      .configureLogging(LogLevel.None)
      .withUrl(`${this.#relay.url}/api/v1/hubs/notifications`, {
        accessTokenFactory: () => this.#token,
        skipNegotiation: true,
        transport: HttpTransportType.WebSockets,
      })
      .build()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#relay.target = undefined
    this.#relay.cut()
    await this.#running
    await this.#relay[Symbol.asyncDispose]()
  }
}

/** One connection: it receives each event once, and in order. */
class Life {
  readonly heard = new Set<number>()
  isCaughtUp = false
  readonly #faults: string[]
  #latest = 0

  constructor(faults: string[]) {
    this.#faults = faults
  }

  hear(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (this.heard.has(seq)) this.#faults.push(`${seq} was told twice`)
      this.heard.add(seq)
    }
  }

  hearNow(seq: number): void {
    if (seq <= this.#latest) this.#faults.push(`${seq} was told after ${this.#latest}`)
    this.#latest = seq
    this.hear([seq])
  }
}
