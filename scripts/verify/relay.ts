/** A network between a client and the server: it can be cut, and nobody says good-bye. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Hands bytes to and fro; the server behind it may be another one after each cut. */
export class Relay implements AsyncDisposable {
  /** `http://127.0.0.1:12345` of the server; nobody is let through without one. */
  target: string | undefined
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer((client) => this.#join(client))
  }

  static async open(): Promise<Relay> {
    const relay = new Relay()
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Both ends of every connection are gone. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket): void {
    if (this.target === undefined) return void client.destroy()
    const { hostname, port } = new URL(this.target)
    const server = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket)
      // A cut that came from the other side is one, too.
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
