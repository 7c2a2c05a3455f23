/** The hub's part that tells users of their notifications, and how many are unread. */
import { type Static, Type } from '@sinclair/typebox'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import {
  countUnread,
  findLastId,
  listNotifications,
  markAllRead,
  markRead,
  type NotificationRow,
  type UserInCompany,
} from '../../engine/notifications/notification-records.ts'
import {
  isAboutRecord,
  toNotification,
  toNotifications,
  toPlainNotification,
} from '../../engine/object/record/notified-records.ts'
import type { AppContext } from '../../server/context.ts'
import {
  type HubCall,
  type HubChannel,
  type HubConnection,
  hubMethod,
  type HubPart,
} from '../../server/hub/hub.ts'
import { NotificationRecord } from './schema.ts'

type Notification = Static<typeof NotificationRecord>

/** Notifications that one call of `Since` gives: a client calls again until none comes. */
const SINCE_MAX = 500

/** Ids of one call of `MarkRead`. */
const IDS_MAX = 1000

/** Milliseconds within which changes are counted once. */
const COUNT_MS = 50

/** Notifications that a connection remembers to have been told. */
const TOLD_MAX = 20_000

/** Reason that a write of them is held to no company: each is held to its user. */
export const OWN = 'notifications belong to users'

/** The part of notices: tells each one once to each client, as it happens or by `Since`. */
export function noticesPart(app: AppContext, channel: HubChannel): HubPart {
  const notices = new Notices(app, channel)
  app.notifications.subscribe((row) => notices.tell(row))
  app.notifications.subscribeUnread((place) => notices.countSoon(place))
  return {
    events: {
      notification: {
        description: 'Something happened that the caller is to know of, in the order of its Seq',
        arguments: { notification: NotificationRecord },
      },
      unread: {
        description: 'How many the caller has not read in this company; 1,000 says so many or more',
        arguments: { count: Type.Integer() },
      },
    },
    methods: {
      Since: hubMethod({
        description:
          'Notifications after a Seq that this connection has missed: at most 500, the ' +
          'oldest first. What it gives is not told again; call it until it gives none',
        arguments: { seq: Type.Integer({ minimum: 0 }) },
        run: (call, { seq }) => notices.since(call, seq),
      }),
      MarkRead: hubMethod({
        description: 'Marks notifications of the caller as read; others are left alone',
        arguments: { ids: Type.Array(Type.Integer(), { maxItems: IDS_MAX }) },
        run: (call, { ids }) => notices.markRead(call, ids),
      }),
      MarkAllRead: hubMethod({
        description: 'Marks all notifications of the caller in this company as read',
        arguments: {},
        run: (call) => notices.markAllRead(call),
      }),
    },
    open: (connection) => notices.enter(connection),
    change: (connection) => notices.judged(connection),
    close: (connection) => notices.leave(connection),
  }
}

/** Notifications told to a connection, and those that wait for a check of rights or a record. */
interface Told {
  /** Id of the newest one at its start: the client gets later ones as they happen. */
  from: number
  ids: Set<number>
  waiting: NotificationRow[]
  isTelling: boolean
}

const placeOf = ({
  caller: { userId, companyId },
}: Pick<HubConnection, 'caller'>): UserInCompany => ({
  userId,
  companyId,
})

const nameOf = ({ userId, companyId }: UserInCompany): string => `${userId}:${companyId}`

