/** The key pair by which push services know this installation (RFC 8292). */
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { Clock } from '../../kernel/clock.ts'
import { HOUR, SECOND } from '../../kernel/setting.ts'
import { type Reader, type Store, systemScope } from '../../store/store.ts'
import { openSealed, sealText } from '../../access/seal.ts'

const ALGORITHM = 'ES256'

/** The row of `svc_keys`, and the place that its private half is sealed for. */
const KID = 'vapid'
const PLACE = 'svc_keys:vapid'

/** Lifetime of a token: RFC 8292 allows a day, but clocks differ. */
const TOKEN_MS = 12 * HOUR

interface VapidOptions {
  store: Store
  clock: Clock
  /** Seals the private half. */
  sealKey: Uint8Array
  /** `mailto:` or `https:` address of this server's operator. */
  subject: string
}

/** Signs for push services. Browsers subscribe with the public half, so the pair never changes. */
export class VapidKeys {
  /** An uncompressed point of P-256, as base64url: the browser's `applicationServerKey`. */
  readonly publicKey: string
  readonly #privateKey: CryptoKey
  readonly #options: VapidOptions

  private constructor(publicJwk: JWK, privateKey: CryptoKey, options: VapidOptions) {
    this.publicKey = toPoint(publicJwk)
    this.#privateKey = privateKey
    this.#options = options
  }

  /** Loads the pair from `engine.db`; creates it in a new installation. */
  static async open(options: VapidOptions): Promise<VapidKeys> {
    const { store, sealKey } = options
    if (!(await findPair(store))) await savePair(options)
    const pair = await findPair(store)
    if (!pair) throw new Error('engine.db holds no keys for push services')
    const secret = JSON.parse(openSealed(sealKey, pair.PrivateJwk, PLACE)) as JWK
    const key = await importJWK(secret, ALGORITHM, { extractable: false })
    if (key instanceof Uint8Array) throw new Error('The stored key for push services is no EC key')
    return new VapidKeys(JSON.parse(pair.PublicJwk) as JWK, key, options)
  }

  /** The `Authorization` of a request to a push service. */
  async authorize(endpoint: URL): Promise<string> {
    const { clock, subject } = this.#options
    const expires = Math.floor((clock.now().getTime() + TOKEN_MS) / SECOND)
    const token = await new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: ALGORITHM })
      .setAudience(endpoint.origin)
      .setExpirationTime(expires)
      .setSubject(subject)
      .sign(this.#privateKey)
    return `vapid t=${token}, k=${this.publicKey}`
  }
}

const FIND = `SELECT PublicJwk, PrivateJwk FROM svc_keys WHERE Kid = '${KID}' AND Use = 'vapid'`

const findPair = (reader: Reader) => reader.get<{ PublicJwk: string; PrivateJwk: string }>(FIND)

const SAVE = `INSERT INTO svc_keys (Kid, Use, PublicJwk, PrivateJwk, CreatedAt, IsCurrent)
  VALUES ('${KID}', 'vapid', @publicJwk, @privateJwk, @at, 0) ON CONFLICT DO NOTHING`

async function savePair({ store, clock, sealKey }: VapidOptions): Promise<void> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true })
  const args = {
    publicJwk: JSON.stringify(await exportJWK(pair.publicKey)),
    privateJwk: sealText(sealKey, JSON.stringify(await exportJWK(pair.privateKey)), PLACE),
    at: clock.now().toISOString(),
  }
  await store.write(
    async (tx) => void (await tx.run(SAVE, args)),
    systemScope('keys belong to no company'),
  )
}

function toPoint({ x = '', y = '' }: JWK): string {
  const parts = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return Buffer.concat(parts).toString('base64url')
}
