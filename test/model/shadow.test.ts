import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Database from 'libsql'
import { openGate, type SqlGate } from '../../src/store/gate/gate.ts'
import type { AuthoredSql } from '../../src/model/compiled/authored-sql.ts'
import { composeWrite, planShadows, withShadows } from '../../src/model/sql/shadow.ts'
import { JAIL_MODEL, planTables } from '../store/gate-entities.ts'
import { GATE_DDL } from '../store/gate-jail.ts'

const ORDERS = 'orders AS (SELECT * FROM main.orders WHERE CompanyId = @CurrentCompanyId)'

describe('planShadows', () => {
  test('tables with a tenant column, each once, whatever their case', () => {
    expect(planShadows(JAIL_MODEL, ['Orders', 'orders', 'cities'], 'company')).toEqual([ORDERS])
  })

  test('names that are no plain words are quoted', () => {
    const model = planTables({ Order: 'Group', 'a b': 'CompanyId' })
    expect(planShadows(model, ['order', 'A B'], 'company')).toEqual([
      '"Order" AS (SELECT * FROM main."Order" WHERE "Group" = @CurrentCompanyId)',
      '"a b" AS (SELECT * FROM main."a b" WHERE CompanyId = @CurrentCompanyId)',
    ])
  })

  test('a name that SQLite would read as something else is quoted', () => {
    const db = new Database(':memory:')
    for (const word of 'cast current_date group order raise recursive true values'.split(' ')) {
      db.exec(`CREATE TABLE "${word}" ("${word}" INTEGER); INSERT INTO "${word}" VALUES (1), (2)`)
      const shadows = planShadows(planTables({ [word]: word }), [word], 'company')
      const rows = db.prepare(`${withShadows(shadows)}SELECT * FROM "${word}"`).raw(true)
      expect(rows.all({ CurrentCompanyId: 2 })).toEqual([[2]])
    }
    db.close()
  })

  test('every company: tables as they are, engine tables with their published columns', () => {
    expect(planShadows(JAIL_MODEL, ['orders', 'svc_companies'], 'all')).toEqual([
      'svc_companies AS (SELECT Id, Code, Name, TimeZone FROM main.svc_companies)',
    ])
  })

  test('a table that could not be held is no silent hole', () => {
    expect(() => planShadows(JAIL_MODEL, ['svc_keys'], 'company')).toThrow('svc_keys')
    expect(() => planShadows(JAIL_MODEL, ['other'], 'all')).toThrow('other')
  })

  test('withShadows', () => {
    expect(withShadows([])).toBe('')
    expect(withShadows(['a AS (SELECT 1)', 'b AS (SELECT 2)'])).toBe(
      'WITH a AS (SELECT 1), b AS (SELECT 2)\n',
    )
  })
})

