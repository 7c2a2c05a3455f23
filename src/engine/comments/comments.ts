/** Comments on records: listed, written, changed and deleted by the rights of now. */
import { normalizeText } from '../../kernel/blanks.ts'
import { findReads } from '../../kernel/charged.ts'
import { conflict, denied, notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { type Actor, writeAudit } from '../../access/audit-entry.ts'
import { ADMIN_ROLE, type Caller } from '../../access/callers/caller.ts'
import type { CommentChanges } from './comment-changes.ts'
import {
  addFollower,
  type CommentRow,
  deleteComment,
  findComment,
  insertComment,
  isFollowing,
  listFollowers,
  loadComments,
  type Mention,
  readMentions,
  updateComment,
} from './comment-records.ts'
import { type Notified, notifyOfComment, takeBackNotices } from './notify.ts'
import type { Comment, CommentChange, CommentList } from './schema.ts'
import {
  listSeeing,
  type RequestedRecord,
  requireSeeing,
  requireSeen,
  seesRecord,
  type Sight,
} from './seen-records.ts'
import type { NotificationFeed } from '../notifications/notification-feed.ts'
import type { Person } from '../people/person.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** The parts of the engine that comments need. */
interface CommentEngine extends Sight {
  readonly commentChanges: CommentChanges
  readonly notifications: NotificationFeed
}

/** A caller who reads or writes comments, with the model of now. */
interface CommentReader {
  caller: Caller
  model: Model
}

/** Lists a page of the comments on a record, the newest first. @throws notFound */
export async function listComments(
  reader: Reader,
  record: RequestedRecord,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before: number | undefined; limit: number },
): Promise<CommentList> {
  const { use, place, values } = record
  const { grant, view } = use
  await requireSeen(reader, record)
  const rows = await loadComments(reader, place, { before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  if (shown.length > 0 && view.entity?.logsReads === true)
    findReads()?.noteRecords(view.entity.name, view.name, JSON.stringify(values))
  return {
    Comments: await showComments(reader, grant.caller, shown),
    Next: rows.length > limit ? (shown.at(-1)?.Id ?? null) : null,
    IsFollowing: await isFollowing(reader, place, grant.caller.userId),
  }
}

/** Shows comments to a reader who sees their record; people of other companies have no name. */
export async function showComments(
  reader: Pick<Reader, 'all'>,
  caller: Caller,
  rows: readonly CommentRow[],
): Promise<Comment[]> {
  const ids = rows.flatMap((row) => [
    row.AuthorId,
    row.ImpersonatorId,
    ...readMentions(row).map(({ Id }) => Id),
  ])
  const nameOf = await loadUserNames(reader, caller.companyId, ids, caller)
  const toPerson = (id: number | null): Person | null => {
    const name = nameOf(id)
    return id === null || name === null ? null : { Id: id, DisplayName: name }
  }
  return rows.map((row) => ({
    Id: row.Id,
    At: row.CreatedAt,
    By: toPerson(row.AuthorId),
    ActedBy: toPerson(row.ImpersonatorId),
    Text: row.Text,
    Mentions: readMentions(row).flatMap(({ Id }) => toPerson(Id) ?? []),
    ChangedAt: row.ChangedAt,
    RowVersion: row.RowVersion,
    CanChange: row.AuthorId === caller.userId,
    CanDelete: mayDelete(caller, row),
  }))
}

const mayDelete = (caller: Caller, { AuthorId }: CommentRow): boolean =>
  AuthorId === caller.userId || caller.isSystem || caller.roles.includes(ADMIN_ROLE)

/** A text as it is stored: composed, without blanks at its ends. @throws validation for none */
function readText(text: string): string {
  const stored = normalizeText(text.replace(/\r\n?/g, '\n'))
  if (stored === '') throw validation({ Text: say`Write a comment first` })
  return stored
}

/**
 * Plans a comment: whom it mentions is judged, and which followers see the record. Its author
 * follows the record from then on.
 * @throws notFound, validation; nothing has been written then
 */
export async function planComment(
  engine: CommentEngine,
  record: RequestedRecord,
  { Text, Mentions }: Pick<CommentChange, 'Text' | 'Mentions'>,
  actor: Actor,
): Promise<(tx: Tx) => Promise<Comment>> {
  const { use, place } = record
  const { caller, model } = use.grant
  const text = readText(Text)
  await requireSeen(engine.store, record)
  const mentioned = [...new Set(Mentions ?? [])]
  await requireSeeing(engine, model, place, mentioned)
  const others = (await listFollowers(engine.store, place)).filter(
    (id) => id !== caller.userId && !mentioned.includes(id),
  )
  const at = actor.now.toISOString()
  const row = {
    ...place,
    AuthorId: caller.userId,
    ImpersonatorId: caller.impersonatorId ?? null,
    Text: text,
    Mentions: JSON.stringify(mentioned.map((Id): Mention => ({ Id, At: at }))),
    RowVersion: 1,
    CreatedAt: at,
    ChangedAt: null,
  }
  const notified = {
    Mention: mentioned.filter((id) => id !== caller.userId),
    Followed: await listSeeing(engine, model, place, others),
  }
  return async (tx) => {
    await requireSeen(tx, record)
    const comment = await insertComment(tx, row)
    await addFollower(tx, { ...place, UserId: caller.userId })
    await finish(tx, { engine, model, actor, author: caller }, null, comment, notified)
    return showOne(tx, caller, comment)
  }
}

async function showOne(tx: Tx, caller: Caller, row: CommentRow): Promise<Comment> {
  const [shown] = await showComments(tx, caller, [row])
  if (!shown) throw missingComment()
  return shown
}

interface Change {
  engine: CommentEngine
  model: Model
  actor: Actor
  author: Caller
}

/** Writes the audit entry of a change and its notifications, and tells clients of it. */
async function finish(
  tx: Tx,
  { engine, model, actor, author }: Change,
  before: CommentRow | null,
  after: CommentRow | null,
  notified: Notified = {},
): Promise<void> {
  const comment = after ?? before
  if (!comment) return
  const changes: Record<string, readonly [unknown, unknown]> = {}
  for (const name of ['Entity', 'RecordKey', 'Text', 'Mentions'] as const) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (from !== to) changes[name] = [from, to]
  }
  const action = before === null ? 'create' : after === null ? 'delete' : 'change'
  await writeAudit(tx, actor, { entity: 'svc_comments', id: comment.Id, action, changes })
  await notifyOfComment(
    tx,
    { comment, author: author.displayName, model, now: actor.now },
    notified,
  )
  tx.afterCommit(() => engine.commentChanges.tell(comment))
}

/** A comment of a request. */
interface CommentCall extends CommentReader {
  engine: CommentEngine
  id: number
  actor: Actor
}

/** The comment, where the caller sees its record. @throws notFound for any other */
async function requireComment(reader: Reader, { engine, caller, model, id }: CommentCall) {
  const row = await findComment(reader, caller.companyId, id)
  const isOpen = row !== undefined && model.entities.get(row.Entity)?.comments === true
  const parts = { store: reader, clock: engine.clock }
  if (!isOpen || !(await seesRecord(parts, { caller, model }, row))) throw missingComment()
  return row
}

/**
 * Plans a change of the text of a comment, and of whom it mentions where the request says so: who
 * is new among them is notified.
 * @throws notFound, denied for the comment of another, conflict (409) where it moved, validation
 */
export async function planChange(
  call: CommentCall,
  { Text, Mentions, RowVersion }: CommentChange,
): Promise<(tx: Tx) => Promise<Comment>> {
  const { engine, caller, model, actor } = call
  const row = await requireComment(engine.store, call)
  if (row.AuthorId !== caller.userId) throw denied(say`You can only change your own comments`)
  if (RowVersion != null && RowVersion !== row.RowVersion) throw movedComment()
  const known = readMentions(row)
  const at = actor.now.toISOString()
  const mentions = [...new Set(Mentions ?? known.map(({ Id }) => Id))].map(
    (Id): Mention => known.find((each) => each.Id === Id) ?? { Id, At: at },
  )
  const added = mentions.flatMap((each) => (known.includes(each) ? [] : each.Id))
  await requireSeeing(engine, model, row, added)
  const after = {
    ...row,
    Text: readText(Text),
    Mentions: JSON.stringify(mentions),
    RowVersion: row.RowVersion + 1,
    ChangedAt: at,
  }
  const Mention = added.filter((id) => id !== caller.userId)
  return async (tx) => {
    const stored = await requireComment(tx, call)
    if (stored.RowVersion !== row.RowVersion) throw movedComment()
    await updateComment(tx, after)
    await finish(tx, { engine, model, actor, author: caller }, row, after, { Mention })
    return showOne(tx, caller, after)
  }
}

/** Deletes a comment with its notifications. @throws notFound, denied for that of another */
export async function removeComment(tx: Tx, call: CommentCall): Promise<void> {
  const { engine, caller, model, actor } = call
  const row = await requireComment(tx, call)
  if (!mayDelete(caller, row)) throw denied(say`You can only delete your own comments`)
  await deleteComment(tx, row)
  const users = await takeBackNotices(tx, row)
  await finish(tx, { engine, model, actor, author: caller }, row, null)
  const { CompanyId: companyId } = row
  tx.afterCommit(() => {
    for (const userId of users) engine.notifications.tellUnread({ userId, companyId })
  })
}

const movedComment = () =>
  conflict(say`The comment was changed meanwhile. Reload it and try again.`)

const missingComment = () => notFound(say`There is no such comment`, { code: 'COMMENT_NOT_FOUND' })
