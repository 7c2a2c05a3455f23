/** Kinds of work, each as requests of the engine and as those of the bare server. */
import type { SqlRow } from '../../src/store/sql.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import type { PageBody } from './by-hand/reads.ts'
import type { RecordedRequest } from './record.ts'
import { planReportWork } from './report-work.ts'
import { COMMON_TEXTS, planSearchTexts } from './search-texts.ts'

export const OBJECTS = '/api/v1/svc/object'

/** Kinds of work whose bare side is written by hand. */
export const COMPARED = [
  ...([
    'page-repeated',
    'page-distinct',
    'page-label',
    'search-distinct',
    'search-common',
  ] as const),
  ...(['form', 'form-repeated', 'update', 'create'] as const),
]

export type WorkName = (typeof COMPARED)[number] | 'report'

/** One kind of work; the same index on both sides asks for the same answer. */
export interface Work {
  name: WorkName
  /** Of the engine. */
  requests: RecordedRequest[]
  /** Of the bare server; of a write without the way of its commit, which stands before it. */
  byHand: RecordedRequest[]
  isWrite: boolean
  /** Whether the engine may answer from its query cache. */
  isCached: boolean
  /** The share of the bare server's rate that is wanted; of a write, of one that commits alone. */
  wanted?: number
}

/** An order of the user's company and region. */
interface OrderFacts extends SqlRow {
  Id: number
  Status: string
  OrderedAt: string
  CustomerId: number
}

/** Of whom and when the orders are that the requests name. */
interface Facts {
  orders: OrderFacts[]
  customers: (SqlRow & { Id: number; Name: string })[]
}

const REPEATED = 64
const DISTINCT = 3000

/** Rows of the narrowest page of distinct filters; the widest has twice as many. */
const WINDOW = 90
const UPDATED_ORDERS = 2000

const PAGE_SIZE = 50

/** Plans all kinds of work on the data of a world. */
export async function planWorks({ store }: OpenContext): Promise<Work[]> {
  const all = <Row extends SqlRow>(sql: string): Promise<Row[]> =>
    store.all<Row>({ sql, args: {}, runs: 'lane' })
  const mine = `CompanyId = 1 AND Region = 'Lakes'`
  const facts: Facts = {
    orders: await all<OrderFacts>(
      `SELECT Id, Status, OrderedAt, CustomerId FROM orders WHERE ${mine} ORDER BY OrderedAt, Id`,
    ),
    customers: await all<Facts['customers'][number]>(
      `SELECT Id, Name FROM customers WHERE ${mine} AND Active = 1 ORDER BY Id`,
    ),
  }
  return [
    ...planPages(facts),
    ...planSearches(),
    ...planForms(facts),
    planUpdates(facts),
    planCreates(facts),
    planReportWork(),
  ]
}

/** @throws when there is none */
function at<Row>(rows: readonly Row[], index: number): Row {
  const row = rows[index % rows.length]
  if (row === undefined) throw new Error('The user has no such rows')
  return row
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const engineRequest = (path: string, body: object): RecordedRequest => ({
  path: `${OBJECTS}/${path}`,
  body: JSON.stringify(body),
})

/** A page of both sides: the engine's filters, and name and arguments of the condition by hand. */
interface PageOf {
  body: object
  condition: string
  Arguments: PageBody['Arguments']
  after?: PageBody['After']
  isCounted?: boolean
}

function planPageWork(
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

function planPages({ orders, customers }: Facts): Work[] {
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

/** What people type of a name: the beginnings of its words, from three letters on. */
const partsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(' ')
    .flatMap((word) => times(Math.max(0, word.length - 2), (more) => word.slice(0, 3 + more)))

function planSearches(): Work[] {
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

function planForms({ orders }: Facts): Work[] {
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

function planUpdates({ orders }: Facts): Work {
  const open = orders.filter(({ Status }) => Status === 'new').slice(-UPDATED_ORDERS)
  const bodies = times(Math.max(UPDATED_ORDERS, open.length), (index) => ({
    Id: at(open, index).Id,
    Reference: `PO ${10_000 + index}`,
  }))
  return {
    ...{ name: 'update', isWrite: true, isCached: true, wanted: 1 },
    requests: bodies.map((Parameters) =>
      engineRequest('submit', { FormName: 'orders', Parameters }),
    ),
    byHand: bodies.map((body) => ({ path: '/update', body: JSON.stringify(body) })),
  }
}

function planCreates({ customers }: Facts): Work {
  const bodies = times(DISTINCT, (index) => ({
    CustomerId: at(customers, index).Id,
    Reference: `PO ${50_000 + index}`,
  }))
  return {
    ...{ name: 'create', isWrite: true, isCached: true, wanted: 1 },
    requests: bodies.map((body) =>
      engineRequest('submit', { FormName: 'orders', Parameters: { ...body, Region: 'Lakes' } }),
    ),
    byHand: bodies.map((body) => ({ path: '/create', body: JSON.stringify(body) })),
  }
}
