/** Messages to this browser while no page is open, by its push service. */
import { signal } from '@preact/signals'
import { ServerError } from '../api/server-error.ts'
import { take, wire } from '../api/wire.ts'
import { startWorker } from '../api/worker.ts'
import { user } from './session.ts'

/** `unserved`: the browser has no way, as without https; `denied`: its user has forbidden it. */
type PushState = 'unserved' | 'denied' | 'off' | 'on'

/** The state in this browser, for this user; undefined before it is known. */
export const pushState = signal<PushState | undefined>(undefined)

/** Users who have turned it on in this browser: it is subscribed again with each session. */
const WISHES = 'push'

const readWishes = (): number[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(WISHES) ?? '[]')
    return Array.isArray(found) ? found.filter((each) => typeof each === 'number') : []
  } catch {
    return []
  }
}

const userId = (): number => {
  const now = user.peek()
  return typeof now === 'object' ? now.Id : 0
}

/** True where the user wants messages in this browser. */
export const wantsPush = (): boolean => readWishes().includes(userId())

function saveWish(isOn: boolean): void {
  const others = readWishes().filter((id) => id !== userId())
  localStorage.setItem(WISHES, JSON.stringify(isOn ? [...others, userId()] : others))
}

async function findManager(): Promise<PushManager | undefined> {
  const registration = await startWorker()
  return registration && 'pushManager' in registration ? registration.pushManager : undefined
}

/** Loads the state. */
export async function loadPushState(): Promise<void> {
  const manager = await findManager()
  if (!manager || !('Notification' in globalThis)) pushState.value = 'unserved'
  else if (Notification.permission === 'denied') pushState.value = 'denied'
  else pushState.value = wantsPush() && (await manager.getSubscription()) !== null ? 'on' : 'off'
}

/** `BCVx…` → its bytes. */
const readKey = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )

/** The subscription of this browser; one of another server is given up. */
async function subscribe(manager: PushManager): Promise<PushSubscription> {
  const { PublicKey } = await take(wire.GET('/api/v1/push-subscription/vapid-key'))
  const wanted = { userVisibleOnly: true, applicationServerKey: readKey(PublicKey) }
  try {
    return await manager.subscribe(wanted)
  } catch (error) {
    const known = await manager.getSubscription()
    if (!known) throw error
    await known.unsubscribe()
    return manager.subscribe(wanted)
  }
}

async function tellServer(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', expirationTime = null, keys = {} } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys
  const body = { endpoint, expirationTime, keys: { p256dh, auth } }
  await take(wire.POST('/api/v1/push-subscription', { body }))
}

/** Asks the user, and subscribes. @throws ServerError */
export async function turnPushOn(): Promise<void> {
  const manager = await findManager()
  if (!manager) return loadPushState()
  if ((await Notification.requestPermission()) === 'granted') {
    await tellServer(await subscribe(manager))
    saveWish(true)
  }
  await loadPushState()
}

/** Ends it in this browser. @throws ServerError */
export async function turnPushOff(): Promise<void> {
  saveWish(false)
  const subscription = await (await findManager())?.getSubscription()
  if (subscription) {
    const body = { endpoint: subscription.endpoint }
    await take(wire.DELETE('/api/v1/push-subscription', { body })).catch((thrown: unknown) => {
      // It ended with the session that it was made in.
      if (!(thrown instanceof ServerError && thrown.status === 404)) throw thrown
    })
    await subscription.unsubscribe()
  }
  await loadPushState()
}

/** Subscribes again in a new session, for a user who has turned it on here. */
export async function resumePush(): Promise<void> {
  const manager = await findManager()
  if (!manager || !wantsPush() || Notification.permission !== 'granted') return
  await tellServer(await subscribe(manager))
}

/** Sends a message to the browsers of the user; resolves to their number. @throws ServerError */
export const sendPushTest = async (): Promise<number> =>
  (await take(wire.POST('/api/v1/push-subscription/test'))).Count
