/** Debian's Chromium, driven from outside, with every address closed but the server's. */
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Route,
} from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page that can reach one server; whatever else it asks for is refused and written down. */
export interface ClosedPage extends AsyncDisposable {
  page: Page
  /** Addresses outside of the server that the page asked for. */
  outside: string[]
  /** Errors of the page and what its security policy refused. */
  complaints: string[]
}

const CHROMIUM = Bun.which('chromium') ?? '/usr/bin/chromium'

/** Size, colours, language and zone of a page, as playwright has them. */
export interface PageOptions extends BrowserContextOptions {
  /**
   * A pattern of requests that are taken by hand and let go on: tests can read their bodies then,
   * and the browser has no cache.
   */
  takes?: string
}

/** The one browser of this process: each page has a context of its own, with nothing of others. */
let launched: Promise<Browser> | undefined

const launch = (): Promise<Browser> =>
  (launched ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS }))

/** Closes the browser, without which a script would not end; test processes end as they are. */
export async function closeBrowser(): Promise<void> {
  await (await launched)?.close()
  launched = undefined
}

/** Addresses of the browser itself: a PDF is drawn by a part of it. */
const INNER = ['data:', 'blob:', 'chrome:', 'chrome-extension:']

/** A proxy that is not there for all but `origin`, this machine's other addresses included. */
const closeTo = (origin: string): BrowserContextOptions['proxy'] => ({
  server: 'http://127.0.0.1:9',
  bypass: `<-loopback>,${new URL(origin).host}`,
})

/**
 * Opens a page that is closed to all but `origin`. Its requests are not taken by hand: the browser
 * is to have the cache that users have.
 */
export async function openClosedPage(
  origin: string,
  { takes, ...options }: PageOptions = {},
): Promise<ClosedPage> {
  const browser = await launch()
  const context = await browser.newContext({ ...options, proxy: closeTo(origin) })
  if (takes !== undefined) await context.route(takes, (route) => route.continue())
  const outside: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && !INNER.includes(url.protocol)) outside.push(url.href)
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return { page, outside, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Sends a request on, past the page: its answer, and the key that it bore. */
export async function sendOn(route: Route): Promise<{ answer: Response; key: string | undefined }> {
  const request = route.request()
  const [headers, body] = [await request.allHeaders(), request.postData()]
  const answer = await fetch(request.url(), { method: request.method(), headers, body })
  return { answer, key: headers['idempotency-key'] }
}
