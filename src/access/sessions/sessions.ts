/**
 * Sessions and their rotating refresh tokens, in `state.db`. A session is the family of its
 * tokens.
 */
import { createHmac } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { unauthenticated } from '../../kernel/failure.ts'
import { newId, newSecret } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'
import { getRow, insertRow } from '../../store/rows.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import {
  deleteExpiredSessions,
  endSession,
  findSession,
  isLive,
  moveSession,
  planToken,
  rotateToken,
  type SessionRow,
} from './session-rows.ts'
import { hashSecret, OF_NO_COMPANY } from './state-rows.ts'
import { refreshTokens, sessions } from '../state-db.ts'

/** Within this time of its use, a refresh token that is offered again gets the same successor. */
export const REFRESH_GRACE_MS = 10_000

/** The one 401 of a refresh token that continues nothing. */
export const refreshInvalid = () =>
  unauthenticated(say`The refresh token is not valid`, 'REFRESH_INVALID')

/** A session with the refresh token that continues it. The token is only known now. */
export interface OpenSession {
  id: string
  userId: number
  companyId: number
  refreshToken: string
}

/** The user who acts as the user of a session, the session of theirs, and the reason. */
interface Impersonation {
  impersonatorId: number
  fromSessionId: string
  reason: string
  /** However often it is refreshed, the session ends then. */
  endsAt: Date
}

interface NewSession {
  userId: number
  companyId: number
  impersonation?: Impersonation | undefined
  /** Name that the client gives itself (User-Agent). */
  client: string | undefined
  address: string
}

/** A listener that must learn at once that a session ended. */
export interface SessionWatcher {
  forgetSession(id: string): void
}

interface SessionOptions {
  state: Store
  clock: Clock
  watcher: SessionWatcher
  /** Milliseconds that a refresh token lives, from its own issue. */
  refreshLifetime: number
  /** Derives each successor from its predecessor, so that a repeat can get the same one. */
  refreshKey: Uint8Array
}

const OF_TOKEN = `SELECT s.Id FROM svc_refresh_tokens t JOIN svc_sessions s ON s.Id = t.SessionId
  WHERE t.Hash = @hash AND s.UserId = @userId`

/** Ends sessions that have not ended; tells which. */
const composeEnd = (condition: string): string =>
  `UPDATE svc_sessions SET EndedAt = @now, EndedBecause = @because
   WHERE ${condition} AND EndedAt IS NULL RETURNING Id`

const OF_USER = composeEnd('UserId = @userId AND Id <> @except')
const IN_COMPANY = composeEnd('CompanyId = @companyId')
const OF_USER_IN_COMPANY = composeEnd('CompanyId = @companyId AND UserId = @userId')

