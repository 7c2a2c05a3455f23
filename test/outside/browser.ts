/** Debian's Chromium, driven from outside, with every address closed but the server's. */
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

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
export type PageOptions = BrowserContextOptions

/** Opens a page that is closed to all but `origin`. */
export async function openClosedPage(origin: string, options?: PageOptions): Promise<ClosedPage> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const outside: string[] = []
  const complaints: string[] = []
  // A PDF is drawn by a part of the browser itself, which has addresses, too.
  const inner = ['data:', 'chrome:', 'chrome-extension:']
  await context.route(
    (url) => url.origin !== origin && !inner.includes(url.protocol),
    (route) => {
      outside.push(route.request().url())
      return route.abort()
    },
  )
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return { page, outside, complaints, [Symbol.asyncDispose]: () => browser.close() }
}