describe('in SQLite', () => {
  const db = new Database(':memory:')
  let gate: SqlGate

  beforeAll(async () => {
    gate = await openGate(GATE_DDL)
    for (const statement of GATE_DDL) db.exec(statement)
    db.exec(`
      INSERT INTO customers (Id, CompanyId, Name) VALUES (1, 1, 'own'), (2, 2, 'other');
      INSERT INTO orders (Id, CompanyId, CustomerId, Status)
        VALUES (1, 1, 1, 'new'), (2, 2, 2, 'new');
      INSERT INTO svc_users
        VALUES (1, 'ana', 'Ana', NULL, 1), (2, 'cy', 'Cy', NULL, 1), (3, 'bo', 'Bo', NULL, 1);
      INSERT INTO svc_companies VALUES (1, 'ONE', 'One', 'UTC'), (2, 'TWO', 'Two', 'UTC');
      INSERT INTO svc_user_companies VALUES (1, 1), (2, 2), (3, 1), (3, 2);
      INSERT INTO svc_user_roles
        VALUES (1, 'Clerk', 1), (2, 'Clerk', 2), (3, 'Lead', 2), (3, 'Guest', NULL);`)
  })

  afterAll(() => {
    gate.close()
    db.close()
  })

  const head = (tables: readonly string[]): string =>
    withShadows(planShadows(JAIL_MODEL, tables, 'company'))

  const rows = (text: string, company = 1): unknown[] => {
    const { reads } = gate.read(text, head)
    return db
      .prepare(`${head(reads)}SELECT * FROM (\n${text}\n)`)
      .raw(true)
      .all({ CurrentCompanyId: company })
  }

  const write = (text: string): unknown[] => {
    const facts = gate.write(text, head)
    const sql: AuthoredSql = { text, place: { file: 'a.xml', line: 1, column: 1 }, ...facts }
    const shadows = planShadows(JAIL_MODEL, sql.reads, 'company')
    db.exec('BEGIN')
    try {
      return db.prepare(composeWrite(sql, shadows)).raw(true).all({ CurrentCompanyId: 1 })
    } finally {
      db.exec('ROLLBACK')
    }
  }

  test.each([
    ['SELECT Id FROM orders', [[1]]],
    ['SELECT Id FROM "Orders"', [[1]]],
    ["SELECT Id FROM 'orders'", [[1]]],
    ['SELECT o.Id FROM cities RIGHT JOIN orders o', [[1]]],
    ["SELECT o.Id FROM (SELECT 1), 'orders' o", [[1]]],
    ['SELECT (SELECT count(*) FROM orders) AS n', [[1]]],
    ['SELECT 2 IN (SELECT Id FROM orders) AS n', [[0]]],
    [
      `WITH RECURSIVE r(i) AS (SELECT Id FROM orders UNION SELECT Id FROM r, orders)
        SELECT i FROM r`,
      [[1]],
    ],
    ['SELECT c.Name FROM orders o LEFT JOIN customers c ON c.Id = 2', [[null]]],
    ['SELECT Id FROM customers NOT INDEXED', [[1]]],
    ['SELECT Id FROM svc_users ORDER BY Id', [[1], [3]]],
    ['SELECT Code FROM svc_companies', [['ONE']]],
    [
      'SELECT UserId, Role FROM svc_user_roles ORDER BY 1',
      [
        [1, 'Clerk'],
        [3, 'Guest'],
      ],
    ],
  ])('company 1 reads: %s', (text, expected) => {
    expect(rows(text)).toEqual(expected)
  })

  test('without a company nothing is read', () => {
    expect(rows('SELECT Id FROM orders', 0)).toEqual([])
  })

  test.each([
    ['WITH a AS (SELECT Id FROM orders) UPDATE cities SET Name = 1 WHERE Id IN a RETURNING Id', []],
    ['INSERT INTO cities (Id) SELECT Id FROM orders RETURNING Id', [[1]]],
    [
      'INSERT INTO cities (Name) VALUES (1) RETURNING (SELECT group_concat(Id) FROM orders)',
      [['1']],
    ],
    [
      `INSERT INTO cities (Id) VALUES (8), (8)
        ON CONFLICT DO UPDATE SET Name = (SELECT count(*) FROM orders) RETURNING Name`,
      [[null], ['1']],
    ],
    [
      `WITH RECURSIVE n(i) AS (SELECT max(Id) FROM orders UNION SELECT i FROM n)
        INSERT INTO cities (Id) SELECT i FROM n RETURNING Id`,
      [[1]],
    ],
    ['INSERT INTO orders (Id, CompanyId) SELECT Id + 10, 1 FROM orders RETURNING Id', [[11]]],
  ])('what a write reads is held: %s', (text, expected) => {
    expect(write(text)).toEqual(expected)
  })

  test('the target of a write is not: that is what the triggers of the store are for', () => {
    expect(write('UPDATE orders SET Note = 1 RETURNING Id')).toEqual([[1], [2]])
    expect(write('DELETE FROM orders WHERE Id IN (SELECT Id FROM orders) RETURNING Id')).toEqual([
      [1],
    ])
    expect(write('UPDATE orders SET Note = o.Id FROM orders o RETURNING orders.Id, Note')).toEqual([
      ...[
        [1, '1'],
        [2, '1'],
      ],
    ])
  })

  test('SQLite flattens the shadows and takes the index of the company', () => {
    const plan = gate.explain(
      `SELECT o.Id, c.Name FROM orders o LEFT JOIN customers c ON c.Name = o.Note
        WHERE o.Status = 'new'`,
      head,
    )
    expect(plan).toEqual([
      'SEARCH main.orders USING INDEX orders_company (CompanyId=? AND Status=?)',
      'SEARCH main.customers USING COVERING INDEX customers_company' +
        ' (CompanyId=? AND Name=?) LEFT-JOIN',
    ])
  })
})
