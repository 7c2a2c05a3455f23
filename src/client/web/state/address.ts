/**
 * The address is the truth: what is shown stands in it, so that reload, Back and a link in a mail
 * give the same picture. `/object/orders?search=mill` → path `['object', 'orders']` and its query.
 */
import { computed, signal } from '@preact/signals'
import { afterFrame } from './after-frame.ts'
import { stable } from './stable.ts'

/** Where the client stands. */
interface Address {
  path: readonly string[]
  query: URLSearchParams
}

/** A part of a path as it was before it was encoded; one that nobody encoded stays: `50%`. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const readPlace = (): Address => ({
  path: location.pathname.split('/').filter(Boolean).map(decodePart),
  query: new URLSearchParams(location.search),
})

const current = signal(readPlace())

/** The place that is shown. */
export const place = computed(() => current.value)

/** The path of the place; the same while only its query is another. */
export const path = stable(() => current.value.path)

/** The address of a place: parts are encoded, and empty members of the query are left out. */
export function addressOf(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1])
  const search = new URLSearchParams(kept).toString()
  const start = `/${path.map((part) => encodeURIComponent(part)).join('/')}`
  return search === '' ? start : `${start}?${search}`
}

const guards = new Set<() => boolean>()

/** Asks before the place is left, until what it returns is called; false stays in it. */
export function guardLeaving(ask: () => boolean): () => void {
  guards.add(ask)
  return () => void guards.delete(ask)
}

const mayLeave = (): boolean => [...guards].every((ask) => ask())

/** Goes to an address; `replace` leaves no step behind for Back. */
export function go(address: string, { replace = false } = {}): void {
  if (address === location.pathname + location.search) return
  if (address.split('?')[0] !== location.pathname && !mayLeave()) return
  if (replace) history.replaceState(history.state, '', address)
  else history.pushState(null, '', address)
  current.value = readPlace()
}

/** Changes members of the query; undefined takes one out, `replace` leaves no step for Back. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  options?: { replace?: boolean },
): void {
  const query = { ...Object.fromEntries(current.value.query), ...changes }
  go(addressOf(current.value.path, query), options)
}

/** Follows Back and Forward; a place that is not left has its address again. */
function followBack(): void {
  const { path, query } = current.peek()
  const address = addressOf(path, Object.fromEntries(query))
  if (address.split('?')[0] === location.pathname || mayLeave()) current.value = readPlace()
  else history.pushState(null, '', address)
}

/** Follows Back, and links of the page that lead to places of the client. */
export function followAddress(): void {
  addEventListener('popstate', followBack)
  document.addEventListener('click', (event) => {
    const link = findLink(event)
    if (!link) return
    event.preventDefault()
    const address = link.pathname + link.search
    afterFrame(() => go(address))
  })
}

const OWN_TAB = new Set(['', '_self'])
/** Addresses of the engine that a link may lead to, as a file. */
const PASSED = /^\/(?:api|files|report)\//

function findLink(event: MouseEvent): HTMLAnchorElement | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement)
  if (!link?.hasAttribute('href') || !OWN_TAB.has(link.target) || link.hasAttribute('download'))
    return undefined
  return link.origin === location.origin && !PASSED.test(link.pathname) ? link : undefined
}
