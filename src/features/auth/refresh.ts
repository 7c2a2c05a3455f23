/** Continuing a session: a refresh token for the next pair. */
import { REFRESH_GRACE_MS } from '../../access/sessions.ts'
import { issueTokens } from './identity.ts'
import type { Identity } from './identity.ts'
import type { Tokens } from './schema.ts'

interface Recent {
  tokens: Promise<Tokens>
  /** Milliseconds since 1970. */
  until: number
}

/**
 * Uses refresh tokens up. Whoever offers the same one again within `REFRESH_GRACE_MS`, in parallel
 * or after a lost answer, gets the very same pair: the refresh token because it is derived, the
 * access token from memory.
 */
export class Refreshes {
  readonly #identity: Identity
  /** By the new refresh token, the oldest first. */
  readonly #recent = new Map<string, Recent>()

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** The next pair. Throws the 401 of a token that is unknown, expired, or used up too long ago. */
  async refresh(token: string): Promise<Tokens> {
    const session = await this.#identity.sessions.rotate(token)
    this.#dropOld()
    const known = this.#recent.get(session.refreshToken)
    if (known) return known.tokens
    const tokens = issueTokens(this.#identity, session)
    const until = this.#now() + REFRESH_GRACE_MS
    this.#recent.set(session.refreshToken, { tokens, until })
    tokens.catch(() => this.#recent.delete(session.refreshToken))
    return tokens
  }

  #dropOld(): void {
    const now = this.#now()
    for (const [token, { until }] of this.#recent) {
      if (until > now) return
      this.#recent.delete(token)
    }
  }

  #now(): number {
    return this.#identity.app.clock.now().getTime()
  }
}
