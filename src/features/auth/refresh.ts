/** Continuing a session: a refresh token for the next pair. */
import { REFRESH_GRACE_MS, refreshInvalid } from '../../access/sessions.ts'
import type { OpenSession } from '../../access/sessions.ts'
import { Failure } from '../../kernel/failure.ts'
import type { AppContext } from '../../server/context.ts'
import { issueTokens } from '../../server/tokens.ts'
import type { Tokens } from '../../server/token-schema.ts'

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
  readonly #app: AppContext
  /** By the new refresh token, the oldest first. */
  readonly #recent = new Map<string, Recent>()

  constructor(app: AppContext) {
    this.#app = app
  }

  /**
   * The next pair. Throws the 401 of a token that is unknown, expired, or used up too long ago, and
   * the 429 of a session with too many of these.
   */
  async refresh(token: string): Promise<Tokens> {
    const session = await this.#rotate(token)
    this.#dropOld()
    const known = this.#recent.get(session.refreshToken)
    if (known) return known.tokens
    const tokens = issueTokens(this.#app, session)
    const until = this.#now() + REFRESH_GRACE_MS
    this.#recent.set(session.refreshToken, { tokens, until })
    tokens.catch(() => this.#recent.delete(session.refreshToken))
    return tokens
  }

  /**
   * A token is no guess: many may run at once, and only those that were refused are counted,
   * against their own session. One of no session opens nothing and costs one look: to count it
   * against its address would lock out whoever else is there.
   */
  async #rotate(token: string): Promise<OpenSession> {
    const { sessions, throttles } = this.#app.identity
    const family = await sessions.findFamily(token)
    if (family === undefined) throw refreshInvalid()
    const attempt = { user: family }
    await throttles.refresh.require(attempt)
    try {
      return await sessions.rotate(token)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unauthorized')
        await throttles.refresh.fail(attempt)
      throw error
    }
  }

  #dropOld(): void {
    const now = this.#now()
    for (const [token, { until }] of this.#recent) {
      if (until > now) return
      this.#recent.delete(token)
    }
  }

  #now(): number {
    return this.#app.clock.now().getTime()
  }
}
