/**
 * The service worker: it adds the access token of an open page to requests of files, so that
 * `<img src="/files/…">` works, and shows what is pushed while no page is open. It keeps nothing.
 */

/** Messages of the worker to a page. */
type PageMessage = { ask: 'token' } | { open: number }

interface PageClient {
  id: string
  focused: boolean
  focus(): Promise<unknown>
  postMessage(message: PageMessage, transfer?: Transferable[]): void
}

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface InstallEvent extends LastingEvent {
  /** Only newer browsers have it. */
  addRoutes?(rules: object): Promise<void>
}

interface FileRequestEvent extends Event {
  request: Request
  clientId: string
  respondWith(answer: Promise<Response>): void
}

interface PushEvent extends LastingEvent {
  data: { json(): unknown } | null
}

interface NoticeEvent extends LastingEvent {
  notification: Notification
}

interface Scope {
  clients: {
    get(id: string): Promise<PageClient | undefined>
    matchAll(options: object): Promise<PageClient[]>
    claim(): Promise<void>
    openWindow(address: string): Promise<unknown>
  }
  registration: ServiceWorkerRegistration
  skipWaiting(): Promise<void>
  addEventListener<E extends Event>(name: string, listener: (event: E) => void): void
}

/** Members of a pushed message that are shown; the engine has no others for it. */
interface PushedMessage {
  Id: number
  Seq: number
  Title: string
  Body: string | null
  /** Left out in messages of earlier versions, which may still be shown. */
  Object?: string | null
  Keys?: Readonly<Record<string, unknown>> | null
  Url: string | null
}

const scope = self as unknown as Scope
const FILES = '/files/'
/** The time that a page has to hand its token. */
const TOKEN_MS = 3000
/** Headers of a request of a file that its answer goes by. */
const PASSED = ['Accept', 'Range', 'If-Range']

scope.addEventListener<InstallEvent>('install', (event) => {
  const rest = { condition: { not: { urlPattern: { pathname: `${FILES}*` } } }, source: 'network' }
  // All else goes past the worker, which need not be started for it.
  event.waitUntil(
    Promise.all([scope.skipWaiting(), event.addRoutes?.([rest]).catch(() => undefined)]),
  )
})

scope.addEventListener<LastingEvent>('activate', (event) => event.waitUntil(scope.clients.claim()))

scope.addEventListener<FileRequestEvent>('fetch', (event) => {
  const { request, clientId } = event
  const { origin, pathname } = new URL(request.url)
  const isFile = origin === location.origin && pathname.startsWith(FILES)
  if (!isFile || request.method !== 'GET' || request.headers.has('Authorization')) return
  event.respondWith(fetchFile(request, clientId))
})

async function fetchFile(request: Request, clientId: string): Promise<Response> {
  const headers = new Headers()
  for (const name of PASSED) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const token = await findToken(clientId)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  return fetch(request.url, { headers, credentials: 'omit', signal: request.signal })
}

const listPages = (): Promise<PageClient[]> =>
  scope.clients.matchAll({ type: 'window', includeUncontrolled: true })

/** The token of the page that asks; where a new tab opens a file, of another page. */
async function findToken(clientId: string): Promise<string | undefined> {
  const own = clientId === '' ? undefined : await scope.clients.get(clientId)
  const others = (await listPages()).filter(({ id }) => id !== own?.id)
  for (const page of own ? [own, ...others] : others) {
    const token = await askToken(page)
    if (token !== undefined) return token
  }
  return undefined
}

function askToken(page: PageClient): Promise<string | undefined> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), TOKEN_MS)
    port1.onmessage = ({ data }: MessageEvent<unknown>) =>
      resolve(typeof data === 'string' ? data : undefined)
    page.postMessage({ ask: 'token' }, [port2])
  })
}

scope.addEventListener<PushEvent>('push', (event) => {
  const message = event.data?.json() as PushedMessage | undefined
  if (!message) return
  const { Id, Title, Body } = message
  event.waitUntil(
    scope.registration.showNotification(Title, {
      ...(Body !== null && { body: Body }),
      tag: `notification-${Id}`,
      icon: '/client/icon.svg',
      data: message,
    }),
  )
})

scope.addEventListener<NoticeEvent>('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openMessage(event.notification.data as PushedMessage))
})

/** The place of the record that a message is about: `/object/orders/400`. */
function placeOf({ Object: object, Keys }: PushedMessage): string {
  if (!object || !Keys) return '/'
  const parts = [object.toLowerCase(), ...Object.values(Keys).map(String)]
  return `/object/${parts.map((part) => encodeURIComponent(part)).join('/')}`
}

/**
 * Opens what a message is about: in a page that is open, else in a new one, which draws the record
 * while it looks up the notification.
 */
async function openMessage(message: PushedMessage): Promise<void> {
  const { Seq, Url } = message
  if (Url !== null && /^https?:/.test(Url)) {
    await scope.clients.openWindow(Url)
    return
  }
  const pages = await listPages()
  const page = pages.find(({ focused }) => focused) ?? pages[0]
  if (!page) {
    await scope.clients.openWindow(Seq === 0 ? '/' : `${placeOf(message)}?notification=${Seq}`)
    return
  }
  // A browser lets a worker focus a page only behind a click.
  await page.focus().catch(() => undefined)
  if (Seq !== 0) page.postMessage({ open: Seq })
}
