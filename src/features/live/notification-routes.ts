/** A user's notifications: `/api/v1/notification`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
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
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { ok } from '../../server/reply.ts'
import { Envelope } from '../../server/schema.ts'
import { callerOf } from '../../server/session.ts'
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

const placeOf = (request: Request): UserInCompany => {
  const { userId, companyId } = callerOf(request)
  return { userId, companyId }
}

const readerOf = (app: AppContext, request: Request): NoticeReader => ({
  caller: callerOf(request),
  model: modelOf(app, request),
})

const open = () =>
  new Elysia({ prefix: '/api/v1/notification', strictPath: true, tags: [AREA.name] })

/** Gate: authentication; narrowed to the caller in their company. */
export function notificationRoutes(app: AppContext) {
  const { store } = app
  return open()
    .get(
      '',
      async ({ query, request }) => {
        const { unread, since, before, limit } = query
        const rows = await listNotifications(store, placeOf(request), {
          unread: unread === 'true',
          since: since === undefined ? undefined : Number(since),
          before: before === undefined ? undefined : Number(before),
          limit: Number(limit ?? LIMIT),
        })
        return ok(await toNotifications(app, readerOf(app, request), rows))
      },
      LIST,
    )
    .get(
      '/unread-count',
      async ({ request }) => ok({ Count: await countUnread(store, placeOf(request)) }),
      COUNT,
    )
}

/** Routes that change notifications, with the same gate. */
export function notificationChanges(app: AppContext) {
  const { store, clock, notifications } = app
  return open()
    .post(
      '/:id/read',
      async ({ params, request }) => {
        const [id, place] = [Number(params.id), placeOf(request)]
        await requireNotification(store, place, id)
        await store.write(
          (tx) => markRead(tx, place, [id], clock.now()),
          scopeOf(callerOf(request), OWN),
        )
        notifications.tellUnread(place)
        const row = await requireNotification(store, place, id)
        return ok(await toNotification(app, readerOf(app, request), row))
      },
      READ,
    )
    .post(
      '/read-all',
      async ({ request }) => {
        const place = placeOf(request)
        const last = await findLastId(store)
        await store.write(
          (tx) => markAllRead(tx, place, last, clock.now()),
          scopeOf(callerOf(request), OWN),
        )
        notifications.tellUnread(place)
        return ok({ Count: await countUnread(store, place) })
      },
      READ_ALL,
    )
    .delete(
      '/:id',
      async ({ params, request }) => {
        const [id, place] = [Number(params.id), placeOf(request)]
        await requireNotification(store, place, id)
        await store.write(
          (tx) => deleteNotification(tx, place, id),
          scopeOf(callerOf(request), OWN),
        )
        notifications.tellUnread(place)
        return ok(true)
      },
      DELETE,
    )
}
