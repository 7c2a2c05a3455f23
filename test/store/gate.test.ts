import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SqlFault } from '../../src/store/gate/fault.ts'
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

/** Statements as models have them first, then what authors write elsewhere. */
const READS: [string, Expected][] = [
  [
    'SELECT coalesce(sum(Quantity * Price), 0) FROM order_lines WHERE OrderId = @Id',
    { parameters: ['Id'], reads: ['order_lines'], columns: ['coalesce(sum(Quantity * Price), 0)'] },
  ],
  [
    'SELECT @Total <= CreditLimit FROM customers WHERE Id = @CustomerId',
    { parameters: ['Total', 'CustomerId'], reads: ['customers'] },
  ],
  [QUERY, { reads: ['orders', 'customers'] }],
  [
    'SELECT Id AS Value, Name AS Label FROM cities WHERE CountryId = @CountryId',
    { parameters: ['CountryId'], reads: ['cities'], columns: ['Value', 'Label'] },
  ],
  [
    `SELECT UserName, (SELECT group_concat(Role, ', ') FROM svc_user_roles r WHERE r.UserId = u.Id)
      AS Roles, (SELECT Code FROM svc_companies) AS Company FROM svc_users u WHERE u.Active`,
    { reads: ['svc_user_roles', 'svc_companies', 'svc_users'] },
  ],
  [
    `SELECT Id, row_number() OVER w AS Place, lag(Total, 1, 0) OVER w AS Before,
      sum(Total) OVER (PARTITION BY Status ORDER BY Id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
      AS Running,
      count(*) FILTER (WHERE Status = 'new') OVER (PARTITION BY CustomerId) AS New
      FROM orders WINDOW w AS (PARTITION BY CustomerId ORDER BY OrderedAt DESC)`,
    { columns: ['Id', 'Place', 'Before', 'Running', 'New'] },
  ],
  [
    `WITH big AS (SELECT * FROM orders WHERE Total > @Min), per(CustomerId, n) AS MATERIALIZED
      (SELECT CustomerId, count(*) FROM big GROUP BY 1 HAVING count(*) > 1)
      SELECT c.Name, per.n FROM per JOIN customers c ON c.Id = per.CustomerId`,
    { parameters: ['Min'], reads: ['orders', 'customers'], mayRunInline: true },
  ],
  [
    `WITH RECURSIVE days(d) AS (SELECT @MonthStart UNION ALL SELECT date(d, '+1 day') FROM days
      WHERE d < @Today) SELECT d, count(o.Id) AS n FROM days LEFT JOIN orders o ON o.DueOn = d
      GROUP BY d`,
    { parameters: ['MonthStart', 'Today'], reads: ['orders'], mayRunInline: false },
  ],
  [
    'WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n',
    { reads: [], mayRunInline: false },
  ],
  [
    `SELECT j.key, j.value ->> '$.name' AS name
      FROM orders o, json_each(o.Note) j, json_tree(@Tree) t`,
    { parameters: ['Tree'], reads: ['orders'] },
  ],
  ['SELECT Id FROM orders WHERE Status IN (SELECT value FROM json_each(@Statuses))', {}],
  ["SELECT 'admin' IN (SELECT value FROM json_each(@CurrentRoles)) AS IsAdmin", { reads: [] }],
  [
    `SELECT strftime('%Y-%m', OrderedAt) AS Month, date(DueOn, 'start of month') AS First,
      julianday(@Now) - julianday(OrderedAt) AS Age,
      datetime(@Now, @UtcOffsetMinutes || ' minutes') AS Local FROM orders`,
    { parameters: ['Now', 'UtcOffsetMinutes'] },
  ],
  [
    `SELECT CASE Status WHEN 'new' THEN 1 WHEN ('x') THEN 2 ELSE (3) END AS s,
      CAST(Total AS INTEGER) AS t,
      CAST(Number AS DECIMAL(10, 2)) AS d, iif(Total > 5, 'many', 'few') AS f FROM orders`,
    {},
  ],
  [
    `SELECT printf('%05d', Id) AS a, format('%.2f %% of %s', Total, Number) AS b, char(13, 10) AS c,
      replace(lower(trim(Note)), 'a', 'b') AS d, substr(Note, 1, 3) AS e, instr(Note, 'x') AS f
      FROM orders`,
    {},
  ],
  ["SELECT Id FROM orders WHERE Note LIKE '%' || @q || '%' ESCAPE '\\' OR Note GLOB 'a*'", {}],
  [
    'SELECT Id FROM orders WHERE (Status, Id) IN (VALUES (@a, 1), (@b, 2))',
    { parameters: ['a', 'b'] },
  ],
  [
    'SELECT Id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM order_lines l WHERE l.OrderId = o.Id)',
    { reads: ['orders', 'order_lines'] },
  ],
  ['WITH few AS (SELECT 1) SELECT Id FROM orders WHERE CustomerId IN few', {}],
  ['SELECT Id FROM orders UNION SELECT Id FROM customers EXCEPT SELECT 1 ORDER BY 1 LIMIT 3', {}],
  ['SELECT "orders"."Id" AS [the key], `Number` FROM "orders"', { columns: ['the key', 'Number'] }],
  [
    'SELECT o.Id FROM orders o LEFT JOIN customers c ON c.Id = o.CustomerId',
    { reads: ['orders', 'customers'] },
  ],
  [
    'SELECT Id FROM orders WHERE 0 AND EXISTS (SELECT 1 FROM cities)',
    { reads: ['orders', 'cities'] },
  ],
  [
    'SELECT o.Id FROM (orders o CROSS JOIN cities), (SELECT 1 AS x)',
    { reads: ['orders', 'cities'] },
  ],
  ['SELECT Id FROM orders NOT INDEXED', { reads: ['orders'] }],
  ['VALUES (1, @Id)', { columns: ['column1', 'column2'], parameters: ['Id'] }],
  ['SELECT 1 AS x -- the end', { columns: ['x'] }],
  ['/* why */ SELECT @Id AS a, @Id AS b', { parameters: ['Id'] }],
  ["SELECT 'DROP TABLE orders; --' AS x, ';' AS y, 'fsdir' AS z, \"Number\" FROM orders", {}],
  ["SELECT Id FROM orders WHERE Status IN ('new', 'orders')", { reads: ['orders'] }],
  [
    'SELECT sum(Total) AS total FROM orders GROUP BY Status HAVING sum(Total) > 0',
    { columns: ['total'] },
  ],
  [
    `SELECT json_group_array(json_object('id', Id, 'n', Number)) AS list, min(Total), max(Total),
      avg(Total), round(sqrt(abs(Total)), 2) FROM orders`,
    { reads: ['orders'] },
  ],
  ['SELECT count(*) FROM orders', { columns: ['count(*)'] }],
]

