/** A user's sessions as they are told to them. */
import { and, desc, eq, gt, isNull, readDatabase } from '../store/drizzle.ts'
import type { Reader } from '../store/store.ts'
import { sessions } from '../store/tables/sessions.ts'
import type { SessionRow } from './session-rows.ts'

/** Sessions that are told of, the newest; nobody has more of them by hand. */
const SESSIONS_MAX = 1000

/** The live sessions of a user, also those in which somebody else acts as them, newest first. */
export function loadLiveSessions(reader: Reader, userId: number, now: Date): Promise<SessionRow[]> {
  const isLive = and(isNull(sessions.EndedAt), gt(sessions.ExpiresAt, now.toISOString()))
  return readDatabase(reader)
    .select()
    .from(sessions)
    .where(and(eq(sessions.UserId, userId), isLive))
    .orderBy(desc(sessions.CreatedAt), desc(sessions.Id))
    .limit(SESSIONS_MAX)
}
