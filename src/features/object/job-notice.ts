/** Notifications to users about jobs that they asked for. */
import { type Message, renderMessage } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { usersOf } from '../../access/users/recipients.ts'
import type { JobRow } from '../../engine/jobs/job.ts'
import { saveNotifications } from '../../engine/notifications/save-notifications.ts'
import type { AppContext } from '../../server/context.ts'

/** Content of a notification about a job. */
interface JobNotice {
  /** Kind by which users choose the channel of its notifications. */
  kind: string
  title: Message
  body: string | null
  level: 'success' | 'warning'
  /** Address of a file that it made. */
  url: string | null
}

/** Notifies the asker of the job, unless they are locked or have left the company. */
export async function tellAsker(
  tx: Tx,
  { userId, companyId, language }: Caller,
  { title, ...notice }: JobNotice,
  now: Date,
): Promise<void> {
  const about = { object: null, entity: null, recordKey: null, fromUserId: null, companyId }
  await saveNotifications(
    tx,
    { ...notice, ...about, title: renderMessage(title, language), now },
    usersOf(companyId, { named: { users: [userId], roles: [] } }),
  )
}

/** Returns the present label of a job's object: its source ends with the name of the view. */
export function labelOf({ models }: AppContext, { Source }: Pick<JobRow, 'Source'>) {
  const name = Source.slice(Source.indexOf('/') + 1)
  return models.get().viewByKey.get(name.toLowerCase())?.label ?? name
}