const byName = (columns: readonly { name: string }[]): string[] => columns.map(({ name }) => name)

describe('what passes, and what is known of it', () => {
  test.each(READS)('reads: %s', (text, expected) => {
    const facts = gate.read(text)
    const { columns, ...others } = expected
    expect(facts).toMatchObject({ writes: [], withAt: undefined, ...others })
    if (columns) expect(byName(facts.columns)).toEqual(columns)
  })

  test('columns tell where they come from', () => {
    const { columns } = gate.read(QUERY)
    expect(columns.find(({ name }) => name === 'Customer')).toEqual({
      name: 'Customer',
      table: 'customers',
      column: 'Name',
    })
    expect(columns.find(({ name }) => name === 'Margin')).toEqual({
      name: 'Margin',
      table: undefined,
      column: undefined,
    })
  })

  test('two columns of one name, where names do not matter', () => {
    expect(gate.read('SELECT 1, 1', undefined, { namesMayRepeat: true }).columns).toHaveLength(2)
  })

  test('the verb tells reads from writes', () => {
    expect(gate.isWrite('WITH a AS (SELECT 1) DELETE FROM orders')).toBe(true)
    expect(gate.isWrite('WITH a AS (SELECT 1) SELECT * FROM a')).toBe(false)
  })

  test('the plan of a statement behind its shadows', () => {
    const shadow = (): string => 'WITH cities AS (SELECT * FROM main.cities WHERE CountryId = 1)\n'
    expect(gate.explain('SELECT Name FROM cities WHERE Id = 3', shadow)).toEqual([
      'SEARCH main.cities USING INTEGER PRIMARY KEY (rowid=?)',
    ])
    expect(gate.explain('DELETE FROM orders WHERE Id IN (SELECT Id FROM cities)')).toEqual([
      'SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)',
      'USING ROWID SEARCH ON TABLE cities FOR IN-OPERATOR',
    ])
  })

  test('a shadow that does not compile is a fault', () => {
    expect(() =>
      gate.read('SELECT Name FROM cities', () => 'WITH cities AS (SELECT 1 AS x)\n'),
    ).toThrow(SqlFault)
  })
})

/** Statement with the place of the fault between ‹ ›, and the message. */
const PLACES: [string, string][] = [
  ['SELECT ‹›Totl FROM orders', 'No column is named Totl here; the nearest is Total'],
  ['SELECT Id, o.‹›Totl FROM orders o', 'No column is named o.Totl here; the nearest is Total'],
  ['SELECT Id FROM ‹›ordrs', 'No table is named ordrs; the nearest is orders'],
  ['SELECT Id, Number ‹›Status Note FROM orders', '"Note" is not expected here'],
  ['SELECT Id FROM orders WHERE‹›', 'The statement ends too early'],
  ['SELECT ‹›uper(1)', 'The function uper is not available; the nearest is upper'],
  [
    'SELECT ‹›Id FROM orders o JOIN customers c ON c.Id = o.CustomerId',
    'Several tables have a column Id: write the table or its alias before it',
  ],
]

describe('faults say what to do, and where', () => {
  test.each(PLACES)('%s', (marked, message) => {
    const text = marked.replace('‹›', '')
    let fault: unknown
    try {
      gate.read(text)
    } catch (error) {
      fault = error
    }
    if (!(fault instanceof SqlFault)) throw new Error('it passed the gate')
    expect(fault.message).toBe(message)
    const offset = message.includes('"Note"') ? text.indexOf('Note') : marked.indexOf('‹›')
    expect(fault.offset).toBe(offset)
  })

  test('the token at which SQLite stops, not one like it before', () => {
    try {
      gate.read('SELECT (Id) AS x, (SELECT Id FRM orders) FROM orders')
    } catch (error) {
      expect(error instanceof SqlFault && [error.message, error.offset]).toEqual([
        ...['"orders" is not expected here; did you mean FROM?', 33],
      ])
    }
  })
})
