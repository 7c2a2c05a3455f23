/** Kinds of work, each as requests of the engine and as those of the bare server. */
import type { SqlRow } from '../../src/store/sql.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import { isOfPool } from './pool.ts'
import { planForms, planPages, planPageWork, planSearches } from './read-works.ts'
import { planReportWork } from './report-work.ts'
import { planWalks } from './walks.ts'
import type { Facts, OrderFacts, Work } from './work.ts'
import { planWrites } from './write-works.ts'

/** Plans all kinds of work on the data of a world. */
export async function planWorks(context: OpenContext, token: string): Promise<Work[]> {
  const { store } = context
  const all = <Row extends SqlRow>(sql: string): Promise<Row[]> =>
    store.all<Row>({ sql, args: {}, runs: 'lane' })
  const mine = `CompanyId = 1 AND Region = 'Lakes'`
  const orders = await all<OrderFacts>(
    `SELECT Id, Status, OrderedAt, CustomerId FROM orders WHERE ${mine} ORDER BY OrderedAt, Id`,
  )
  const facts: Facts = {
    orders: orders.filter((order) => !isOfPool(order)),
    pool: orders.filter(isOfPool),
    customers: await all<Facts['customers'][number]>(
      `SELECT Id, Name FROM customers WHERE ${mine} AND Active = 1 ORDER BY Id`,
    ),
  }
  return [
    ...planPages(facts),
    planPageWork(
      { name: 'page-walked', isCached: false, wanted: 0.85 },
      await planWalks(context, token),
    ),
    ...planSearches(),
    ...planForms(facts),
    ...planWrites(facts),
    planReportWork(),
  ]
}
