/** Tells users something, in the transaction that causes it. */
import type { SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { enqueuePushes } from './push-channel.ts'

/** Users whom it is told: a condition on `u`, a row of svc_users, with its arguments. */
export interface RecipientQuery {
  where: string
  args: Readonly<Record<string, SqlValue>>
}

/** What is told. */
export interface NewNotification {
  kind: string
  title: string
  body: string | null
  level: string
  /** The view of the record that it is about. */
  object: string | null
  entity: string | null
  /** Key values as a JSON array. */
  recordKey: string | null
  /** Where it leads in place of the record. */
  url: string | null
  fromUserId: number | null
  companyId: number
  now: Date
}

/** Texts are cut there: a notification is no document. */
const TITLE_CHARACTERS_MAX = 500
const BODY_CHARACTERS_MAX = 4000

/**
 * One row for each recipient; who does not want to be told of the kind in the hub has read it. One
 * statement: what one is told, all are told.
 */
const insertSql = (where: string): string => `INSERT INTO svc_notifications
  (UserId, CompanyId, Kind, Title, Body, Level, Object, Entity, RecordKey, Url, FromUserId,
   CreatedAt, ReadAt)
  SELECT u.Id, @company, @kind, @title, @body, @level, @object, @entity, @recordKey, @url, @from,
    @at, CASE WHEN p.Hub = 0 THEN @at END
  FROM main.svc_users u
  LEFT JOIN svc_notification_preferences p ON p.UserId = u.Id AND p.Kind = @kind
  WHERE ${where} ORDER BY u.Id
  RETURNING Id`

const MAILS = `INSERT INTO svc_outbox
  (At, Kind, CompanyId, UserId, Source, Entity, RecordKey, Payload, State, Attempts)
  SELECT @at, 'mail', n.CompanyId, n.FromUserId, 'notification', n.Entity, n.RecordKey,
    json_object('To', NULL, 'Role', NULL, 'User', NULL, 'Users', json_array(n.UserId),
      'Subject', n.Title, 'Body', n.Body, 'Report', NULL, 'With', json('{}')), 'pending', 0
  FROM svc_notifications n
  JOIN svc_notification_preferences p ON p.UserId = n.UserId AND p.Kind = n.Kind AND p.Mail
  WHERE n.Id BETWEEN @first AND @last`

/** Resolves to how many users are told. */
export async function saveNotifications(
  tx: Tx,
  notification: NewNotification,
  to: RecipientQuery,
): Promise<number> {
  const { kind, level, object, entity, recordKey, url, fromUserId, companyId, now } = notification
  const title = cut(notification.title, TITLE_CHARACTERS_MAX)
  const body = notification.body === null ? null : cut(notification.body, BODY_CHARACTERS_MAX)
  const at = now.toISOString()
  const rows = await tx.all<{ Id: number }>(insertSql(to.where), {
    ...to.args,
    ...{ kind, level, object, entity, recordKey, url, title, body, at },
    ...{ company: companyId, from: fromUserId },
  })
  const ids = rows.map(({ Id }) => Id)
  if (ids.length === 0) return 0
  const range = { first: Math.min(...ids), last: Math.max(...ids) }
  await tx.run(MAILS, { ...range, at })
  await enqueuePushes(tx, range, { companyId, now })
  return ids.length
}

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`
