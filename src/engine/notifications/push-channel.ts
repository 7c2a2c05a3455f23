/** Notifications in browsers: one job for those saved together, then one for each user. */
import type { Clock } from '../../kernel/clock.ts'
import { type Reader, type Store, systemScope, type Tx } from '../../store/store.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import type { StoredNotification, UserInCompany } from './notification-records.ts'
import { enqueuePush } from '../web-push/push-jobs.ts'

const JOB = 'notification-push'

/** Users of one run: another job continues with the rest. */
const PAGE = 200

const SCOPE = systemScope('notifications of every company are pushed')

/** Notifications that were saved together have the numbers from the first to the last. */
interface SavedRange {
  first: number
  last: number
}

/** Selects waiting notifications whose user wants pushes of the kind and has a browser. */
const PUSHED = `SELECT n.Id, n.UserId FROM svc_notifications n
  LEFT JOIN svc_notification_preferences p ON p.UserId = n.UserId AND p.Kind = n.Kind
  WHERE n.Id BETWEEN @first AND @last AND coalesce(p.Push, 1)
    AND EXISTS (SELECT 1 FROM svc_push_subscriptions s WHERE s.UserId = n.UserId)
  ORDER BY n.Id LIMIT @limit`

const listPushed = (reader: Reader, range: SavedRange, limit: number) =>
  reader.all<{ Id: number; UserId: number }>(PUSHED, { ...range, limit })

/** Enqueues pushes to the browsers of the notified users, where one has any. */
export async function enqueuePushes(
  tx: Tx,
  range: SavedRange,
  { companyId, now }: { companyId: number; now: Date },
): Promise<void> {
  const [found] = await listPushed(tx, range, 1)
  if (found) await enqueueRange(tx, { first: found.Id, last: range.last }, { companyId, now })
}

const enqueueRange = (
  tx: Tx,
  range: SavedRange,
  { companyId, now }: { companyId: number | null; now: Date },
): Promise<number> =>
  enqueueJob(tx, {
    name: JOB,
    arguments: { First: range.first, Last: range.last },
    now,
    owner: { userId: null, companyId },
    source: 'notification',
  })

/** The kind of job that enqueues the pushes, user by user. */
export const pushChannelJob = (parts: { store: Store; clock: Clock }): JobKind => ({
  name: JOB,
  staysInside: true,
  run: (run) => enqueuePage(parts, run),
})

/** A page of users and the job of the next page are one transaction. */
function enqueuePage(
  { store, clock }: { store: Store; clock: Clock },
  run: JobRun,
): Promise<{ Users: number }> {
  const { First: first, Last: last } = run.arguments as { First: number; Last: number }
  const { CompanyId: companyId } = run.job
  const now = clock.now()
  return store.write(async (tx) => {
    const page = await listPushed(tx, { first, last }, PAGE)
    for (const { Id, UserId: userId } of page) {
      const facts = { owner: { userId, companyId }, source: 'notification', now }
      await enqueuePush(tx, { notification: Id }, facts)
    }
    const end = page.at(-1)
    if (page.length === PAGE && end)
      await enqueueRange(tx, { first: end.Id + 1, last }, { companyId, now })
    return { Users: page.length }
  }, SCOPE)
}

const FIND = `SELECT * FROM svc_notifications
  WHERE Id = @id AND UserId = @user AND CompanyId = @company
    AND (ReadAt IS NULL OR ReadAt = CreatedAt)`

/** The notification to send to a browser; undefined once its user has read or removed it. */
export const findPushed = (
  reader: Reader,
  { userId, companyId }: UserInCompany,
  id: number,
): Promise<StoredNotification | undefined> =>
  reader.get<StoredNotification>(FIND, { id, user: userId, company: companyId })
