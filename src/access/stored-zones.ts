/** Stored time zones that this machine does not know: edited, or of another tz database. */
import type { Log } from '../kernel/log.ts'
import { isZone } from '../kernel/zones.ts'
import type { Reader } from '../store/store.ts'

/** Warns once of zones of users and companies that others replace (`firstZone`). */
export async function warnOfLostZones(reader: Reader, log: Log): Promise<void> {
  const rows = await reader.all<{ TimeZone: string }>(
    `SELECT TimeZone FROM svc_users WHERE TimeZone IS NOT NULL
     UNION SELECT TimeZone FROM svc_companies`,
  )
  const zones = rows.flatMap(({ TimeZone }) => (isZone(TimeZone) ? [] : TimeZone))
  if (zones.length > 0)
    log.warn('stored time zones are not known here; others are used instead', { zones })
}
