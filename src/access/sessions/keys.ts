/**
 * The key pairs of access tokens: made at the first start, rotated on command, the old ones kept
 * to verify. Beside them the key that seals secrets at rest, which no rotation touches.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Clock } from '../../kernel/clock.ts'
import { allRows, getRow, insertRow, updateRows, upsertRow } from '../../store/rows.ts'
import { type Reader, type Store, systemScope, type Tx } from '../../store/store.ts'
import { keys } from '../engine-db.ts'
import type { PublicKeys } from './token.ts'

const ALGORITHM = 'RS256'
const MODULUS_BITS = 2048
const SEAL_KID = 'seal'
const SEAL_BYTES = 32

type KeyRow = typeof keys.$inferSelect

/** Body of `/jwks` (RFC 7517). */
interface PublicKeySet {
  keys: { kty: string; use: string; alg: string; kid: string; n: string; e: string }[]
}

/** The keys that serve now. A rotation needs a new start, so these never change. */
export class SigningKeys implements PublicKeys {
  /** Names the key that signs (RFC 7638: the thumbprint of its public half). */
  readonly kid: string
  /** Cannot be exported. */
  readonly privateKey: CryptoKey
  /**
   * Derives refresh tokens from those before them; as secret as the private key that it comes
   * from.
   */
  readonly refreshKey: Uint8Array
  /** Seals secrets at rest (`seal.ts`); it stays the same when the pairs rotate. */
  readonly sealKey: Uint8Array
  readonly #public: ReadonlyMap<string, CryptoKey>
  readonly #set: PublicKeySet

  private constructor(
    current: Pick<SigningKeys, 'kid' | 'privateKey' | 'refreshKey' | 'sealKey'>,
    known: ReadonlyMap<string, CryptoKey>,
    set: PublicKeySet,
  ) {
    this.kid = current.kid
    this.privateKey = current.privateKey
    this.refreshKey = current.refreshKey
    this.sealKey = current.sealKey
    this.#public = known
    this.#set = set
  }

  /** Loads the keys of `engine.db`; an installation without any gets its first pair. */
  static async open(store: Store, clock: Clock): Promise<SigningKeys> {
    let rows = await loadKeys(store)
    if (!rows.some((row) => row.IsCurrent)) {
      await rotateKeys(store, { clock, accessLifetime: 0 })
      rows = await loadKeys(store)
    }
    const current = rows.find((row) => row.IsCurrent)
    if (!current) throw new Error('engine.db holds no current signing key')
    const known = new Map<string, CryptoKey>()
    for (const row of rows) known.set(row.Kid, await importKey(row.PublicJwk))
    const privateKey = await importKey(current.PrivateJwk)
    const refreshKey = createHmac('sha256', current.PrivateJwk).update('refresh tokens').digest()
    const sealKey = await openSealKey(store, clock)
    const own = { kid: current.Kid, privateKey, refreshKey, sealKey }
    return new SigningKeys(own, known, toPublicSet(rows))
  }

  findPublic(kid: string): CryptoKey | undefined {
    return this.#public.get(kid)
  }

  /** The public halves, the current one first. */
  toJwks(): PublicKeySet {
    return this.#set
  }
}

/**
 * Makes a new current pair and retires the one before, which verifies until its last token has
 * expired: pairs that were retired longer than `accessLifetime` (milliseconds) ago are deleted.
 * Resolves to the new `kid`.
 */
export async function rotateKeys(
  store: Store,
  options: { clock: Clock; accessLifetime: number },
): Promise<string> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const privateJwk = await exportJWK(pair.privateKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const now = options.clock.now()
  const row: KeyRow = {
    Kid: kid,
    Use: 'sig',
    PublicJwk: JSON.stringify(publicJwk),
    PrivateJwk: JSON.stringify(privateJwk),
    CreatedAt: now.toISOString(),
    RetiredAt: null,
    IsCurrent: true,
  }
  const goneBefore = new Date(now.getTime() - options.accessLifetime).toISOString()
  await store.write(
    (tx) => saveCurrentKey(tx, row, goneBefore),
    systemScope('signing keys belong to no company'),
  )
  return kid
}

async function saveCurrentKey(tx: Tx, row: KeyRow, goneBefore: string): Promise<void> {
  await tx.run('DELETE FROM svc_keys WHERE RetiredAt < @goneBefore', { goneBefore })
  const retired = { IsCurrent: false, RetiredAt: row.CreatedAt, PrivateJwk: '' }
  await updateRows(tx, keys, 'WHERE IsCurrent = 1', { set: retired })
  await insertRow(tx, keys, row)
}

const loadKeys = (reader: Reader): Promise<KeyRow[]> =>
  allRows(reader, keys, `WHERE Use = 'sig' ORDER BY IsCurrent DESC, CreatedAt DESC`)

/** The key of `engine.db` that seals; an installation without one gets it. */
async function openSealKey(store: Store, clock: Clock): Promise<Uint8Array> {
  const known = await findSealKey(store)
  if (known) return known
  const row: KeyRow = {
    Kid: SEAL_KID,
    Use: 'enc',
    PublicJwk: '',
    PrivateJwk: JSON.stringify({ kty: 'oct', k: randomBytes(SEAL_BYTES).toString('base64url') }),
    CreatedAt: clock.now().toISOString(),
    RetiredAt: null,
    IsCurrent: false,
  }
  await store.write(
    (tx) => upsertRow(tx, keys, row, 'ON CONFLICT DO NOTHING'),
    systemScope('signing keys belong to no company'),
  )
  const made = await findSealKey(store)
  if (!made) throw new Error('engine.db holds no key that seals')
  return made
}

async function findSealKey(reader: Reader): Promise<Uint8Array | undefined> {
  const sealing = { kid: SEAL_KID }
  const row = await getRow(reader, keys, `WHERE Kid = @kid AND Use = 'enc'`, sealing)
  const { k } = row ? parseJwk(row.PrivateJwk) : {}
  return k === undefined ? undefined : Buffer.from(k, 'base64url')
}

async function importKey(text: string): Promise<CryptoKey> {
  const key = await importJWK(parseJwk(text), ALGORITHM, { extractable: false })
  if (key instanceof Uint8Array) throw new Error('A stored signing key is no RSA key')
  return key
}

function toPublicSet(rows: readonly KeyRow[]): PublicKeySet {
  return {
    keys: rows.map((row) => {
      const { n = '', e = '' } = parseJwk(row.PublicJwk)
      return { kty: 'RSA', use: 'sig', alg: ALGORITHM, kid: row.Kid, n, e }
    }),
  }
}

const parseJwk = (text: string): JWK => JSON.parse(text)
