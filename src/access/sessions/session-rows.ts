/** Rows of sessions and refresh tokens, read and written within one transaction. */
import { and, desc, eq, gt, isNull, readDatabase, txDatabase } from '../../store/drizzle.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { deleteExpired, hashSecret } from './state-rows.ts'
import { refreshTokens, sessions } from '../state-db.ts'

export type SessionRow = typeof sessions.$inferSelect
type TokenRow = typeof refreshTokens.$inferSelect

/** Outcome of an offered refresh token; `ended` is the session that ended for it. */
type Rotation = { kind: 'rotated'; session: SessionRow } | { kind: 'refused'; ended?: string }

/** Returns true for a session that has neither ended nor expired. */
export const isLive = (row: SessionRow, now: string): boolean =>
  row.EndedAt === null && row.ExpiresAt > now

/** The row of a refresh token. */
export const planToken = (
  token: string,
  sessionId: string,
  times: { now: string; expires: string },
): TokenRow => ({
  Hash: hashSecret(token),
  SessionId: sessionId,
  CreatedAt: times.now,
  ExpiresAt: times.expires,
  UsedAt: null,
  ReplacedBy: null,
})

/** A token, what takes its place, and the times that its row is valid by. */
interface RotationPlan {
  token: string
  successor: string
  now: string
  expires: string
  graceFrom: string
}

/** Uses a token up for its successor, or finds out what its being offered again means. */
export async function rotateToken(tx: Tx, plan: RotationPlan): Promise<Rotation> {
  const database = txDatabase(tx)
  const hash = hashSecret(plan.token)
  const [row] = await database.select().from(refreshTokens).where(eq(refreshTokens.Hash, hash))
  if (!row) return { kind: 'refused' }
  const [session] = await database.select().from(sessions).where(eq(sessions.Id, row.SessionId))
  if (!session || !isLive(session, plan.now) || row.ExpiresAt <= plan.now)
    return { kind: 'refused' }
  if (row.UsedAt !== null) return checkRepeat(tx, { row, session, plan })
  await database
    .update(refreshTokens)
    .set({ UsedAt: plan.now, ReplacedBy: hashSecret(plan.successor) })
    .where(eq(refreshTokens.Hash, hash))
  const expires = session.ImpersonatorId === null ? plan.expires : session.ExpiresAt
  const next = planToken(plan.successor, session.Id, { now: plan.now, expires })
  await database.insert(refreshTokens).values(next)
  await database
    .update(sessions)
    .set({ LastUsedAt: plan.now, ExpiresAt: expires })
    .where(eq(sessions.Id, session.Id))
  await deleteExpiredSessions(tx, plan.now)
  return { kind: 'rotated', session }
}

async function checkRepeat(
  tx: Tx,
  repeat: { row: TokenRow; session: SessionRow; plan: RotationPlan },
): Promise<Rotation> {
  const { row, session, plan } = repeat
  const isSame = row.ReplacedBy === hashSecret(plan.successor)
  if (isSame && row.UsedAt !== null && row.UsedAt > plan.graceFrom)
    return { kind: 'rotated', session }
  await endSession(tx, session.Id, { now: plan.now, because: 'A used refresh token was offered' })
  return { kind: 'refused', ended: session.Id }
}

/** Resolves to whether the session had not ended before. */
export async function endSession(
  tx: Tx,
  id: string,
  end: { now: string; because: string },
): Promise<boolean> {
  const ended = await txDatabase(tx)
    .update(sessions)
    .set({ EndedAt: end.now, EndedBecause: end.because })
    .where(and(eq(sessions.Id, id), isNull(sessions.EndedAt)))
    .returning({ id: sessions.Id })
  return ended.length > 0
}

/** Deletes some of the sessions and tokens that expired. */
export async function deleteExpiredSessions(tx: Tx, now: string): Promise<void> {
  await deleteExpired(tx, 'svc_refresh_tokens', now)
  await deleteExpired(tx, 'svc_sessions', now)
}

/** Most sessions of a list, the newest first; more than a user opens by hand. */
const SESSIONS_MAX = 1000

/** Loads the live sessions of a user, also those in which others act as them, newest first. */
export function loadLiveSessions(reader: Reader, userId: number, now: Date): Promise<SessionRow[]> {
  const isLive = and(isNull(sessions.EndedAt), gt(sessions.ExpiresAt, now.toISOString()))
  return readDatabase(reader)
    .select()
    .from(sessions)
    .where(and(eq(sessions.UserId, userId), isLive))
    .orderBy(desc(sessions.CreatedAt), desc(sessions.Id))
    .limit(SESSIONS_MAX)
}

/** The session that takes the place of another. */
interface Move {
  companyId: number
  /** Id of the new session. */
  newId: string
  refreshToken: string
  now: string
  expires: string
}

/**
 * Ends a session and opens one in another company in its place, whose row it resolves to; undefined
 * when the session had ended. None of its tokens, refresh tokens included, works any longer, also
 * after a way back. An impersonator goes on acting as the user, for as long as before.
 */
export async function moveSession(tx: Tx, id: string, move: Move): Promise<SessionRow | undefined> {
  const { companyId, newId, now } = move
  const database = txDatabase(tx)
  const [row] = await database.select().from(sessions).where(eq(sessions.Id, id))
  if (!row || !isLive(row, now)) return undefined
  await endSession(tx, id, { now, because: 'The session went on in another company' })
  const expires = row.ImpersonatorId === null ? move.expires : row.ExpiresAt
  const times = { CreatedAt: now, LastUsedAt: now, ExpiresAt: expires }
  const opened = { ...row, Id: newId, CompanyId: companyId, ...times }
  await database.insert(sessions).values(opened)
  await database.insert(refreshTokens).values(planToken(move.refreshToken, newId, { now, expires }))
  return opened
}
