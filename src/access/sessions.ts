/**
 * Sessions and their rotating refresh tokens, in `state.db`. A session is the family of its
 * tokens.
 */
import { createHash, createHmac } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { unauthenticated } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { newId, newSecret } from '../kernel/ids.ts'
import { and, eq, inArray, isNull, lt, ne, readDatabase, txDatabase } from '../store/drizzle.ts'
import type { Reader, Store, Tx } from '../store/store.ts'
import { refreshTokens, sessions } from '../store/tables/sessions.ts'

/** Within this time of its use, a refresh token that is offered again gets the same successor. */
export const REFRESH_GRACE_MS = 10_000

const SWEPT_ROWS = 4

/** Any company: what `state.db` holds belongs to none. */
const SCOPE = { company: 'all' } as const

export type SessionRow = typeof sessions.$inferSelect
type TokenRow = typeof refreshTokens.$inferSelect

/** A session with the refresh token that continues it. The token is only known now. */
export interface OpenSession {
  id: string
  userId: number
  companyId: number
  refreshToken: string
}

export interface NewSession {
  userId: number
  companyId: number
  /** What the client calls itself (User-Agent). */
  client: string | undefined
  address: string
}

/** Who must hear at once that a session ended. */
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

type Rotation = { kind: 'rotated'; session: SessionRow } | { kind: 'refused'; ended?: string }

/** Opens, continues and ends sessions. It holds nothing itself: `state.db` knows all. */
export class Sessions {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Opens a session and issues its first refresh token. */
  async open(input: NewSession): Promise<OpenSession> {
    const id = newId()
    const refreshToken = newSecret()
    const { now, expires } = this.#times()
    await this.#options.state.write(async (tx) => {
      const database = txDatabase(tx)
      await database.insert(sessions).values({
        Id: id,
        UserId: input.userId,
        CompanyId: input.companyId,
        Client: input.client?.slice(0, 200) ?? null,
        Address: input.address,
        CreatedAt: now,
        LastUsedAt: now,
        ExpiresAt: expires,
      })
      await database.insert(refreshTokens).values(planToken(refreshToken, id, { now, expires }))
      await sweep(tx, now)
    }, SCOPE)
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
      SCOPE,
    )
    if (rotation.kind === 'rotated')
      return {
        id: rotation.session.Id,
        userId: rotation.session.UserId,
        companyId: rotation.session.CompanyId,
        refreshToken: successor,
      }
    if (rotation.ended !== undefined) this.#options.watcher.forgetSession(rotation.ended)
    throw unauthenticated(say`The refresh token is not valid`, 'REFRESH_INVALID')
  }

  /** The id of the user's live session that a refresh token, used up or not, belongs to. */
  async find(userId: number, token: string): Promise<string | undefined> {
    const [row] = await readDatabase(this.#options.state)
      .select({ id: sessions.Id })
      .from(refreshTokens)
      .innerJoin(sessions, eq(sessions.Id, refreshTokens.SessionId))
      .where(and(eq(refreshTokens.Hash, hashToken(token)), eq(sessions.UserId, userId)))
    return row?.id
  }

  /** Ends one session. It holds for the next request. */
  async end(id: string, because: string): Promise<void> {
    const { now } = this.#times()
    await this.#options.state.write((tx) => endSession(tx, id, { now, because }), SCOPE)
    this.#options.watcher.forgetSession(id)
  }

  /** Ends every session of a user but `except`; resolves to how many there were. */
  async endAll(userId: number, because: string, except = ''): Promise<number> {
    const { now } = this.#times()
    const ended = await this.#options.state.write(
      (tx) =>
        txDatabase(tx)
          .update(sessions)
          .set({ EndedAt: now, EndedBecause: because })
          .where(
            and(eq(sessions.UserId, userId), isNull(sessions.EndedAt), ne(sessions.Id, except)),
          )
          .returning({ id: sessions.Id }),
      SCOPE,
    )
    for (const { id } of ended) this.#options.watcher.forgetSession(id)
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
  const [row] = await readDatabase(reader).select().from(sessions).where(eq(sessions.Id, id))
  return row && isLive(row, now.toISOString()) ? row : undefined
}

const isLive = (row: SessionRow, now: string): boolean =>
  row.EndedAt === null && row.ExpiresAt > now

/** Only the SHA-256 is stored: who reads the file cannot continue a session. */
const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

const planToken = (
  token: string,
  sessionId: string,
  times: { now: string; expires: string },
): TokenRow => ({
  Hash: hashToken(token),
  SessionId: sessionId,
  CreatedAt: times.now,
  ExpiresAt: times.expires,
  UsedAt: null,
  ReplacedBy: null,
})

interface RotationPlan {
  token: string
  successor: string
  now: string
  expires: string
  graceFrom: string
}

async function rotateToken(tx: Tx, plan: RotationPlan): Promise<Rotation> {
  const database = txDatabase(tx)
  const hash = hashToken(plan.token)
  const [row] = await database.select().from(refreshTokens).where(eq(refreshTokens.Hash, hash))
  if (!row) return { kind: 'refused' }
  const [session] = await database.select().from(sessions).where(eq(sessions.Id, row.SessionId))
  if (!session || !isLive(session, plan.now) || row.ExpiresAt <= plan.now)
    return { kind: 'refused' }
  if (row.UsedAt !== null) return judgeRepeat(tx, { row, session, plan })
  await database
    .update(refreshTokens)
    .set({ UsedAt: plan.now, ReplacedBy: hashToken(plan.successor) })
    .where(eq(refreshTokens.Hash, hash))
  await database.insert(refreshTokens).values(planToken(plan.successor, session.Id, plan))
  await database
    .update(sessions)
    .set({ LastUsedAt: plan.now, ExpiresAt: plan.expires })
    .where(eq(sessions.Id, session.Id))
  await sweep(tx, plan.now)
  return { kind: 'rotated', session }
}

async function judgeRepeat(
  tx: Tx,
  repeat: { row: TokenRow; session: SessionRow; plan: RotationPlan },
): Promise<Rotation> {
  const { row, session, plan } = repeat
  const isSame = row.ReplacedBy === hashToken(plan.successor)
  if (isSame && row.UsedAt !== null && row.UsedAt > plan.graceFrom)
    return { kind: 'rotated', session }
  await endSession(tx, session.Id, { now: plan.now, because: 'A used refresh token was offered' })
  return { kind: 'refused', ended: session.Id }
}

async function endSession(
  tx: Tx,
  id: string,
  end: { now: string; because: string },
): Promise<void> {
  await txDatabase(tx)
    .update(sessions)
    .set({ EndedAt: end.now, EndedBecause: end.because })
    .where(and(eq(sessions.Id, id), isNull(sessions.EndedAt)))
}

/** Deletes some of what expired. Each write adds one row, so that a few a write always keep up. */
async function sweep(tx: Tx, now: string): Promise<void> {
  const database = txDatabase(tx)
  const tokens = database
    .select({ Hash: refreshTokens.Hash })
    .from(refreshTokens)
    .where(lt(refreshTokens.ExpiresAt, now))
    .limit(SWEPT_ROWS)
  await database.delete(refreshTokens).where(inArray(refreshTokens.Hash, tokens))
  const over = database
    .select({ Id: sessions.Id })
    .from(sessions)
    .where(lt(sessions.ExpiresAt, now))
    .limit(SWEPT_ROWS)
  await database.delete(sessions).where(inArray(sessions.Id, over))
}
