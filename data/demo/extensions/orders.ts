/** Scripts of the demo about its orders. `appengine types` prints what `./appengine.d.ts` holds. */
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
        `SELECT c.Name AS Customer, count(*) AS Orders, round(sum(o.Total), 2) AS Total
           FROM orders o JOIN customers c ON c.Id = o.CustomerId
          WHERE o.Status = @Status
          GROUP BY c.Id ORDER BY Total DESC LIMIT @Customers`,
        Parameters,
      )
      log(`${rows.length} customers have orders that are ${Parameters.Status}`)
      return rows
    },
  })
}
