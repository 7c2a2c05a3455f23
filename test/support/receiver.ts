/** Servers of tests that are sent to, and what they saw. */
import { createServer, type Server, type Socket } from 'node:net'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'

/** Counts what comes in below HTTP; each answer is the text that the handler gives. */
export class RawReceiver implements AsyncDisposable {
  bytes = 0
  connections = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(answer: (heard: string, socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.connections++
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('data', (data: Buffer) => {
        this.bytes += data.byteLength
        answer(data.toString('latin1'), socket)
      })
    })
  }

  static async open(
    host: string,
    port: number,
    answer: (heard: string, socket: Socket) => void,
  ): Promise<RawReceiver> {
    const receiver = new RawReceiver(answer)
    await new Promise<void>((resolve) => receiver.#server.listen(port, host, resolve))
    return receiver
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The receiver is closed')
    return address.port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** An https server of the certificate of tests, by the loopback address. */
export const serveTls = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch,
    tls: { cert: TEST_CERTIFICATE, key: TEST_KEY },
  })
