/** Live parts of the frame: they start with a session and end with it. */
import { say } from '../texts/texts.ts'
import { onHub, startHub } from '../api/hub.ts'
import type { CallerUser } from '../api/tokens.ts'
import { place } from './address.ts'
import { refreshGrid } from './grid-rows.ts'
import { badges, loadNavbar } from './navbar.ts'
import { notify } from './notices.ts'
import { followNotifications, loadUnread } from './notifications.ts'
import { loadViews } from './saved-views.ts'

/** Loads beside the place; a failure is made good with the next word of the hub. */
const later = (loading: Promise<void>): void => void loading.catch(() => undefined)

/** Connects for a user; returns what ends it. */
export function followLive(user: CallerUser): () => void {
  const ends = [
    startHub(`${user.Id}-${user.Company.Id}`),
    followNotifications(),
    onHub('badges', (counts) => (badges.value = counts as typeof badges.value)),
    onHub('resynced', () => later(loadNavbar())),
    onHub('rightsChanged', () => {
      later(loadNavbar())
      refreshGrid()
    }),
    onHub('modelChanged', () => {
      later(loadNavbar())
      notify(say('modelChanged'), 'info')
    }),
    onHub('viewsChanged', () => {
      const [first, object] = place.peek().path
      if (first === 'object' && object !== undefined) later(loadViews(object))
    }),
  ]
  later(loadUnread())
  return () => ends.forEach((end) => end())
}
