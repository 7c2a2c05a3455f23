/** A user's notifications: `/api/v1/notification`. */
import { Type } from '@sinclair/typebox'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import {
  countUnread,
  deleteNotification,
  findLastId,
  listNotifications,
  markAllRead,
  markRead,
  requireNotification,
  type UserInCompany,
} from '../../engine/notifications/notification-records.ts'
import {
  type NoticeReader,
  toNotification,
  toNotifications,
} from '../../engine/object/record/notified-records.ts'
import type { RequestCall } from '../../server/call.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { type Call, route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { AREA } from './area.ts'
import { OWN } from './notices.ts'
import {
  byId,
  NotificationList,
  NotificationQuery,
  NotificationRecord,
  UnreadCount,
} from './schema.ts'

const LIMIT = 50

const plan = (operationId: string, summary: string, description: string) => ({
  'x-gate': AUTHENTICATED,
  operationId,
  summary,
  description: `${description} Gate: authentication; each sees their own in this company.`,
})

const LIST = {
  query: NotificationQuery,
  response: Envelope(NotificationList),
  detail: plan('listNotifications', 'The notifications of the caller', 'A page of them.'),
}

const COUNT = {
  response: Envelope(UnreadCount),
  detail: plan('countUnreadNotifications', 'How many of them are unread', 'Counted to 1,000.'),
}

const READ = {
  params: byId,
  response: Envelope(NotificationRecord),
  detail: plan('readNotification', 'Marks one as read', 'One that is read already stays so.'),
}

const READ_ALL = {
  response: Envelope(UnreadCount),
  detail: plan(
    'readAllNotifications',
    'Marks all as read',
    'Those that were there when it was asked; answers how many are unread then.',
  ),
}

const DELETE = {
  params: byId,
  response: Envelope(Type.Boolean()),
  detail: plan('deleteNotification', 'Removes one', 'Answers true; 404 for one that is not there.'),
}

const placeOf = ({ caller: { userId, companyId } }: RequestCall): UserInCompany => ({
  userId,
  companyId,
})

const readerOf = ({ caller, model }: RequestCall): NoticeReader => ({ caller, model })

/** Narrowed to the caller in their company. */
export const NOTIFICATION_ROUTES: RouteGroup = {
  prefix: '/api/v1/notification',
  area: AREA.name,
  routes: [
    route('GET', '', LIST, async (call) => {
      const { unread, since, before, limit } = call.query
      const rows = await listNotifications(call.app.store, placeOf(call), {
        unread: unread === 'true',
        since: since === undefined ? undefined : Number(since),
        before: before === undefined ? undefined : Number(before),
        limit: Number(limit ?? LIMIT),
      })
      return ok(await toNotifications(call.app, readerOf(call), rows))
    }),
    route('GET', '/unread-count', COUNT, async (call) =>
      ok({ Count: await countUnread(call.app.store, placeOf(call)) }),
    ),
    route('POST', '/:id/read', READ, readOne),
    route('POST', '/read-all', READ_ALL, readAll),
    route('DELETE', '/:id', DELETE, removeOne),
  ],
}

async function readOne(call: Call<typeof READ>) {
  const { store, clock, notifications } = call.app
  const [id, place] = [Number(call.params.id), placeOf(call)]
  await requireNotification(store, place, id)
  await store.write((tx) => markRead(tx, place, [id], clock.now()), scopeOf(call.caller, OWN))
  notifications.tellUnread(place)
  const row = await requireNotification(store, place, id)
  return ok(await toNotification(call.app, readerOf(call), row))
}

async function readAll(call: Call<typeof READ_ALL>) {
  const { store, clock, notifications } = call.app
  const place = placeOf(call)
  const last = await findLastId(store)
  await store.write((tx) => markAllRead(tx, place, last, clock.now()), scopeOf(call.caller, OWN))
  notifications.tellUnread(place)
  return ok({ Count: await countUnread(store, place) })
}

async function removeOne(call: Call<typeof DELETE>) {
  const { store, notifications } = call.app
  const [id, place] = [Number(call.params.id), placeOf(call)]
  await requireNotification(store, place, id)
  await store.write((tx) => deleteNotification(tx, place, id), scopeOf(call.caller, OWN))
  notifications.tellUnread(place)
  return ok(true)
}
