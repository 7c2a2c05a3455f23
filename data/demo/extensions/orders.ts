/** The demo's extension: its orders. `appengine types` prints what `./appengine.d.ts` holds. */
import type { Engine } from './appengine.d.ts'

export default (engine: Engine) => {
  engine.script({
    Name: 'OpenOrdersByCustomer',
    Label: 'Open orders by customer',
    Resource: 'SalesByRegion',
    Parameters: [
      { Name: 'Customers', Type: 'Integer', Default: 10 },
      { Name: 'Status', Default: 'new' },
    ],
    async run({ Parameters, query, log }) {
      const rows = await query<{ Customer: string; Orders: number; Total: number }>(
        `SELECT c.Name AS Customer, count(*) AS Orders, sum(o.Total) AS Total
           FROM orders o JOIN customers c ON c.Id = o.CustomerId
          WHERE o.Status = @Status
          GROUP BY c.Id ORDER BY Total DESC LIMIT @Customers`,
        Parameters,
      )
      log(`${rows.length} customers have orders that are ${Parameters.Status}`)
      return rows
    },
  })
  engine.job({
    Name: 'CountOrders',
    Label: 'Count the orders of each status',
    Resource: 'SalesByRegion',
    async run({ query, log, progress, signal }) {
      const counts: Record<string, number> = {}
      const states = await query<{ Status: string }>('SELECT DISTINCT Status FROM orders')
      for (const [done, { Status }] of states.entries()) {
        if (signal.aborted) break
        progress(done, states.length, Status)
        const [row] = await query<{ Orders: number }>(
          'SELECT count(*) AS Orders FROM orders WHERE Status = @Status',
          { Status },
        )
        counts[Status] = row?.Orders ?? 0
        log(Status, counts[Status])
      }
      return counts
    },
  })
  engine.validate({
    Object: 'ProductGroups',
    run({ Values, IsNew }) {
      const code = String(Values.Code)
      if (IsNew && !/^[a-z]+(-[a-z]+)*$/.test(code))
        return { Code: 'Small letters, words joined by a hyphen' }
    },
  })
  engine.on({
    Event: 'products.created',
    async run({ Keys, Values, query, log }) {
      const [row] = await query<{ Products: number }>('SELECT count(*) AS Products FROM products')
      log(`Product ${Keys.Id}, ${String(Values?.Sku)}, is one of ${row?.Products}`)
    },
  })
}