/** Opens, continues and ends sessions. It holds no state itself: `state.db` has all of it. */
export class Sessions {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Opens a session and issues its first refresh token. */
  async open(input: NewSession): Promise<OpenSession> {
    const id = newId()
    const refreshToken = newSecret()
    const { impersonation } = input
    const times = this.#times()
    const { now } = times
    const expires = impersonation?.endsAt.toISOString() ?? times.expires
    await this.#options.state.write(async (tx) => {
      await insertRow(tx, sessions, {
        Id: id,
        UserId: input.userId,
        CompanyId: input.companyId,
        Client: input.client?.slice(0, 200) ?? null,
        Address: input.address,
        CreatedAt: now,
        LastUsedAt: now,
        ExpiresAt: expires,
        ImpersonatorId: impersonation?.impersonatorId,
        ImpersonatorSessionId: impersonation?.fromSessionId,
        ImpersonationReason: impersonation?.reason,
      })
      await insertRow(tx, refreshTokens, planToken(refreshToken, id, { now, expires }))
      await deleteExpiredSessions(tx, now)
    }, OF_NO_COMPANY)
    return { id, userId: input.userId, companyId: input.companyId, refreshToken }
  }

  /**
   * Uses a refresh token up for its successor. A used one gets the same successor again for
   * `REFRESH_GRACE_MS`; after that it ends its session (the token was stolen, or its successor
   * was). Since a successor is derived, no crash and no race can make two of them. Throws a 401.
   */
  async rotate(token: string): Promise<OpenSession> {
    const successor = this.#derive(token)
    const times = this.#times()
    const rotation = await this.#options.state.write(
      (tx) => rotateToken(tx, { token, successor, ...times }),
      OF_NO_COMPANY,
    )
    if (rotation.kind === 'rotated')
      return {
        id: rotation.session.Id,
        userId: rotation.session.UserId,
        companyId: rotation.session.CompanyId,
        refreshToken: successor,
      }
    if (rotation.ended !== undefined) this.#options.watcher.forgetSession(rotation.ended)
    throw refreshInvalid()
  }

  /**
   * A further refresh token of a session that lives, which lives no longer for it. Throws the 401
   * of one that has ended.
   */
  async resume(id: string): Promise<OpenSession> {
    const refreshToken = newSecret()
    const { now } = this.#times()
    const session = await this.#options.state.write(async (tx) => {
      const row = await findSession(tx, id)
      if (!row || !isLive(row, now)) return undefined
      const token = planToken(refreshToken, id, { now, expires: row.ExpiresAt })
      await insertRow(tx, refreshTokens, token)
      return row
    }, OF_NO_COMPANY)
    if (!session)
      throw unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')
    return { id, userId: session.UserId, companyId: session.CompanyId, refreshToken }
  }

  /**
   * Ends a session and opens one in another company in its place (`moveSession`). Throws the
   * 401 of one that had ended, by another switch too.
   */
  async move(id: string, companyId: number): Promise<OpenSession> {
    const { now, expires } = this.#times()
    const move = { companyId, newId: newId(), refreshToken: newSecret(), now, expires }
    const row = await this.#options.state.write((tx) => moveSession(tx, id, move), OF_NO_COMPANY)
    this.#options.watcher.forgetSession(id)
    if (!row)
      throw unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')
    return { id: row.Id, userId: row.UserId, companyId, refreshToken: move.refreshToken }
  }

  /** The id of the user's live session that a refresh token, used up or not, belongs to. */
  async find(userId: number, token: string): Promise<string | undefined> {
    const args = { userId, hash: hashSecret(token) }
    const row = await this.#options.state.get<Pick<SessionRow, 'Id'>>(OF_TOKEN, args)
    return row?.Id
  }

  /** The session that a refresh token, of whatever state, was issued for. */
  async findFamily(token: string): Promise<string | undefined> {
    const hash = hashSecret(token)
    const row = await getRow(this.#options.state, refreshTokens, 'WHERE Hash = @hash', { hash })
    return row?.SessionId
  }

  /** Ends one session; it holds for the next request. Resolves to whether it was this that did. */
  async end(id: string, because: string): Promise<boolean> {
    const { now } = this.#times()
    const isEnded = await this.#options.state.write(
      (tx) => endSession(tx, id, { now, because }),
      OF_NO_COMPANY,
    )
    this.#options.watcher.forgetSession(id)
    return isEnded
  }

  /** Ends every session of a user but `except`; resolves to how many there were. */
  endAll(userId: number, because: string, except = ''): Promise<number> {
    return this.#end(OF_USER, { userId, except, because })
  }

  /**
   * Runs `write` and ends every session of a user but `except` before and after it, so that a crash
   * between the two files leaves no session, and none begins in between.
   */
  async endAround<T>(
    end: { userId: number; because: string; except?: string },
    write: () => Promise<T>,
  ): Promise<T> {
    const endAll = () => this.endAll(end.userId, end.because, end.except)
    await endAll()
    try {
      return await write()
    } finally {
      await endAll()
    }
  }

  /** Ends the sessions in a company: everybody's or one user's; resolves to how many there were. */
  endIn(companyId: number, because: string, userId?: number): Promise<number> {
    const args = { companyId, because }
    return userId === undefined
      ? this.#end(IN_COMPANY, args)
      : this.#end(OF_USER_IN_COMPANY, { ...args, userId })
  }

  async #end(sql: string, args: SqlArgs): Promise<number> {
    const { now } = this.#times()
    const ended = await this.#options.state.write(
      (tx) => tx.all<Pick<SessionRow, 'Id'>>(sql, { ...args, now }),
      OF_NO_COMPANY,
    )
    for (const { Id } of ended) this.#options.watcher.forgetSession(Id)
    return ended.length
  }

  #derive(token: string): string {
    return createHmac('sha256', this.#options.refreshKey).update(token).digest('base64url')
  }

  #times(): { now: string; expires: string; graceFrom: string } {
    const now = this.#options.clock.now().getTime()
    return {
      now: new Date(now).toISOString(),
      expires: new Date(now + this.#options.refreshLifetime).toISOString(),
      graceFrom: new Date(now - REFRESH_GRACE_MS).toISOString(),
    }
  }
}

/** The session with this id while it lives: neither ended nor expired. */
export async function findLiveSession(
  reader: Reader,
  id: string,
  now: Date,
): Promise<SessionRow | undefined> {
  const row = await findSession(reader, id)
  return row && isLive(row, now.toISOString()) ? row : undefined
}
