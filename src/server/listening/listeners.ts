/** The sockets that the server listens on: a port, with TLS or not, a Unix socket, a redirect. */
import type { Server, SocketAddress, WebSocketHandler } from 'bun'
import { chmodSync } from 'node:fs'
import { resolve } from 'node:path'
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'
import { MAIL } from '../../engine/mail/mail-options.ts'
import { openCertificate, type ServedCertificate } from './certificate-files.ts'
import type { Certificate } from './certificate.ts'
import type { ConnectionServer } from './connection-server.ts'
import { answerChallenge, redirectToTls } from './redirect.ts'
import { LISTENING } from './settings.ts'
import { clearSocket } from './unix-socket.ts'

/** Milliseconds between two looks at the files of the certificate. */
const LOOK_MS = 5 * SECOND

/**
 * Above every limit of our own, which are counted per route: what Bun refuses by itself is answered
 * without the envelope.
 */
const BODY_BYTES_MAX = 1.5 * 1024 ** 3

/** Name of a caller that came by the Unix socket: a proxy of this machine. */
export const UNIX_PEER = 'unix'

interface ListenersParts {
  readonly folder: string
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Log
}

/** Handlers of each listener. */
interface Served {
  fetch(request: Request): Response | Promise<Response>
  websocket: WebSocketHandler<object>
  /** Gives the answer of a request whose handler has thrown. */
  error(thrown: unknown): Response
  /** Seconds without a byte after which a connection is closed. */
  idleSeconds: number
}

/** A host and a port; port 0 picks a free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

type OneServer = Server<object>

/** The listeners of an app: together they stand for the one server of its requests. */
export class Listeners implements ConnectionServer {
  readonly #parts: ListenersParts
  readonly #certificate: ServedCertificate | undefined
  readonly #fromUnix = new WeakSet<Request>()
  #served: Served | undefined
  #address: Address = { host: '', port: 0 }
  /** The one at the port. */
  #main: OneServer | undefined
  /** All whose connections are not ended yet: earlier ones, with earlier certificates, too. */
  readonly #open = new Set<OneServer>()
  /** The redirect, which serves nothing. */
  #redirect: Server<unknown> | undefined

  /** Reads the certificate. @throws SettingError where it cannot be served */
  constructor(parts: ListenersParts) {
    this.#parts = parts
    this.#certificate = openCertificate(parts)
  }

  /** The end of the served certificate; undefined without TLS. */
  get certificateExpiresAt(): Date | undefined {
    return this.#certificate?.current.expiresAt
  }

