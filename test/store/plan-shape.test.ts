/** Which plans may run where there is no deadline. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { openMemory, openNative, prepareNative } from '../../src/store/connection/native.ts'
import { PlanShapes } from '../../src/store/read/plan-shape.ts'
import { temporaryFolder } from '../support/executable.ts'

const database = openMemory()
database.exec(`
CREATE TABLE countries (Code TEXT NOT NULL, Name TEXT, PRIMARY KEY (Code)) STRICT;
CREATE TABLE customers (Id INTEGER PRIMARY KEY, CompanyId INTEGER, Code TEXT, Country TEXT) STRICT;
CREATE UNIQUE INDEX "ux_customers.CompanyId.Code" ON customers (CompanyId, Code);
CREATE TABLE orders (Id INTEGER PRIMARY KEY, CompanyId INTEGER, CustomerId INTEGER, Status TEXT) STRICT;
CREATE INDEX "ix_orders.CompanyId.Status" ON orders (CompanyId, Status);
CREATE TABLE lines (OrderId INTEGER NOT NULL, LineNo INTEGER NOT NULL, Amount REAL,
  PRIMARY KEY (OrderId, LineNo)) STRICT;`)

const shapes = new PlanShapes(database)
const COMPANY = 'WITH orders AS (SELECT * FROM main.orders WHERE CompanyId = @c)\n'
const JOIN = 'SELECT o.Id FROM orders o JOIN customers c ON c.Id = o.CustomerId'

const CASES: [name: string, sql: string, isBounded: boolean][] = [
  ['a point read', 'SELECT * FROM orders WHERE Id = @id', true],
  ['one pass', 'SELECT count(*) FROM orders', true],
  ['a join by key', JOIN, true],
  ['a page of it', `${COMPANY}SELECT json_group_array(Id) FROM (${JOIN} ORDER BY 1 LIMIT 5)`, true],
  ['a label', 'SELECT Id, (SELECT Code FROM customers WHERE Id = CustomerId) FROM orders', true],
  ['a list', 'SELECT Id FROM orders WHERE CustomerId IN (SELECT Id FROM customers)', true],
  ['a text key', 'SELECT c.Id FROM customers c JOIN countries n ON n.Code = c.Country', true],
  [
    'a unique index',
    'SELECT o.Id FROM orders o JOIN customers c ON c.CompanyId = o.CompanyId AND c.Code = o.Status',
    true,
  ],
  ['every row by every row', 'SELECT count(*) FROM orders a, orders b', false],
  [
    'a join by a rare value',
    'SELECT a.Id FROM orders a JOIN orders b USING (CompanyId, Status)',
    false,
  ],
  ['half a key', 'SELECT o.Id FROM orders o LEFT JOIN lines l ON l.OrderId = o.Id', false],
  [
    'a count for each row',
    'SELECT (SELECT count(*) FROM lines l WHERE l.OrderId = o.Id) FROM orders o',
    false,
  ],
  ['inside a list', 'SELECT 1 WHERE 1 IN (SELECT a.Id FROM orders a, orders b)', false],
  ['inside a union', 'SELECT 1 UNION SELECT a.Id FROM orders a, orders b', false],
  ['a range of keys', 'SELECT a.Id FROM orders a JOIN orders b ON b.Id > a.Id', false],
]

test.each(CASES)('%s', (_, sql, expected) => {
  expect(shapes.isBounded(sql)).toBe(expected)
})

const MEETS = `WITH customers AS (SELECT * FROM main.customers WHERE CompanyId = @c)
  UPDATE orders SET Status = (SELECT Code FROM customers WHERE Id = CustomerId) WHERE Id = @id`
const COUNTING = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)'
const ENDLESS = `(${COUNTING} SELECT max(n) FROM r)`
const WRITES: [name: string, sql: string, isBounded: boolean][] = [
  ['an update by key', "UPDATE orders SET Status = 'x' WHERE Id = @id AND Status = 'y'", true],
  ['by a key of two columns', 'UPDATE lines SET Amount = 1 WHERE OrderId = 1 AND LineNo = 2', true],
  ['with what a reference leads to', MEETS, true],
  [
    'with a sum over one table',
    'UPDATE orders SET CompanyId = (SELECT sum(Amount) FROM lines WHERE OrderId = 1) WHERE Id = 1',
    true,
  ],
  ['one row more', 'INSERT INTO lines VALUES (1, 2, 3)', true],
  ['one row or none', 'INSERT OR IGNORE INTO lines VALUES (1, 2, 3)', true],
  [
    'one row or its update',
    'INSERT INTO lines VALUES (1, 2, 3) ON CONFLICT DO UPDATE SET Amount = 3',
    true,
  ],
  ['of a row that a key finds', 'INSERT INTO lines SELECT Id, 1, 2 FROM orders WHERE Id = 1', true],
  ['an update of all rows', "UPDATE orders SET Status = 'x'", false],
  ['of those that a value has', "UPDATE orders SET Status = 'x' WHERE CompanyId = 1", false],
  ['of a range', "UPDATE orders SET Status = 'x' WHERE Id > 5", false],
  ['of a list', 'UPDATE orders SET Status = 1 WHERE Id IN (SELECT OrderId FROM lines)', false],
  ['of keys', 'UPDATE orders SET Status = 1 WHERE Id IN (SELECT Id FROM customers)', false],
  [
    'of given ones',
    'UPDATE orders SET Status = 1 WHERE Id IN (SELECT value FROM json_each(@k))',
    false,
  ],
  ['of half a key', 'UPDATE lines SET Amount = 1 WHERE OrderId = 1', false],
  ['from every row', 'INSERT INTO lines SELECT Id, 1, 2 FROM orders', false],
  [
    'from a union of them',
    'INSERT INTO lines SELECT Id, 1, 2 FROM orders UNION ALL SELECT Id, 2, 2 FROM orders',
    false,
  ],
  [
    'from every row once',
    'INSERT INTO lines SELECT * FROM (SELECT DISTINCT Id, 1, 2 FROM orders)',
    false,
  ],
  ['what replaces', 'INSERT OR REPLACE INTO lines VALUES (1, 2, 3)', false],
  ['what replaces by that word', 'REPLACE INTO lines VALUES (1, 2, 3)', false],
  ['an update that replaces', 'UPDATE OR REPLACE orders SET Id = 2 WHERE Id = 1', false],
  ['a deletion', 'DELETE FROM orders WHERE Id = 1', false],
  ['a query', 'SELECT * FROM orders WHERE Id = 1', false],
  ['what has no end', `UPDATE orders SET CompanyId = ${ENDLESS} WHERE Id = 1`, false],
  [
    'what may have none',
    'UPDATE orders SET CompanyId = (SELECT max(value) FROM json_each(@list)) WHERE Id = 1',
    false,
  ],
]

test.each(WRITES)('a write: %s', (_, sql, expected) => {
  expect(shapes.isBoundedWrite(sql)).toBe(expected)
})

const SEARCHED = openMemory()
SEARCHED.exec(`CREATE TABLE "Of two words" (Id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE customers (Id INTEGER PRIMARY KEY, Code TEXT) STRICT;
CREATE VIRTUAL TABLE svc_search USING fts5(Text);
CREATE UNIQUE INDEX "ux_customers.Code" ON customers (Code)`)

test('a table named by no word is found, beside tables that a virtual one makes', () => {
  const seen = new PlanShapes(SEARCHED)
  expect(seen.isBounded('SELECT count(*) FROM svc_search_data')).toBe(true)
  const joined = 'SELECT a.Id FROM customers c JOIN "Of two words" a ON a.Id = c.Id'
  expect(seen.isBounded(joined)).toBe(true)
  expect(seen.isBounded('SELECT rowid FROM svc_search')).toBe(true)
})

/** Runs work while the pages of the file that hold a text are no pages. */
function whileDamaged<T>(file: string, text: string, work: () => T): T {
  const whole = readFileSync(file)
  const bytes = Buffer.from(whole)
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1))
    bytes.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE)
  writeFileSync(file, bytes)
  try {
    return work()
  } finally {
    writeFileSync(file, whole)
  }
}

