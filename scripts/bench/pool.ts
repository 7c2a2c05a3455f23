/** New orders of the user's region and company, for what changes and takes them away. */

/** The most of them. */
export const POOL = 4000

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
  SELECT 'P-' || i, 1, c.Id, NULL, 'Lakes', 'new', '2020-01-01T00:00:00.000Z', 0, 0,
    NULL, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z'
  FROM n JOIN c ON c.at = n.i % c.many`