  /** True while something listens. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** Path of the Unix socket; undefined where none is set. */
  get unix(): string | undefined {
    const path = this.#parts.settings.get(LISTENING.unix)
    return path === '' ? undefined : resolve(this.#parts.folder, path)
  }

  /** `https` with a certificate. */
  get scheme(): 'http' | 'https' {
    return this.isTls ? 'https' : 'http'
  }

  /** True with a certificate. */
  get isTls(): boolean {
    return this.#certificate !== undefined
  }

  /**
   * Starts to listen; resolves to the port that was picked, and undefined where only the Unix
   * socket listens. @throws Error when an address is taken
   */
  async listen(served: Served, address: Address | undefined): Promise<number | undefined> {
    this.#served = served
    if (this.unix !== undefined) await this.#listenOnUnix(this.unix)
    if (address === undefined) return undefined
    this.#address = address
    const certificate = this.#certificate?.current
    // A port that is shared with listeners to come is not shared with other servers.
    if (certificate && address.port > 0 && SHARES_PORTS) await probe(address)
    this.#main = this.#serve(certificate)
    this.#address = { ...address, port: this.#main.port ?? address.port }
    this.#listenToRedirect()
    return this.#address.port
  }

  /** Takes another certificate when the files change; connections with the earlier one go on. */
  get loop(): Loop | undefined {
    if (!this.#certificate) return undefined
    return new Loop({
      name: 'TLS certificate',
      everyMs: LOOK_MS,
      waitsFirst: true,
      steps: [() => this.look()],
      failure: 'the new TLS certificate cannot be served',
      log: this.#parts.log,
    })
  }

  /** Looks once whether the certificate has changed, and serves the new one. */
  async look(): Promise<void> {
    const changed = this.#certificate?.findChange()
    if (!changed || !this.#main) return
    // Elsewhere a port has one listener: for an instant none.
    const before = this.#main
    if (!SHARES_PORTS) this.#drain(before)
    this.#main = this.#serve(changed)
    this.#certificate?.take(changed)
    this.#parts.log.info('the new TLS certificate is served', {
      expiresAt: changed.expiresAt.toISOString(),
    })
    if (!SHARES_PORTS) return
    await takeWhatArrived()
    this.#drain(before)
  }

  /** Takes no more connections; resolves when requests in flight are answered, or cut off. */
  async stop(isForced = false): Promise<void> {
    const all = [...this.#open, ...(this.#redirect ? [this.#redirect] : [])]
    await Promise.all(all.map((one) => one.stop(isForced)))
    this.#open.clear()
    this.#main = undefined
  }

  /** The address of a request's peer, or `UNIX_PEER`; undefined once it is gone. */
  findPeer(request: Request): string | undefined {
    if (this.#fromUnix.has(request)) return UNIX_PEER
    return this.requestIP(request)?.address
  }

  /** See `Server.requestIP`. */
  requestIP(request: Request): SocketAddress | null {
    return this.#any?.requestIP(request) ?? null
  }

  /** See `Server.timeout`. */
  timeout(request: Request, seconds: number): void {
    this.#any?.timeout(request, seconds)
  }

  /** See `Server.upgrade`; only the server that received a request can. */
  upgrade(request: Request, options: { data: object; headers: Record<string, string> }): boolean {
    for (const one of this.#open) {
      try {
        if (one.upgrade(request, options)) return true
      } catch (error) {
        if (!isOfAnother(error)) throw error
      }
    }
    return false
  }

  /** Publishes to connections of all listeners. */
  publish(topic: string, data: string | Uint8Array<ArrayBuffer>): number {
    let sent = 0
    for (const one of this.#open) sent += one.publish(topic, data)
    return sent
  }

  /** A request knows its connection: any server tells of it. */
  get #any(): OneServer | undefined {
    for (const one of this.#open) return one
    return undefined
  }

  #serve(certificate: Certificate | undefined): OneServer {
    const { host, port } = this.#address
    const tls = certificate && { cert: certificate.cert, key: certificate.key }
    const options = { ...this.#plan(), hostname: host, port }
    const server = Bun.serve<object>(
      tls ? { ...options, tls, reusePort: SHARES_PORTS } : { ...options, reusePort: false },
    )
    this.#open.add(server)
    return server
  }

  #plan() {
    const { fetch, websocket, error, idleSeconds } = this.#required
    return {
      fetch,
      websocket,
      development: false as const,
      idleTimeout: idleSeconds,
      maxRequestBodySize: BODY_BYTES_MAX,
      error,
    }
  }

  get #required(): Served {
    if (!this.#served) throw new Error('There is nothing to serve')
    return this.#served
  }

  async #listenOnUnix(unix: string): Promise<void> {
    const { settings, log } = this.#parts
    await clearSocket(unix)
    const { fetch } = this.#required
    const { idleTimeout: _, ...plan } = this.#plan()
    const server = Bun.serve<object>({
      ...plan,
      unix,
      fetch: (request) => {
        this.#fromUnix.add(request)
        return fetch(request)
      },
    })
    chmodSync(unix, Number.parseInt(settings.get(LISTENING.unixMode), 8))
    this.#open.add(server)
    if (settings.get(MAIL.baseUrl) === '')
      log.warn('links in mails do not lead here: set Svc:Mail:BaseUrl to the address of the proxy')
  }

  #listenToRedirect(): void {
    const port = this.#parts.settings.get(LISTENING.redirectPort)
    if (port === 0) return
    const { settings, folder } = this.#parts
    const given = settings.get(LISTENING.challenges)
    const challenges = given === '' ? '' : resolve(folder, given)
    const base = settings.get(MAIL.baseUrl)
    // Where a port is mapped, its outer number stands in the address alone.
    const outer = base.startsWith('https:') ? Number(new URL(base).port || 443) : undefined
    this.#redirect = Bun.serve({
      hostname: this.#address.host,
      port,
      reusePort: false,
      development: false,
      fetch: (request) =>
        answerChallenge(request, challenges) ?? redirectToTls(request, outer ?? this.#address.port),
    })
  }

  /** Lets a listener end: its port at once, its connections when they are done. */
  #drain(server: OneServer): void {
    const forget = (): void => void this.#open.delete(server)
    server.stop().then(forget, forget)
  }
}

/** Several listeners of one process share a port, each connection goes to one of them. */
const SHARES_PORTS = process.platform === 'linux'

/** Turns of the event loop: one to accept a connection, one to read from it, one to spare. */
const TURNS = 3

/** Lets requests begin that are on a socket already: stopping would drop those not yet read. */
export async function takeWhatArrived(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Holds an address for a moment, alone. @throws Error where another server has it */
async function probe({ host, port }: Address): Promise<void> {
  const fetch = (): Response => new Response(null, { status: 503 })
  await Bun.serve({ hostname: host, port, reusePort: false, fetch }).stop(true)
}

const isOfAnother = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_ARG_TYPE'
