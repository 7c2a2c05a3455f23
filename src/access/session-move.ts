/** A session goes on in another company. */
import { eq, txDatabase } from '../store/drizzle.ts'
import type { Tx } from '../store/store.ts'
import { refreshTokens, sessions } from '../store/tables/sessions.ts'
import { endSession, isLive, planToken } from './session-rows.ts'
import type { SessionRow } from './session-rows.ts'

/** What takes the place of a session. */
export interface Move {
  companyId: number
  /** Of the session that comes. */
  newId: string
  refreshToken: string
  now: string
  expires: string
}

/**
 * Ends a session and opens one in another company in its place, whose row it resolves to; undefined
 * when the session had ended. None of its tokens, refresh tokens included, works any longer, also
 * after a way back. Who acts as somebody else goes on to do so, for as long as before.
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
