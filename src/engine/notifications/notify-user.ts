/** Notifies one user about something that is no record: a job, a file that was made for them. */
import type { Tx } from '../../store/store.ts'
import { usersOf } from '../../access/users/recipients.ts'
import type { NoticeKind } from './notice-kinds.ts'
import { type NotificationTexts, saveNotifications } from './save-notifications.ts'

/** A notification to one user. */
interface UserNotice extends NotificationTexts {
  /** The kind by which users choose their channels. */
  kind: NoticeKind
  level: 'success' | 'warning' | 'error'
  /** Address of a file; null where the notification leads nowhere. */
  url: string | null
  now: Date
}

/** Saves the notification, unless the user is locked or has left the company. */
export async function notifyUser(
  tx: Tx,
  { userId, companyId }: { userId: number; companyId: number },
  { title, body, translations, kind, level, url, now }: UserNotice,
): Promise<void> {
  const notification = {
    title,
    body,
    ...(translations && { translations }),
    kind,
    level,
    url,
    object: null,
    entity: null,
    recordKey: null,
    fromUserId: null,
    companyId,
    now,
  }
  const recipients = usersOf(companyId, { named: { users: [userId], roles: [] } })
  await saveNotifications(tx, notification, recipients)
}
