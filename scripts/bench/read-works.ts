/** Kinds of work that read: pages, searches and forms of orders. */
import type { PageBody } from './by-hand/reads.ts'
import { COMMON_TEXTS, planSearchTexts } from './search-texts.ts'
import { at, engineRequest, type Facts, type PageOf, times, type Work } from './work.ts'

const REPEATED = 64
const DISTINCT = 3000

/** Rows of the narrowest page of distinct filters; the widest has twice as many. */
const WINDOW = 90

const PAGE_SIZE = 50

/** Pages of both sides. */
export function planPageWork(
  about: Pick<Work, 'name' | 'isCached' | 'wanted'>,
  pages: readonly PageOf[],
): Work {
  return {
    ...about,
    isWrite: false,
    requests: pages.map(({ body }) => engineRequest('orders/table', body)),
    byHand: pages.map(({ condition, Arguments, after, isCounted = true }) => ({
      path: `/page/${condition}`,
      body: JSON.stringify({ Arguments, After: after, Count: isCounted } satisfies PageBody),
    })),
  }
}

const Sort = [{ Field: 'OrderedAt', Direction: 'desc' }]

/** Pages that are repeated, of distinct filters, and of a label. */
export function planPages({ orders, customers }: Facts): Work[] {
  const since = times(REPEATED, (index): PageOf => {
    const status = index % 2 ? 'shipped' : 'approved'
    const from = at(orders, index * 353).OrderedAt
    const Filters = [
      { Field: 'Status', Operator: 'eq', Value: status },
      { Field: 'OrderedAt', Operator: 'ge', Value: from },
    ]
    const body = { Filters, Sort, PageSize: PAGE_SIZE }
    return { body, condition: 'since', Arguments: [status, from] }
  })
  const shipped = orders.filter(({ Status }) => Status === 'shipped')
  const between = times(DISTINCT, (index): PageOf => {
    const first = (index * 7919) % Math.max(1, shipped.length - 2 * WINDOW)
    const from = at(shipped, first).OrderedAt
    const to = at(shipped, first + WINDOW + (index % WINDOW)).OrderedAt
    const Filters = [
      { Field: 'Status', Operator: 'eq', Value: 'shipped' },
      { Field: 'OrderedAt', Operator: 'ge', Value: from },
      { Field: 'OrderedAt', Operator: 'lt', Value: to },
    ]
    const body = { Filters, Sort, PageSize: PAGE_SIZE }
    return { body, condition: 'between', Arguments: ['shipped', from, to] }
  })
  const parts = [...new Set(customers.flatMap(({ Name }) => partsOf(Name)))]
  const labels = parts.slice(0, DISTINCT).map((part): PageOf => {
    const Filters = [{ Field: 'CustomerId__Label', Operator: 'contains', Value: part }]
    const body = { Filters, Sort, PageSize: PAGE_SIZE }
    return { body, condition: 'customer', Arguments: [`%${part}%`] }
  })
  return [
    planPageWork({ name: 'page-repeated', isCached: true, wanted: 3 }, since),
    planPageWork({ name: 'page-distinct', isCached: false, wanted: 0.85 }, between),
    planPageWork({ name: 'page-label', isCached: false, wanted: 1 }, labels),
  ]
}

/**
 * Beginnings of a name, as people type them: the beginnings of its words, from three letters on.
 */
const partsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(' ')
    .flatMap((word) => times(Math.max(0, word.length - 2), (more) => word.slice(0, 3 + more)))

/** Searches of texts as people type them, and of those that very many rows have. */
export function planSearches(): Work[] {
  const search = (text: string): PageOf => {
    const pattern = `%${text}%`
    const Arguments = [pattern, pattern, pattern]
    return { body: { SearchText: text, PageSize: PAGE_SIZE }, condition: 'search', Arguments }
  }
  return [
    planPageWork(
      { name: 'search-distinct', isCached: false, wanted: 4 },
      planSearchTexts().map(search),
    ),
    planPageWork({ name: 'search-common', isCached: false, wanted: 4 }, COMMON_TEXTS.map(search)),
  ]
}

/** Forms of distinct records and of the same ones again. */
export function planForms({ orders }: Facts): Work[] {
  const forms = (count: number, about: Pick<Work, 'name' | 'isCached' | 'wanted'>): Work => {
    const ids = times(count, (index) => at(orders, index * 13).Id)
    return {
      ...about,
      isWrite: false,
      requests: ids.map((Id) => engineRequest('orders/form', { Parameters: { Id } })),
      byHand: ids.map((Id) => ({ path: '/form', body: JSON.stringify({ Id }) })),
    }
  }
  return [
    forms(DISTINCT, { name: 'form', isCached: false, wanted: 0.6 }),
    forms(REPEATED, { name: 'form-repeated', isCached: true, wanted: 0.6 }),
  ]
}
