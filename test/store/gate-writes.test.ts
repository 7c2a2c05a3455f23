import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openGate, type SqlGate } from '../../src/store/gate/gate.ts'
import { GATE_DDL } from './gate-jail.ts'

let gate: SqlGate

beforeAll(async () => {
  gate = await openGate(GATE_DDL)
})

afterAll(() => gate.close())

interface Expected {
  parameters?: string[]
  reads?: string[]
  writes?: string[]
  columns?: string[]
  mayRunInline?: boolean
}

const QUERY = `SELECT o.*, c.Name AS Customer, c.Region, c.Email, o.Total - o.Cost AS Margin
  FROM orders o JOIN customers c ON c.Id = o.CustomerId`

const WRITES: [string, Expected & { withAt?: number }][] = [
  [
    "UPDATE orders SET Status = 'approved' WHERE Id = @Id AND Status = 'new'",
    { parameters: ['Id'], reads: [], writes: ['orders'], columns: [] },
  ],
  [
    `INSERT INTO orders (Number, CompanyId) VALUES (@Next_OrderNumber, @CurrentCompanyId)
      RETURNING Id`,
    {
      reads: [],
      writes: ['orders'],
      columns: ['Id'],
      parameters: ['Next_OrderNumber', 'CurrentCompanyId'],
    },
  ],
  [
    `INSERT INTO customers AS c (Code, Name) SELECT Number, Note FROM orders WHERE true
      ON CONFLICT (Id) DO UPDATE SET Name = excluded.Name WHERE c.Active RETURNING Id, Name`,
    { reads: ['orders'], writes: ['customers'], columns: ['Id', 'Name'] },
  ],
  ['INSERT OR IGNORE INTO cities DEFAULT VALUES', { reads: [], writes: ['cities'] }],
  ['DELETE FROM order_lines', { reads: [], writes: ['order_lines'] }],
  [
    `DELETE FROM order_lines WHERE OrderId IN (SELECT Id FROM orders WHERE Status = @s)
      RETURNING Id`,
    { reads: ['orders'], writes: ['order_lines'] },
  ],
  [
    `WITH a(x) AS (SELECT Id FROM customers), b AS (SELECT 1)
      UPDATE orders SET Total = 0 WHERE CustomerId IN a`,
    { reads: ['customers'], writes: ['orders'], withAt: 5 },
  ],
  [
    `/* why */ WITH /* and */ RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
      INSERT INTO order_lines (OrderId, Quantity) SELECT @Id, i FROM n`,
    { reads: [], writes: ['order_lines'], mayRunInline: false, withAt: 35 },
  ],
  [
    `UPDATE orders SET (Total, Cost) =
      (SELECT sum(Price), 0 FROM order_lines WHERE OrderId = orders.Id)`,
    { reads: ['order_lines'], writes: ['orders'] },
  ],
  [
    'UPDATE orders AS o SET Note = c.Name FROM customers c WHERE c.Id = o.CustomerId',
    { reads: ['customers'], writes: ['orders'] },
  ],
  [
    'UPDATE orders SET Total = (SELECT max(Total) FROM orders)',
    { reads: ['orders'], writes: ['orders'] },
  ],
  [
    `UPDATE "orders" SET "Note" = @n, OrderedAt = @Now
      RETURNING (SELECT count(*) FROM cities) AS n`,
    { reads: ['cities'], writes: ['orders'], columns: ['n'] },
  ],
]

const CONDITIONS: [string, Expected][] = [
  ["Status = 'new'", {}],
  ['Region = @User_Region', { parameters: ['User_Region'] }],
  ["Status <> 'approved' -- any more", {}],
  ['Margin > 0 AND (Total IS NULL OR Total > 1000)', {}],
  [
    'OwnerId = @CurrentUserId OR EXISTS (SELECT 1 FROM svc_user_roles WHERE UserId = OwnerId)',
    { parameters: ['CurrentUserId'], reads: ['svc_user_roles'] },
  ],
  ['CustomerId IN (SELECT Id FROM customers WHERE Active)', { reads: ['customers'] }],
  ["'Sales' IN (SELECT value FROM json_each(@CurrentRoles))", { parameters: ['CurrentRoles'] }],
  ['(SELECT max(Id) FROM cities) = CityId', { reads: ['cities'] }],
  [
    'Id IN (WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 3) SELECT i FROM r)',
    { mayRunInline: false },
  ],
  ['1', {}],
]

const byName = (columns: readonly { name: string }[]): string[] => columns.map(({ name }) => name)

describe('what passes, and what is known of it', () => {
  test.each(WRITES)('writes: %s', (text, expected) => {
    const facts = gate.write(text)
    const { columns, withAt, ...others } = expected
    expect(facts).toMatchObject({ mayRunInline: true, ...others })
    expect(facts.withAt).toBe(withAt)
    if (columns) expect(byName(facts.columns)).toEqual(columns)
  })

  test.each(CONDITIONS)('conditions: %s', (text, expected) => {
    expect(gate.condition(text, QUERY)).toEqual({
      parameters: [],
      reads: [],
      mayRunInline: true,
      ...expected,
    })
  })
})
