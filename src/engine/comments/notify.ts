/** Notifications of comments, in their transaction; those of a deleted comment go with it. */
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { usersOf } from '../../access/users/recipients.ts'
import { type CommentRow, readMentions } from './comment-records.ts'
import type { NoticeKind } from '../notifications/notice-kinds.ts'
import { saveNotifications, translateTexts } from '../notifications/save-notifications.ts'

type CommentNotice = Extract<NoticeKind, 'Mention' | 'Followed'>

/** Users to notify of a comment, by why they are. */
export type Notified = Readonly<Partial<Record<CommentNotice, readonly number[]>>>

/** Most characters of a comment in a notification, which leads to the record. */
const SHOWN_CHARACTERS = 500

/** Saves the notifications of a comment: `Ana Lind mentioned you: Order`, with its text. */
export async function notifyOfComment(
  tx: Tx,
  { comment, author, model, now }: { comment: CommentRow; author: string; model: Model; now: Date },
  notified: Notified,
): Promise<void> {
  const { CompanyId: companyId, Entity: entity, RecordKey: recordKey, AuthorId, Text } = comment
  const label = model.entities.get(entity)?.label ?? entity
  const body =
    Text.length > SHOWN_CHARACTERS ? `${Text.slice(0, SHOWN_CHARACTERS).trimEnd()}…` : Text
  const titles = {
    Mention: (of: string) => say`${author} mentioned you: ${of}`,
    Followed: (of: string) => say`${author} commented: ${of}`,
  }
  for (const kind of ['Mention', 'Followed'] as const) {
    const users = notified[kind] ?? []
    if (users.length === 0) continue
    const write = (language: string | undefined) => ({
      title: renderMessage(titles[kind](renderMessage(label, language)), language),
      body,
    })
    const notification = {
      ...translateTexts(model, undefined, write),
      kind,
      level: 'info',
      object: comment.Object,
      entity,
      recordKey,
      url: null,
      fromUserId: AuthorId,
      companyId,
      now,
    }
    await saveNotifications(tx, notification, usersOf(companyId, { named: { users, roles: [] } }))
  }
}

/** Deletes notifications of a comment, by its times: they have no number of it. */
const TAKE_BACK = `DELETE FROM svc_notifications
  WHERE Entity = @Entity AND RecordKey = @RecordKey AND CompanyId = @CompanyId
    AND FromUserId = @AuthorId AND Kind IN ('Mention', 'Followed')
    AND CreatedAt IN (SELECT value FROM json_each(@times))
  RETURNING UserId`

/** Deletes the notifications of a comment; resolves to whose they were. */
export async function takeBackNotices(tx: Tx, comment: CommentRow): Promise<number[]> {
  const { Entity, RecordKey, CompanyId, AuthorId, CreatedAt } = comment
  const times = JSON.stringify([CreatedAt, ...readMentions(comment).map(({ At }) => At)])
  const args = { Entity, RecordKey, CompanyId, AuthorId, times }
  const rows = await tx.all<{ UserId: number }>(TAKE_BACK, args)
  return [...new Set(rows.map(({ UserId }) => UserId))]
}
