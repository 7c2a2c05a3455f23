/**
 * The grid from which a record was opened: its query, and the place of the record in its order.
 * Both stand in the address of the record, so that a reload and a link keep them:
 * `/object/orders/7?from=search%3Dmill&at=12`.
 */
import { computed } from '@preact/signals'
import { addressOf, place } from './address.ts'

/** A grid, and the number of a row in it, from 0. */
interface OpenedFrom {
  query: string
  at: number
}

/** The grid from which the record of the address was opened; undefined for a bare link. */
export const openedFrom = computed((): OpenedFrom | undefined => {
  const { query } = place.value
  const at = query.get('at')
  return at !== null && /^\d+$/.test(at)
    ? { query: query.get('from') ?? '', at: Number(at) }
    : undefined
})

/** The address of the record in row `at` of the grid that is shown. */
export const addressOfRow = (slug: string, key: readonly string[], at: number): string =>
  addressOf(['object', slug, ...key], { from: place.peek().query.toString(), at: String(at) })

/**
 * The address of a new record of the grid that is shown: its Back leads there, and once it is
 * stored it has neighbours there, too. Where it will stand is not known yet; most stand at the top.
 */
export const addressOfNew = (slug: string): string =>
  addressOf(['object', slug, 'new'], { from: place.value.query.toString(), at: '0' })

/** The members of an address that say from which grid the present record was opened. */
export function keptFrom(): Record<'from' | 'at', string | undefined> {
  const { query } = place.peek()
  return { from: query.get('from') ?? undefined, at: query.get('at') ?? undefined }
}

/** The address of the grid, with the query that it had when the record was opened from it. */
export const addressOfGrid = (slug: string): string =>
  addressOf(['object', slug], Object.fromEntries(new URLSearchParams(openedFrom.value?.query)))
