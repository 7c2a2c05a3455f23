/** A push service of tests, and browsers that decrypt what it takes, by RFC 8291 and 8292. */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'

/** A message as the push service took it, and as the browser reads it. */
export interface Pushed {
  headers: Headers
  /** Bytes of the request's body. */
  bytes: number
  /** Claims of the VAPID token, whose signature is right. */
  claims: Record<string, unknown>
  /** The key that signed it. */
  signedBy: string
  text: string
}

type Reply = (request: Request) => Response | Promise<Response>

const TAKEN: Reply = () => new Response(null, { status: 201 })

/** One browser with its subscription. */
export class Browser {
  readonly #keys: ECDH = createECDH('prime256v1')
  readonly #auth = randomBytes(16)
  readonly pushed: Pushed[] = []
  /** How often its endpoint was asked. */
  asked = 0
  reply: Reply = TAKEN
  readonly endpoint: string

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.#keys.generateKeys()
  }

  /** As `JSON.stringify` of a browser's `PushSubscription`. */
  get subscription() {
    const p256dh = this.#keys.getPublicKey('base64url')
    const keys = { p256dh, auth: this.#auth.toString('base64url') }
    return { endpoint: this.endpoint, expirationTime: null, keys }
  }

  /** The requests that it read, in order. */
  get messages(): Record<string, unknown>[] {
    return this.pushed.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  }

  async take(request: Request): Promise<Response> {
    this.asked++
    const body = Buffer.from(await request.arrayBuffer())
    const answer = await this.reply(request)
    if (answer.status === 201) this.pushed.push(this.#read(request.headers, body))
    return answer
  }

  #read(headers: Headers, body: Buffer): Pushed {
    const text = this.#decrypt(body)
    return { headers, bytes: body.byteLength, text, ...readVapid(headers) }
  }

  /** RFC 8188 with one record, keys by RFC 8291. */
  #decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body[20] ?? 0
    const sender = body.subarray(21, 21 + keyLength)
    const sealed = body.subarray(21 + keyLength)
    if (sealed.byteLength > body.readUInt32BE(16)) throw new Error('More than one record')
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), sender])
    const shared = this.#keys.computeSecret(sender)
    const secret = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32))
    const derive = (name: string, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length))
    const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    cipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
    const end = padded.lastIndexOf(2)
    if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('No last record')
    return padded.subarray(0, end).toString('utf8')
  }
}

function readVapid(headers: Headers): Pick<Pushed, 'claims' | 'signedBy'> {
  const [, token = '', key = ''] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.get('authorization') ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', signed, options, Buffer.from(signature, 'base64url')))
    throw new Error('The VAPID token is not signed by its key')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), signedBy: key }
}

/** Takes messages for its browsers at the loopback address: by https with a name, or by http. */
export class PushService implements Disposable {
  readonly #browsers = new Map<string, Browser>()
  readonly #origin: string
  readonly #server

  constructor(by: 'http' | 'https' = 'http') {
    const tls = { cert: TEST_CERTIFICATE, key: TEST_KEY }
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      ...(by === 'https' && { tls }),
      fetch: (request) =>
        this.#browsers.get(new URL(request.url).pathname)?.take(request) ??
        new Response(null, { status: 404 }),
    })
    this.#origin = `${by}://${by === 'https' ? 'localhost' : '127.0.0.1'}:${this.port}`
  }

  get port(): number {
    return this.#server.port ?? 0
  }

  /** Settings with which this server may be sent to. */
  get settings(): Record<string, string> {
    return {
      'Svc:Outbound:AllowHttp': String(this.#origin.startsWith('http:')),
      'Svc:Outbound:Allow': '127.0.0.1,localhost',
      'Svc:Outbound:Ports': String(this.port),
    }
  }

  open(): Browser {
    const path = `/push/${randomBytes(12).toString('base64url')}`
    const browser = new Browser(this.#origin + path)
    this.#browsers.set(path, browser)
    return browser
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}
