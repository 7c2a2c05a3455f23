/** Notifies users, in the transaction of the cause. */
import { ENGINE_LANGUAGES } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { enqueuePushes } from './push-channel.ts'

/** The recipients: a condition on `u`, a row of svc_users, with its arguments. */
interface RecipientQuery {
  where: string
  args: Readonly<Record<string, SqlValue>>
}

/** The texts of a notification: for users without a language, and in other languages. */
export interface NotificationTexts {
  title: string
  body: string | null
  /** Texts by language tag in lower case, and `ANY` for others; left out where all are the same. */
  translations?: ReadonlyMap<string, { title: string; body: string | null }>
}

/** A notification to save. */
export interface NewNotification extends NotificationTexts {
  kind: string
  level: string
  /** The view of the record that it is about. */
  object: string | null
  entity: string | null
  /** Key values as a JSON array. */
  recordKey: string | null
  /** The address that it leads to in place of the record. */
  url: string | null
  fromUserId: number | null
  companyId: number
  now: Date
}

/** Most characters of a title and a body, cut there: a notification is not a document. */
const TITLE_CHARACTERS_MAX = 500
const BODY_CHARACTERS_MAX = 4000

/** The key of the texts for users in whose language there are none. */
const ANY = '*'

/**
 * Texts as each recipient reads them: in their language or that of their company. `spoken` is the
 * language of recipients who have neither.
 */
export function translateTexts(
  { languages }: Pick<Model, 'languages'>,
  spoken: string | undefined,
  write: (language: string | undefined) => { title: string; body: string | null },
): NotificationTexts {
  const usual = write(spoken)
  const tags = [undefined, ...new Set([...ENGINE_LANGUAGES, ...languages])]
  const translations = new Map(tags.map((tag) => [tag?.toLowerCase() ?? ANY, write(tag)]))
  const isSame = [...translations.values()].every(
    ({ title, body }) => title === usual.title && body === usual.body,
  )
  return isSame ? usual : { ...usual, translations }
}

/**
 * One row for each recipient; for users who do not want the kind in the hub it counts as read. One
 * statement: all recipients get it, or none.
 */
const composeInsert = (where: string, title: string, body: string) => `INSERT INTO svc_notifications
  (UserId, CompanyId, Kind, Title, Body, Level, Object, Entity, RecordKey, Url, FromUserId,
   CreatedAt, ReadAt)
  SELECT u.Id, @company, @kind, ${title}, ${body}, @level, @object, @entity, @recordKey, @url,
    @from, @at, CASE WHEN p.Hub = 0 THEN @at END
  FROM main.svc_users u
  LEFT JOIN svc_notification_preferences p ON p.UserId = u.Id AND p.Kind = @kind
  WHERE ${where} ORDER BY u.Id
  RETURNING Id`

/**
 * A text in the language of the recipient `u`, else of the company. The longest tag that it begins
 * with counts: `de-AT` reads `de`, and `ANY` before the texts for users without a language.
 */
const translated = (member: 'title' | 'body'): string => `coalesce((
    SELECT t.value ->> '${member}' FROM json_each(@translations) t
    WHERE lower(coalesce(u.Language, (SELECT c.Language FROM main.svc_companies c
      WHERE c.Id = @company))) || '-' GLOB t.key || '-*'
    ORDER BY length(t.key) DESC LIMIT 1), @${member})`

const insertPlain = (where: string) => composeInsert(where, '@title', '@body')
const insertTranslated = (where: string) =>
  composeInsert(where, translated('title'), translated('body'))

const MAILS = `INSERT INTO svc_outbox
  (At, Kind, CompanyId, UserId, Source, Entity, RecordKey, Payload, State, Attempts)
  SELECT @at, 'mail', n.CompanyId, n.FromUserId, 'notification', n.Entity, n.RecordKey,
    json_object('To', NULL, 'Role', NULL, 'User', NULL, 'Users', json_array(n.UserId),
      'Subject', n.Title, 'Body', n.Body, 'Report', NULL, 'With', json('{}')), 'pending', 0
  FROM svc_notifications n
  JOIN svc_notification_preferences p ON p.UserId = n.UserId AND p.Kind = n.Kind AND p.Mail
  WHERE n.Id BETWEEN @first AND @last`

/** Saves a notification; resolves to the number of its recipients. */
export async function saveNotifications(
  tx: Tx,
  notification: NewNotification,
  to: RecipientQuery,
): Promise<number> {
  const { kind, level, object, entity, recordKey, url, fromUserId, companyId, now } = notification
  const { title, body } = cutTexts(notification)
  const at = now.toISOString()
  const translations = notification.translations && writeTranslations(notification.translations)
  const sql = translations === undefined ? insertPlain : insertTranslated
  const rows = await tx.all<{ Id: number }>(sql(to.where), {
    ...to.args,
    kind,
    level,
    object,
    entity,
    recordKey,
    url,
    title,
    body,
    at,
    company: companyId,
    from: fromUserId,
    ...(translations !== undefined && { translations }),
  })
  const ids = rows.map(({ Id }) => Id)
  if (ids.length === 0) return 0
  const range = { first: Math.min(...ids), last: Math.max(...ids) }
  await tx.run(MAILS, { ...range, at })
  await enqueuePushes(tx, range, { companyId, now })
  return ids.length
}

const writeTranslations = (texts: NonNullable<NotificationTexts['translations']>): string =>
  JSON.stringify(Object.fromEntries([...texts].map(([tag, each]) => [tag, cutTexts(each)])))

const cutTexts = ({ title, body }: Pick<NotificationTexts, 'title' | 'body'>) => ({
  title: cut(title, TITLE_CHARACTERS_MAX),
  body: body === null ? null : cut(body, BODY_CHARACTERS_MAX),
})

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`
