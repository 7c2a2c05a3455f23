/** Kinds of work, and the facts that their requests are planned with. */
import type { SqlRow } from '../../src/store/sql.ts'
import type { PageBody } from './by-hand/reads.ts'
import type { RecordedRequest } from './record.ts'

export const OBJECTS = '/api/v1/svc/object'

/** Kinds of work whose bare side is written by hand. */
export const COMPARED = [
  ...(['page-repeated', 'page-distinct', 'page-label', 'page-walked'] as const),
  ...(['search-distinct', 'search-common', 'form', 'form-repeated'] as const),
  ...(['update', 'create', 'delete', 'action'] as const),
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
  /** True when each request works but once, on a record of its own. */
  isOnce?: boolean
  /** True when the engine may answer from its query cache. */
  isCached: boolean
  /** The share of the bare server's rate that is wanted; of a write, of one that commits alone. */
  wanted?: number
}

/** An order of the user's company and region. */
export interface OrderFacts extends SqlRow {
  Id: number
  Status: string
  OrderedAt: string
  CustomerId: number
}

/** Of whom and when the orders are that the requests name. */
export interface Facts {
  orders: OrderFacts[]
  /** Orders that were added for writes. */
  pool: OrderFacts[]
  customers: (SqlRow & { Id: number; Name: string })[]
}

/** A row, the first again behind the last. @throws when there is none */
export function at<Row>(rows: readonly Row[], index: number): Row {
  const row = rows[index % rows.length]
  if (row === undefined) throw new Error('The user has no such rows')
  return row
}

/** As many as `count`. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A request of objects. */
export const engineRequest = (path: string, body: object): RecordedRequest => ({
  path: `${OBJECTS}/${path}`,
  body: JSON.stringify(body),
})

/** A page of both sides: the engine's filters, and name and arguments of the condition by hand. */
export interface PageOf {
  body: object
  condition: string
  Arguments: PageBody['Arguments']
  after?: PageBody['After']
  isCounted?: boolean
}
