/** New orders of the user's region and company, for what changes and takes them away. */

/** How many a world has: few beside its other orders, and as many as the works take away. */
export const countPool = (orders: number): number => Math.min(12_000, Math.ceil(orders / 4))

const ORDERED_AT = '2020-01-01T00:00:00.000Z'

/** True when an order was added for writes. */
export const isOfPool = ({ OrderedAt }: { OrderedAt: string }): boolean => OrderedAt === ORDERED_AT

/**
 * Adds so many (`@count`), for all customers in turn; older than all others, so at the end of
 * grids.
 */
export const POOL_SQL = `WITH RECURSIVE
  n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count),
  c AS (SELECT Id, row_number() OVER (ORDER BY Id) - 1 AS at, count(*) OVER () AS many
    FROM customers WHERE CompanyId = 1 AND Region = 'Lakes' AND Active = 1)
  INSERT INTO orders (Number, CompanyId, CustomerId, OwnerId, Region, Status, OrderedAt,
    Total, Cost, Reference, CreatedAt, ChangedAt)
  SELECT 'P-' || i, 1, c.Id, NULL, 'Lakes', 'new', '${ORDERED_AT}', 0, 0,
    NULL, '${ORDERED_AT}', '${ORDERED_AT}'
  FROM n JOIN c ON c.at = n.i % c.many`
