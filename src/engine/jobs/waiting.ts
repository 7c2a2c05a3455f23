/** Bound of the jobs that one user may have waiting. */
import { tooMany } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import { ASKED_JOBS } from '../../store/tables/jobs.ts'

const WAITING = `SELECT count(*) AS Count FROM (SELECT 1 FROM svc_jobs
  WHERE Name = @name AND UserId = @user AND ${ASKED_JOBS} LIMIT @max)`

const RETRY_SECONDS = 30

/** @throws tooMany where `max` jobs of a name wait or run for a user */
export async function requireFewWaiting(
  tx: Tx,
  { name, userId, max }: { name: string; userId: number; max: number },
  refusal: Message,
): Promise<void> {
  const waiting = await tx.get<{ Count: number }>(WAITING, { name, user: userId, max })
  if ((waiting?.Count ?? 0) >= max) throw tooMany(refusal, RETRY_SECONDS)
}
