/**
 * Links as models, notifications and records have them: `/object/orders`, `https://…`. What would
 * run as a script, or seem to stay here and lead to another host, is none.
 */
import type { Schemas } from '../api/wire.ts'
import { isDrawnPlace } from './drawn-places.ts'

const OUTER = /^(?:https?:\/\/|mailto:|tel:)/i

/** A path of this address: a slash or backslash behind the first slash would begin a host. */
const OWN = /^\/(?![/\\])/

/** True for a link to a place of this client, which needs no new page. */
export const isOwnLink = (address: string): boolean => OWN.test(address)

/** The address of a link: a place that is drawn, the web, a mail, a call; undefined for others. */
export function findLink(text: string): string | undefined {
  if (OUTER.test(text)) return text
  const [first = ''] = text.split(/[/?#]/).filter(Boolean)
  return isOwnLink(text) && isDrawnPlace(first) ? text : undefined
}

/**
 * The address of a link with values of a row in it: `https://maps.example/?q={City}`. At the
 * beginning the value is an address itself; undefined where one is missing.
 */
export function fillLink(
  template: string,
  row: Schemas['FieldValues'] | undefined,
): string | undefined {
  let isWhole = true
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const value = row && Object.hasOwn(row, name) ? String(row[name] ?? '') : ''
    if (value === '') isWhole = false
    return at === 0 ? value : encodeURIComponent(value)
  })
  return isWhole ? findLink(filled) : undefined
}
