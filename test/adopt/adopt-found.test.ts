/** References and pairs that no foreign key declares: found where every value bears them out. */
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { CommandHome } from './command.ts'
import { insertRows, makeSource } from './sources.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const FOUND = `
CREATE TABLE Customers (CustomerID TEXT PRIMARY KEY, Name TEXT);
${insertRows('Customers', 8, (at) => [`C${at}`, `Customer ${at}`])}
CREATE TABLE Orders (OrderID INTEGER PRIMARY KEY, CustomerID TEXT, BillingCustomerID TEXT, EmployeeID INTEGER,
  ShipperID INTEGER, tag_id INTEGER, level INTEGER, orders INTEGER, Code TEXT);
${insertRows('Orders', 20, (at) => [at, `C${(at % 8) + 1}`, at % 2 ? '' : `C${(at % 8) + 1}`, (at % 3) + 1, (at % 9) + 1, at < 3 ? at : null, (at % 5) + 1, 1, `C${(at % 8) + 1}`])}
CREATE TABLE Employees (EmployeeID INTEGER PRIMARY KEY, Name TEXT, parent_id INTEGER);
${insertRows('Employees', 9, (at) => [at, `Employee ${at}`, at === 1 ? null : Math.ceil(at / 3)])}
CREATE TABLE Shippers (ShipperID INTEGER PRIMARY KEY, Name TEXT);
${insertRows('Shippers', 8, (at) => [at, `Shipper ${at}`])}
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
${insertRows('tag', 6, (at) => [at, `Tag ${at}`])}
CREATE TABLE level (id INTEGER PRIMARY KEY, name TEXT);
${insertRows('level', 5, (at) => [at, `Level ${at}`])}
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE clients (id INTEGER PRIMARY KEY, name TEXT);
${insertRows('client', 6, (at) => [at, `Client ${at}`])}${insertRows('clients', 6, (at) => [at, `C ${at}`])}
CREATE TABLE visits (id INTEGER PRIMARY KEY, client_id INTEGER, tag INTEGER, is_tag BOOLEAN, orderid INTEGER);
${insertRows('visits', 12, (at) => [at, (at % 6) + 1, (at % 6) + 1, 1, at])}
CREATE TABLE orders_tags_link (id INTEGER PRIMARY KEY, "order" INTEGER NOT NULL, tag INTEGER NOT NULL);
${insertRows('orders_tags_link', 12, (at) => [at, at, (at % 6) + 1])}
CREATE TABLE doubled (order_id INTEGER, tag_id INTEGER);
${insertRows('doubled', 12, (at) => [(at % 3) + 1, (at % 3) + 1])}
`

test('references and lists of pairs are found in the data, and told', async () => {
  makeSource(home.path('found.db'), FOUND)
  const adopted = await home.run('adopt', 'found.db', '--data', 'found')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  // Not the code of another's, the count of orders, two rows, nine shippers of eight, or client(s).
  expect(adopted.lines.filter((line) => line.startsWith('found '))).toMatchInlineSnapshot(`
    [
      "found    Orders.CustomerID: refers to Customers: its 20 values are keys there, with no foreign key",
      "found    Orders.BillingCustomerID: refers to Customers: its 10 values are keys there, with no foreign key",
      "found    Orders.EmployeeID: refers to Employees: its 20 values are keys there, with no foreign key",
      "found    Employees.parent_id: refers to Employees: its 8 values are keys there, with no foreign key",
      "found    visits.tag: refers to tag: its 12 values are keys there, with no foreign key",
      "found    visits.orderid: refers to Orders: its 12 values are keys there, with no foreign key",
      "found    orders_tags_link.order: refers to Orders: its 12 values are keys there, with no foreign key",
      "found    orders_tags_link.tag: refers to tag: its 12 values are keys there, with no foreign key",
      "found    doubled.order_id: refers to Orders: its 12 values are keys there, with no foreign key",
      "found    doubled.tag_id: refers to tag: its 12 values are keys there, with no foreign key",
      "found    orders_tags_link: none of its 12 pairs comes twice: they are lists of either side",
    ]
  `)
  const model = (name: string) => readFileSync(home.path('found-model', `${name}.xml`), 'utf8')
  expect(model('orders')).toContain('References="Customer"')
  expect(model('orders')).toContain('<Field Name="Tags" Multiple="true" Through="OrdersTagsLink"/>')
  expect(model('tags')).toContain('<Field Name="Orders" Multiple="true" Through="OrdersTagsLink"/>')
  expect(model('employees')).toContain('Parent="parent_id"')
  for (const words of [['found-model'], ['--data', 'found']]) {
    const checked = await home.run('check', ...words)
    expect([checked.exitCode, checked.err]).toEqual([0, ''])
  }
})

test('an empty text is no value, but in a key', async () => {
  makeSource(
    home.path('empty.db'),
    `PRAGMA foreign_keys=OFF; CREATE TABLE kinds (code TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
     INSERT INTO kinds VALUES ('', 'None'), ('a', ''), ('b', 'B');
     CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT REFERENCES kinds (code), note TEXT,
       state TEXT CHECK (state IN ('', 'new')), other TEXT REFERENCES names (code));
     CREATE TABLE names (code TEXT PRIMARY KEY); INSERT INTO names VALUES ('n');
     INSERT INTO things VALUES (1, '', '', '', ''), (2, 'a', ' ', 'new', 'n');`,
  )
  const adopted = await home.run('adopt', 'empty.db', '--data', 'empty')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  expect(home.read('empty', 'SELECT * FROM things ORDER BY id')).toEqual([
    { id: 1, kind: '', note: null, state: null, other: null },
    { id: 2, kind: 'a', note: ' ', state: 'new', other: 'n' },
  ])
  expect(home.read('empty', 'SELECT * FROM kinds ORDER BY code')).toEqual([
    { code: '', name: 'None' },
    { code: 'a', name: null },
    { code: 'b', name: 'B' },
  ])
  const model = readFileSync(home.path('empty-model', 'things.xml'), 'utf8')
  expect(model).toContain('<Column Name="other" References="Name"/>')
  expect(model).not.toContain('<Option Value=""/>')
  expect(adopted.lines).toContain(
    'changed  things.note: 1 value: blank text, which is no value here ("" became no value)',
  )
})
