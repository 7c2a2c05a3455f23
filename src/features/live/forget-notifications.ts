/** Deletes old notifications, and the oldest of users who have too many. */
import { Loop } from '../../kernel/background.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import type { AppContext } from '../../server/context.ts'
import { OWN } from './notices.ts'
import { NOTIFICATIONS } from './settings.ts'

const SCOPE = systemScope(OWN)

const LOOK_MS = 30 * MINUTE

/** Notifications deleted in one transaction: others write in between. */
const AT_ONCE = 500

const OLD = `DELETE FROM svc_notifications WHERE Id IN (
  SELECT Id FROM svc_notifications WHERE CreatedAt < @before ORDER BY CreatedAt LIMIT ${AT_ONCE})`

const OVER_LIMIT = `SELECT UserId, CompanyId, count(*) - @max AS Spare FROM svc_notifications
  GROUP BY UserId, CompanyId HAVING count(*) > @max`

const OLDEST = `DELETE FROM svc_notifications WHERE Id IN (
  SELECT Id FROM svc_notifications WHERE UserId = @user AND CompanyId = @company
  ORDER BY Id LIMIT @count)`

/** Forgets what `Svc:Notifications:Retention` and `PerUser` do not keep. */
export function openForgetting({ store, clock, settings, log }: AppContext): Loop {
  const loop: Loop = new Loop({
    name: 'old notifications',
    everyMs: LOOK_MS,
    log,
    steps: [
      async () => {
        const retention = settings.get(NOTIFICATIONS.retention)
        const before = new Date(clock.now().getTime() - retention).toISOString()
        const isAny = `SELECT 1 AS Found FROM svc_notifications WHERE CreatedAt < @before LIMIT 1`
        while (
          !loop.isStopping &&
          (await store.get({ sql: isAny, args: { before }, runs: 'inline' }))
        )
          await store.write((tx) => tx.run(OLD, { before }), SCOPE)
      },
      async () => {
        const args = { max: settings.get(NOTIFICATIONS.perUser) }
        const overLimit = await store.all({ sql: OVER_LIMIT, args, runs: 'background' })
        for (const { UserId: user = null, CompanyId: company = null, Spare } of overLimit)
          for (let left = Number(Spare); left > 0 && !loop.isStopping; left -= AT_ONCE) {
            const count = Math.min(left, AT_ONCE)
            await store.write((tx) => tx.run(OLDEST, { user, company, count }), SCOPE)
          }
      },
    ],
    failure: 'old notifications could not be forgotten',
  })
  return loop
}
