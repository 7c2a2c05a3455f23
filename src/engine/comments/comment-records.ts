/** Comments and followers as they are stored. */
import { tooLarge } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { allRows, getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { comments, type followers } from '../../store/tables/comments.ts'

export type CommentRow = typeof comments.$inferSelect
type FollowerRow = typeof followers.$inferSelect

/** A record as comments and followers name it, in one company. */
export type RecordPlace = Pick<CommentRow, 'CompanyId' | 'Entity' | 'RecordKey'>

/** A user whom a comment mentions, and since when it does. */
export interface Mention {
  Id: number
  At: string
}

/** Followers of one record: each is looked at when it is commented on. */
const FOLLOWERS_MAX = 500

/** Reads the mentions of a comment: `[{"Id":4,"At":"2026-11-21T08:30:00.000Z"}]`. */
export const readMentions = ({ Mentions }: Pick<CommentRow, 'Mentions'>): Mention[] =>
  JSON.parse(Mentions) as Mention[]

/** Loads comments on a record before one of them, the newest first. */
export const loadComments = (
  reader: Reader,
  { CompanyId, Entity, RecordKey }: RecordPlace,
  { before, limit }: { before: number; limit: number },
): Promise<CommentRow[]> =>
  allRows(
    reader,
    comments,
    `WHERE Entity = @Entity AND RecordKey = @RecordKey AND CompanyId = @CompanyId AND Id < @before
      ORDER BY Id DESC LIMIT @limit`,
    { CompanyId, Entity, RecordKey, before, limit },
  )

/** Finds a comment of a company by its id. */
export const findComment = (
  reader: Reader,
  company: number,
  id: number,
): Promise<CommentRow | undefined> =>
  getRow(reader, comments, 'WHERE Id = @id AND CompanyId = @company', { id, company })

/** Adds a comment; resolves to it. */
export async function insertComment(tx: Tx, row: Omit<CommentRow, 'Id'>): Promise<CommentRow> {
  return { ...row, Id: await insertRow(tx, comments, row) }
}

/** Writes what a change makes of a comment. */
export async function updateComment(tx: Tx, { Id, ...set }: CommentRow): Promise<void> {
  await updateRows(tx, comments, 'WHERE Id = @id', { id: Id, set })
}

/** Deletes a comment. */
export const deleteComment = (tx: Tx, { Id: id }: CommentRow): Promise<number> =>
  tx.run('DELETE FROM svc_comments WHERE Id = @id', { id })

const OF_RECORD = 'Entity = @Entity AND RecordKey = @RecordKey AND CompanyId = @CompanyId'

const namesOf = ({ CompanyId, Entity, RecordKey }: RecordPlace) => ({
  CompanyId,
  Entity,
  RecordKey,
})

/** Lists the users who follow a record. */
export async function listFollowers(reader: Reader, place: RecordPlace): Promise<number[]> {
  const sql = `SELECT UserId FROM svc_followers WHERE ${OF_RECORD} ORDER BY UserId`
  const rows = await reader.all<{ UserId: number }>(sql, namesOf(place))
  return rows.map(({ UserId }) => UserId)
}

/** Tells whether a user follows a record. */
export async function isFollowing(
  reader: Reader,
  place: RecordPlace,
  user: number,
): Promise<boolean> {
  const sql = `SELECT 1 AS Found FROM svc_followers WHERE ${OF_RECORD} AND UserId = @user`
  return (await reader.get(sql, { ...namesOf(place), user })) !== undefined
}

const FOLLOW = `INSERT INTO svc_followers (Entity, RecordKey, CompanyId, UserId)
  SELECT @Entity, @RecordKey, @CompanyId, @UserId
  WHERE (SELECT count(*) FROM svc_followers WHERE ${OF_RECORD}) < ${FOLLOWERS_MAX}
  ON CONFLICT DO NOTHING`

/** Has a user follow a record; false where as many do as may. */
export async function addFollower(tx: Tx, row: FollowerRow): Promise<boolean> {
  return (await tx.run(FOLLOW, row)) > 0 || (await isFollowing(tx, row, row.UserId))
}

/** Has a user follow a record. @throws tooLarge (413) where as many do as may */
export async function requireFollower(tx: Tx, row: FollowerRow): Promise<void> {
  if (await addFollower(tx, row)) return
  throw tooLarge(say`A record can have at most ${FOLLOWERS_MAX} followers`)
}

/** Has a user follow a record no longer. */
export const deleteFollower = (tx: Tx, place: RecordPlace, user: number): Promise<number> =>
  tx.run(`DELETE FROM svc_followers WHERE ${OF_RECORD} AND UserId = @user`, {
    ...namesOf(place),
    user,
  })