class Notices {
  readonly #app: AppContext
  readonly #channel: HubChannel
  readonly #told = new Map<HubConnection, Told>()
  readonly #counted = new Map<string, UserInCompany>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(app: AppContext, channel: HubChannel) {
    this.#app = app
    this.#channel = channel
  }

  /** Starts at the newest one: `Since` has the older ones, which the client may know already. */
  async enter(connection: HubConnection): Promise<void> {
    const from = await findLastId(this.#app.store)
    this.#told.set(connection, { from, ids: new Set(), waiting: [], isTelling: false })
  }

  leave(connection: HubConnection): void {
    this.#told.delete(connection)
  }

  /** A notification was committed. Who does not want it at once has read it already. */
  tell(row: NotificationRow): void {
    const place = { userId: row.UserId, companyId: row.CompanyId }
    for (const connection of this.#channel.connectionsOf(place)) {
      const told = this.#told.get(connection)
      if (!told || row.ReadAt !== null || row.Id <= told.from) continue
      told.waiting.push(row)
      this.#tellWaiting(connection, told)
    }
    this.countSoon(place)
  }

  /** Tells the waiting notifications once rights were checked. */
  judged(connection: HubConnection): void {
    const told = this.#told.get(connection)
    if (told) this.#tellWaiting(connection, told)
  }

  /** Sends the waiting ones in order, each by the rights at that time. */
  #tellWaiting(connection: HubConnection, told: Told): void {
    while (!told.isTelling && !connection.isUnchecked) {
      const row = told.waiting.shift()
      if (!row) return
      const by = { caller: connection.caller, model: this.#app.models.get() }
      if (told.ids.has(row.Id)) continue
      if (!isAboutRecord(row)) this.#send(connection, told, toPlainNotification(row, by))
      else {
        told.isTelling = true
        void this.#tellRecord(connection, told, row)
      }
    }
  }

  /** Tells one about a record, while others wait behind it: reads it by the rights of before. */
  async #tellRecord(connection: HubConnection, told: Told, row: NotificationRow): Promise<void> {
    const { caller } = connection
    const model = this.#app.models.get()
    try {
      const notification = await toNotification(this.#app, { caller, model }, row)
      const isSame = connection.caller === caller && !connection.isUnchecked
      if (isSame) this.#send(connection, told, notification)
      else told.waiting.unshift(row)
    } catch (error) {
      // A client that misses it finds it by Since, or in its list.
      this.#app.log.error('a notification could not be told as it happened', error)
    }
    told.isTelling = false
    if (this.#told.has(connection)) this.#tellWaiting(connection, told)
  }

  async since({ connection, caller, model }: HubCall, seq: number) {
    const filter = { since: seq, limit: SINCE_MAX }
    const found: NotificationRow[] = []
    const told = this.#told.get(connection)
    for (let after = seq; found.length < SINCE_MAX;) {
      const rows = await listNotifications(this.#app.store, placeOf({ caller }), {
        ...filter,
        since: after,
      })
      // In one step with the ones told as they happen, without a change in between.
      for (const row of rows.slice(0, SINCE_MAX - found.length)) {
        after = row.Id
        if (told?.ids.has(row.Id)) continue
        if (told) remember(told, row.Id)
        found.push(row)
      }
      if (rows.length < SINCE_MAX) break
    }
    try {
      return await toNotifications(this.#app, { caller, model }, found)
    } catch (error) {
      for (const { Id } of found) told?.ids.delete(Id)
      throw error
    }
  }

  async markRead({ caller }: HubCall, ids: readonly number[]): Promise<void> {
    const { store, clock } = this.#app
    const place = placeOf({ caller })
    await store.write((tx) => markRead(tx, place, ids, clock.now()), scopeOf(caller, OWN))
    this.countSoon(place)
  }

  async markAllRead({ caller }: HubCall): Promise<void> {
    const { store, clock } = this.#app
    const place = placeOf({ caller })
    const last = await findLastId(store)
    await store.write((tx) => markAllRead(tx, place, last, clock.now()), scopeOf(caller, OWN))
    this.countSoon(place)
  }

  /** Sends a user's clients the unread count, soon: one count for changes that come together. */
  countSoon(place: UserInCompany): void {
    if (this.#channel.connectionsOf(place).length === 0) return
    this.#counted.set(nameOf(place), place)
    this.#timer ??= setTimeout(() => void this.#count(), COUNT_MS).unref()
  }

  async #count(): Promise<void> {
    this.#timer = undefined
    const places = [...this.#counted.values()]
    this.#counted.clear()
    try {
      for (const place of places)
        this.#channel.toUser(place, 'unread', await countUnread(this.#app.store, place))
    } catch (error) {
      this.#app.log.error('unread notifications could not be counted', error)
    }
  }

  #send(connection: HubConnection, told: Told, notification: Notification): void {
    if (told.ids.has(notification.Id)) return
    remember(told, notification.Id)
    connection.send('notification', notification)
  }
}

/** Remembers a told id and drops the oldest: no client asks for one of so long ago. */
function remember({ ids }: Told, id: number): void {
  ids.add(id)
  if (ids.size > TOLD_MAX) for (const first of ids) return void ids.delete(first)
}
