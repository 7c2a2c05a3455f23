/** Notifications as their user has them: listed, counted, read, removed. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { notifications } from '../../store/tables/notifications.ts'

export type StoredNotification = typeof notifications.$inferSelect

/** A notification as it is stored, with its sender's name. */
export type NotificationRow = StoredNotification & { FromName: string | null }

/** A user in a company: notifications of one company are not shown in another. */
export interface UserInCompany {
  userId: number
  companyId: number
}

/** A notification as clients have it. */
export interface NotificationRecord {
  Id: number
  /** Rises from each to the next one. */
  Seq: number
  Kind: string
  Title: string
  Body: string | null
  Level: string
  Object: string | null
  Keys: Record<string, unknown> | null
  Url: string | null
  From: { Id: number; DisplayName: string } | null
  CreatedAt: string
  ReadAt: string | null
}

/** The filter of a list; with `since` the oldest come first, else the newest. */
interface NotificationFilter {
  unread?: boolean | undefined
  since?: number | undefined
  before?: number | undefined
  limit: number
}

const SELECT = `SELECT n.*, f.DisplayName AS FromName FROM svc_notifications n
  LEFT JOIN main.svc_users f ON f.Id = n.FromUserId`

const OWN = 'n.UserId = @user AND n.CompanyId = @company'

const toArgs = ({ userId, companyId }: UserInCompany): SqlArgs => ({
  user: userId,
  company: companyId,
})

/** Lists the notifications of a user in a company. */
export function listNotifications(
  reader: Reader,
  place: UserInCompany,
  { unread, since, before, limit }: NotificationFilter,
): Promise<NotificationRow[]> {
  const conditions = [
    OWN,
    ...(unread === true ? ['n.ReadAt IS NULL'] : []),
    ...(since === undefined ? [] : ['n.Id > @since']),
    ...(before === undefined ? [] : ['n.Id < @before']),
  ]
  const sql = `${SELECT} WHERE ${conditions.join(' AND ')}
    ORDER BY n.Id ${since === undefined ? 'DESC' : ''} LIMIT @limit`
  const args = {
    ...toArgs(place),
    limit,
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
  }
  return reader.all<NotificationRow>({ sql, args, runs: 'inline' })
}

/** The notifications of all users after a known one, in their order. */
export const listAfter = (reader: Reader, id: number, limit: number): Promise<NotificationRow[]> =>
  reader.all<NotificationRow>({
    sql: `${SELECT} WHERE n.Id > @id ORDER BY n.Id LIMIT @limit`,
    args: { id, limit },
    runs: 'inline',
  })

/** The latest one of all; 0 before the first. */
export async function findLastId(reader: Reader): Promise<number> {
  const sql = 'SELECT max(Id) AS Id FROM svc_notifications'
  const row = await reader.get<{ Id: number | null }>({ sql, args: {}, runs: 'inline' })
  return row?.Id ?? 0
}

/** Most unread notifications that are counted. */
const UNREAD_COUNTED_MAX = 1000

/** The number of unread notifications of a user in a company; 1,000 means so many or more. */
export async function countUnread(reader: Reader, place: UserInCompany): Promise<number> {
  const sql = `SELECT count(*) AS Count FROM (SELECT 1 FROM svc_notifications n
    WHERE ${OWN} AND n.ReadAt IS NULL LIMIT ${UNREAD_COUNTED_MAX})`
  const row = await reader.get<{ Count: number }>({ sql, args: toArgs(place), runs: 'inline' })
  return row?.Count ?? 0
}

/** Marks some of a user's as read; others' and read ones stay. Resolves to how many they are. */
export const markRead = (
  tx: Tx,
  place: UserInCompany,
  ids: readonly number[],
  now: Date,
): Promise<number> =>
  tx.run(
    `UPDATE svc_notifications AS n SET ReadAt = @at
     WHERE ${OWN} AND n.ReadAt IS NULL AND n.Id IN (SELECT value FROM json_each(@ids))`,
    { ...toArgs(place), at: now.toISOString(), ids: JSON.stringify(ids) },
  )

/** Marks all of a user's as read that were there when it was asked. */
export const markAllRead = (
  tx: Tx,
  place: UserInCompany,
  upTo: number,
  now: Date,
): Promise<number> =>
  tx.run(
    `UPDATE svc_notifications AS n SET ReadAt = @at
     WHERE ${OWN} AND n.ReadAt IS NULL AND n.Id <= @last`,
    { ...toArgs(place), at: now.toISOString(), last: upTo },
  )

/** @throws notFound for one that is not there or another's */
export async function requireNotification(
  reader: Reader,
  place: UserInCompany,
  id: number,
): Promise<NotificationRow> {
  const sql = `${SELECT} WHERE ${OWN} AND n.Id = @id`
  const args = { ...toArgs(place), id }
  const row = await reader.get<NotificationRow>({ sql, args, runs: 'inline' })
  if (!row) throw notFound(say`There is no such notification`, { code: 'NOTIFICATION_NOT_FOUND' })
  return row
}

/** Removes one of a user's; resolves to whether it was there. */
export const deleteNotification = async (
  tx: Tx,
  place: UserInCompany,
  id: number,
): Promise<boolean> =>
  (await tx.run(`DELETE FROM svc_notifications AS n WHERE ${OWN} AND n.Id = @id`, {
    ...toArgs(place),
    id,
  })) > 0
