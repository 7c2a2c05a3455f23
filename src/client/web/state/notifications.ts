/** Notifications of the user: the number of unread ones, and the list of the panel. */
import { signal } from '@preact/signals'
import { onHub } from '../api/hub.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { addressOf, go } from './address.ts'
import { findLink, isOwnLink } from './link.ts'
import { notify } from './notices.ts'

/** A notification as the server keeps it. */
export type Notification = Schemas['Notification']

/** Kinds that are about what the panel beside a record shows. */
const PANELS: Readonly<Record<string, string>> = { Mention: 'timeline', Followed: 'timeline' }

/** The panel that a notification leads to, beside its record; undefined for the record alone. */
const panelOf = ({ Kind }: Notification): string | undefined => PANELS[Kind]

const PAGE = 30

/** The number of unread ones. */
export const unread = signal(0)

/** The notifications that are loaded, the newest first. */
export const notifications = signal<readonly Notification[]>([])

/** True where there are older ones than those that are loaded. */
export const hasOlder = signal(false)

/** Loads the number of unread ones. @throws ServerError */
export async function loadUnread(): Promise<void> {
  unread.value = (await take(wire.GET('/api/v1/notification/unread-count'))).Count
}

/** Loads the newest ones, or those that are older than the loaded ones. @throws ServerError */
export async function loadNotifications({ isOlder = false } = {}): Promise<void> {
  const before = isOlder ? notifications.value.at(-1)?.Seq : undefined
  const query = { limit: PAGE, ...(before !== undefined && { before }) }
  const found = await take(wire.GET('/api/v1/notification', { params: { query } }))
  hasOlder.value = found.length === PAGE
  notifications.value = isOlder ? [...notifications.value, ...found] : found
}

/** The address that a notification leads to: its own, else that of its record. */
export function addressOfNotification(told: Notification): string | undefined {
  const { Url, Object: object, Keys } = told
  const own = Url === null ? undefined : findLink(Url)
  if (own !== undefined && isOwnLink(own)) return own
  if (object === null || Keys === null) return undefined
  return addressOf(['object', object.toLowerCase(), ...Object.values(Keys).map(String)], {
    panel: panelOf(told),
  })
}

/** Where files that were made for the user are fetched. */
const FILES = '/api/v1/svc/object/export-file/'

/** The address of the file that a notification brings, such as an export; undefined for none. */
export const fileOfNotification = ({ Url }: Notification): string | undefined =>
  Url?.includes(FILES) === true ? Url.slice(Url.indexOf(FILES)) : undefined

/** Opens the notification of a number, as a push names it; it is read then. @throws ServerError */
export async function openNotification(seq: number): Promise<void> {
  const query = { before: seq + 1, limit: 1 }
  const [found] = await take(wire.GET('/api/v1/notification', { params: { query } }))
  if (found?.Seq !== seq) return
  const address = addressOfNotification(found)
  if (address !== undefined) go(address)
  await markRead(found)
}

/** Marks one as read. @throws ServerError */
export async function markRead({ Id, ReadAt }: Notification): Promise<void> {
  if (ReadAt !== null) return
  await take(wire.POST('/api/v1/notification/{id}/read', { params: { path: { id: Id } } }))
  await Promise.all([loadUnread(), loadNotifications()])
}

/** Marks all as read. @throws ServerError */
export async function markAllRead(): Promise<void> {
  await take(wire.POST('/api/v1/notification/read-all'))
  await Promise.all([loadUnread(), loadNotifications()])
}

/** Follows the hub: a new one is shown over the place. Returns what ends it. */
export function followNotifications(): () => void {
  const ends = [
    onHub('unread', (count) => (unread.value = Number(count))),
    onHub('notification', (told) => {
      const { Title, Level } = told as Notification
      notify(Title, Level)
      if (notifications.value.length > 0) void loadNotifications().catch(() => undefined)
    }),
    onHub('resynced', () => void loadUnread().catch(() => undefined)),
  ]
  return () => ends.forEach((end) => end())
}
