/** Rows of sessions and refresh tokens, read and written within one transaction. */
import { allRows, getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { deleteExpired, hashSecret } from './state-rows.ts'
import { refreshTokens, sessions } from '../state-db.ts'

export type SessionRow = typeof sessions.$inferSelect
type TokenRow = typeof refreshTokens.$inferSelect

/** Outcome of an offered refresh token; `ended` is the session that ended for it. */
type Rotation = { kind: 'rotated'; session: SessionRow } | { kind: 'refused'; ended?: string }

/** The session with this id, whether it lives or not. */
export const findSession = (reader: Reader, id: string): Promise<SessionRow | undefined> =>
  getRow(reader, sessions, 'WHERE Id = @id', { id })

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
  const hash = hashSecret(plan.token)
  const row = await getRow(tx, refreshTokens, 'WHERE Hash = @hash', { hash })
  if (!row) return { kind: 'refused' }
  const session = await findSession(tx, row.SessionId)
  if (!session || !isLive(session, plan.now) || row.ExpiresAt <= plan.now)
    return { kind: 'refused' }
  if (row.UsedAt !== null) return checkRepeat(tx, { row, session, plan })
  const used = { UsedAt: plan.now, ReplacedBy: hashSecret(plan.successor) }
  await updateRows(tx, refreshTokens, 'WHERE Hash = @hash', { hash, set: used })
  const expires = session.ImpersonatorId === null ? plan.expires : session.ExpiresAt
  const next = planToken(plan.successor, session.Id, { now: plan.now, expires })
  await insertRow(tx, refreshTokens, next)
  const set = { LastUsedAt: plan.now, ExpiresAt: expires }
  await updateRows(tx, sessions, 'WHERE Id = @id', { id: session.Id, set })
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
  const set = { EndedAt: end.now, EndedBecause: end.because }
  return (await updateRows(tx, sessions, 'WHERE Id = @id AND EndedAt IS NULL', { id, set })) > 0
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
  const text = `WHERE UserId = @userId AND EndedAt IS NULL AND ExpiresAt > @now
    ORDER BY CreatedAt DESC, Id DESC LIMIT ${SESSIONS_MAX}`
  return allRows(reader, sessions, text, { userId, now: now.toISOString() })
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
  const row = await findSession(tx, id)
  if (!row || !isLive(row, now)) return undefined
  await endSession(tx, id, { now, because: 'The session went on in another company' })
  const expires = row.ImpersonatorId === null ? move.expires : row.ExpiresAt
  const times = { CreatedAt: now, LastUsedAt: now, ExpiresAt: expires }
  const opened = { ...row, Id: newId, CompanyId: companyId, ...times }
  await insertRow(tx, sessions, opened)
  await insertRow(tx, refreshTokens, planToken(move.refreshToken, newId, { now, expires }))
  return opened
}
