/** Live parts of the frame: they start with a session and end with it. */
import { say } from '../texts/texts.ts'
import { onHub, startHub } from '../api/hub.ts'
import type { CallerUser } from '../api/tokens.ts'
import { answerWorker, startWorker } from '../api/worker.ts'
import { place, setQuery } from './address.ts'
import { whenDrawn } from './drawn.ts'
import { refreshGrid } from './grid-rows.ts'
import { badges, loadNavbar } from './navbar.ts'
import { notify } from './notices.ts'
import { followNotifications, loadUnread, openNotification } from './notifications.ts'
import { loadViews } from './saved-views.ts'

/** Loads beside the place; a failure is made good with the next word of the hub. */
const later = (loading: Promise<void>): void => void loading.catch(() => undefined)

/** The time after which the worker is registered: the place comes first. */
const WORKER_MS = 2500

/** A page that a pushed message has opened goes where it leads: `/…?notification=7`. */
async function openPushed(): Promise<void> {
  const { query } = place.peek()
  const seq = Number(query.get('notification') ?? 0)
  if (!Number.isSafeInteger(seq) || seq < 1) return
  setQuery({ notification: undefined }, { replace: true })
  await openNotification(seq)
}

/** Registers the worker, and subscribes this browser again where its user has turned it on. */
async function beginPush(): Promise<void> {
  await startWorker()
  if (localStorage.getItem('push') !== null) await (await import('./push.ts')).resumePush()
}

/** Connects for a user; returns what ends it. */
export function followLive(user: CallerUser): () => void {
  const ends = [
    startHub(`${user.Id}-${user.Company.Id}`),
    followNotifications(),
    answerWorker((seq) => later(openNotification(seq))),
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
  later(whenDrawn.then(loadUnread))
  later(openPushed())
  const timer = setTimeout(() => later(beginPush()), WORKER_MS)
  return () => {
    clearTimeout(timer)
    ends.forEach((end) => end())
  }
}
