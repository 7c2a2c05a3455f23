/** Jobs of extensions that come by their Cron. */
import type { Log } from '../../kernel/log.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import type { Extensions } from './extensions.ts'
import type { JobPart } from './parts.ts'
import type { ListRecurring, RecurringJob } from '../jobs/recurring-job.ts'

/** Selects the companies that a user may be in: none for a locked user. */
const PLACES = `SELECT u.Id AS userId, c.Id AS companyId, c.Code AS code, c.TimeZone AS timeZone
  FROM svc_users u
  JOIN svc_user_companies m ON m.UserId = u.Id
  JOIN svc_companies c ON c.Id = m.CompanyId AND c.Active = 1
  WHERE u.UserNameKey = @name AND u.Active = 1
  ORDER BY c.Id`

interface Place extends SqlRow {
  userId: number
  companyId: number
  code: string
  timeZone: string
}

interface RecurringExtensionsParts {
  store: Reader
  extensions: Extensions
  log: Log
  /** The time zone of jobs that are the engine's own. */
  timeZone: string
}

/** One recurring job for each job of the engine's own, or for each company of its user. */
export function listRecurringExtensions({
  store,
  extensions,
  log,
  timeZone,
}: RecurringExtensionsParts): ListRecurring {
  const warned = new WeakSet<JobPart>()
  return async () => {
    const { jobs } = await extensions.load()
    const lists = [...jobs.values()].map(async ({ part }): Promise<RecurringJob[]> => {
      const { Cron, RunAs } = part
      if (Cron === null) return []
      const base = planRecurring(part, Cron)
      const zone = part.TimeZone ?? timeZone
      if (RunAs === null) return [{ ...base, timeZone: zone, companyId: null, userId: null }]
      const args = { name: toUserNameKey(RunAs) }
      const places = await store.all<Place>({ sql: PLACES, args, runs: 'inline' })
      if (places.length === 0 && !warned.has(part))
        log.warn('a job comes no more: there is no such active user', { job: part.Name, RunAs })
      warned.add(part)
      return places.map(({ code, ...place }) => ({
        ...base,
        key: `${base.key}@${place.companyId}`,
        name: `${base.name}@${code}`,
        userId: place.userId,
        companyId: place.companyId,
        timeZone: part.TimeZone ?? place.timeZone,
      }))
    })
    return (await Promise.all(lists)).flat()
  }
}

const planRecurring = ({ Name, Queue }: JobPart, cron: string) => ({
  // A procedure may have the name, too.
  key: `extension/${Name}`,
  name: Name,
  job: Name,
  cron,
  missed: 'Relaxed' as const,
  arguments: {},
  queue: Queue,
})
