/** Access tokens: which claims they carry, and the one way to believe one. */
import { errors, jwtVerify } from 'jose'
import { unauthenticated } from '../../kernel/failure.ts'
import { TOKEN_CHARACTERS_MAX } from '../../kernel/limits.ts'
import { say } from '../../kernel/messages.ts'

/** Type of access tokens (RFC 9068): a token signed for another purpose never passes as one. */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

/** More roles than these are left out of a token: they inform, and decide nothing. */
const TOKEN_ROLES_MAX = 50

/** The claims of an access token (src/server/README.md, Identity). Times are seconds since 1970. */
export interface AccessClaims {
  /** The user's id. */
  sub: string
  name: string
  /** The company's id. */
  cid: number
  roles: string[]
  /** The session's id. */
  sid: string
  /** The user who acts as `sub` (RFC 8693, section 4.1). */
  act?: { sub: string; name: string }
  jti: string
  exp: number
  iss: string
  aud: string
}

/** Signs claims; `server/identity.ts` makes one. It adds `iat`. */
export type SignToken = (claims: AccessClaims) => Promise<string>

/** Claims and lifetimes of every token of this installation. */
export interface TokenPolicy {
  issuer: string
  audience: string
  /** Milliseconds that an access token lives. */
  accessLifetime: number
}

/** Claims of a verified token. Rights are looked up, never read from it. */
interface VerifiedToken {
  userId: number
  companyId: number
  sessionId: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Public keys by `kid`, for verification. */
export interface PublicKeys {
  findPublic(kid: string): CryptoKey | undefined
}

/** The claims of a new access token for a session. `id` is the token's own, drawn by the caller. */
export function planClaims(
  session: {
    id: string
    userId: number
    userName: string
    companyId: number
    roles: readonly string[]
    /** The user who acts as this one, and until when at the latest. */
    impersonator?: { userId: number; userName: string; until: Date } | undefined
  },
  policy: TokenPolicy,
  issue: { id: string; now: Date },
): AccessClaims {
  const { impersonator } = session
  const expires = issue.now.getTime() + policy.accessLifetime
  const last = Math.min(expires, impersonator?.until.getTime() ?? expires)
  return {
    sub: String(session.userId),
    name: session.userName,
    cid: session.companyId,
    roles: session.roles.slice(0, TOKEN_ROLES_MAX),
    sid: session.id,
    ...(impersonator && {
      act: { sub: String(impersonator.userId), name: impersonator.userName },
    }),
    jti: issue.id,
    exp: Math.floor(last / 1000),
    iss: policy.issuer,
    aud: policy.audience,
  }
}

/**
 * Believes a token only when it is RS256, its `kid` names a key of ours, its signature, issuer and
 * audience hold and it has not expired. The header's own keys and addresses (`jwk`, `jku`, `x5u`)
 * are never looked at. Throws the 401 of an expired token (`TOKEN_EXPIRED`) or of a false one
 * (`TOKEN_INVALID`).
 */
export async function verifyToken(
  token: string,
  keys: PublicKeys,
  policy: TokenPolicy,
  now: Date,
): Promise<VerifiedToken> {
  if (token.length > TOKEN_CHARACTERS_MAX) throw falseToken()
  try {
    const { payload } = await jwtVerify(token, (header) => requireKey(keys, header.kid), {
      algorithms: ['RS256'],
      typ: ACCESS_TOKEN_TYPE,
      issuer: policy.issuer,
      audience: policy.audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      currentDate: now,
    })
    return toVerified(payload)
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw unauthenticated(say`The access token has expired`, 'TOKEN_EXPIRED')
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw falseToken()
    throw error
  }
}

const falseToken = () => unauthenticated(say`The access token is not valid`, 'TOKEN_INVALID')

/** Returns the public key of a `kid`; refuses a token without one, even with only one key. */
function requireKey(keys: PublicKeys, kid: string | undefined): CryptoKey {
  const key = kid === undefined ? undefined : keys.findPublic(kid)
  if (!key) throw falseToken()
  return key
}

function toVerified(payload: Record<string, unknown>): VerifiedToken {
  const { sub, cid, sid, exp } = payload
  const userId = typeof sub === 'string' && /^\d{1,15}$/.test(sub) ? Number(sub) : 0
  if (userId === 0 || typeof exp !== 'number') throw falseToken()
  if (typeof cid !== 'number' || !Number.isSafeInteger(cid)) throw falseToken()
  if (typeof sid !== 'string' || sid === '') throw falseToken()
  return { userId, companyId: cid, sessionId: sid, expiresAt: exp * 1000 }
}