const PAGE = 512

test('a schema that cannot be read for a moment leaves no table half known', () => {
  using folder = temporaryFolder()
  const file = `${folder.path}/schema.db`
  const maker = openNative(file, 'rwc')
  maker.exec(`PRAGMA page_size=${PAGE}; CREATE TABLE orders (Id INTEGER PRIMARY KEY, Code TEXT)`)
  for (let at = 0; at < 20; at++) maker.exec(`CREATE TABLE filler${at} (Id INTEGER, Name TEXT)`)
  maker.exec('CREATE UNIQUE INDEX "ux_orders.Code" ON orders (Code)')
  maker.close()
  const reader = openNative(file, 'ro')
  const seen = new PlanShapes(reader)
  const byCode = 'FROM orders a JOIN orders b ON b.Code = a.Code'
  const write = "UPDATE orders SET Id = 2 WHERE Code = 'A'"
  whileDamaged(file, 'ux_orders', () => {
    reader.exec('PRAGMA shrink_memory')
    expect(() => seen.isBounded(`SELECT a.Id ${byCode}`)).toThrow('malformed')
    expect(() => seen.isBoundedWrite(write)).toThrow('malformed')
  })
  reader.exec('PRAGMA shrink_memory')
  expect(seen.isBounded(`SELECT a.Id ${byCode}`)).toBe(true)
  expect(seen.isBoundedWrite(write)).toBe(true)
  reader.close()
})

test('asking for a plan leaves the connection free to see what is written next', () => {
  using folder = temporaryFolder()
  const file = `${folder.path}/plan.db`
  const writer = openNative(file, 'rwc')
  writer.exec(`PRAGMA journal_mode=WAL; CREATE TABLE t (Id INTEGER PRIMARY KEY, A TEXT, B TEXT);
    CREATE UNIQUE INDEX "ux_t.A" ON t (A); INSERT INTO t VALUES (1, 'a', 'b')`)
  const reader = openNative(file, 'ro')
  expect(new PlanShapes(reader).isBounded('SELECT * FROM t a JOIN t b ON b.A = a.B')).toBe(true)
  writer.exec("INSERT INTO t VALUES (2, 'c', 'd')")
  expect([...prepareNative(reader, 'SELECT count(*) FROM t').iterate({})]).toEqual([[2]])
  reader.close()
  writer.close()
})
