import { expect, test } from 'bun:test'
import type { Store } from '../../src/store/store.ts'
import { ALL, failureOf, openShop, rows } from './temporary.ts'

const authored = (store: Store, sql: string, company: 1 | 'all' = 1) =>
  store.write((tx) => tx.authored(sql), company === 'all' ? ALL : { company })

const others = (store: Store) => rows(store, 'SELECT * FROM orders WHERE CompanyId = 2')
const ids = (store: Store) => rows(store, 'SELECT Id FROM orders ORDER BY Id')

test('an authored update without a condition touches the own company alone', async () => {
  await using shop = await openShop()
  const before = await others(shop.store)
  expect(await authored(shop.store, "UPDATE orders SET Number = 'X', Total = 9")).toEqual({
    rows: [],
    changes: 2,
  })
  expect(await others(shop.store)).toEqual(before)
  expect((await authored(shop.store, 'UPDATE orders SET Total = 1', 'all')).changes).toBe(3)
})

test('an authored delete without a condition deletes the own company alone', async () => {
  await using shop = await openShop()
  expect((await authored(shop.store, 'DELETE FROM orders')).changes).toBe(2)
  expect(await ids(shop.store)).toEqual([{ Id: 3 }])
  expect(await rows(shop.store, 'SELECT OrderId FROM order_lines')).toEqual([{ OrderId: 3 }])
})

test('rows returned by an authored statement are those that it changed', async () => {
  await using shop = await openShop()
  expect(await authored(shop.store, 'DELETE FROM orders RETURNING Id')).toEqual({
    rows: [{ Id: 1 }, { Id: 2 }],
    changes: 2,
  })
})

test.each([
  ['an insert', "INSERT INTO orders (Number, CompanyId) VALUES ('N', 2)", 'company:Order'],
  [
    'an insert of no company',
    "INSERT INTO customers (Name, CompanyId) VALUES ('N', NULL)",
    'company:Customer',
  ],
  ['a move', 'UPDATE orders SET CompanyId = 2', 'company:Order'],
  ['a reference', 'UPDATE orders SET CustomerId = 3', 'reference:Order.CustomerId'],
  [
    'an insert with a reference',
    'INSERT INTO orders (CustomerId, CompanyId) VALUES (3, 1)',
    'reference:Order.CustomerId',
  ],
])('%s into another company is refused', async (_, sql, text) => {
  await using shop = await openShop()
  expect(await failureOf(authored(shop.store, sql))).toMatchObject({
    name: 'SqlError',
    constraint: { kind: 'guard', text },
  })
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM orders WHERE CompanyId = 1')).toEqual([
    { n: 2 },
  ])
})

test('not even engine work moves a record or refers across companies', async () => {
  await using shop = await openShop()
  const move = authored(shop.store, 'UPDATE orders SET CompanyId = 2 WHERE Id = 1', 'all')
  expect(await failureOf(move)).toMatchObject({ constraint: { text: 'company:Order' } })
  const refer = authored(shop.store, 'UPDATE orders SET CustomerId = 3 WHERE Id = 1', 'all')
  expect(await failureOf(refer)).toMatchObject({
    constraint: { text: 'reference:Order.CustomerId' },
  })
})

test('an upsert that meets a row of another company changes nothing', async () => {
  await using shop = await openShop()
  const before = await others(shop.store)
  const upsert = `INSERT INTO orders (Id, Number, CompanyId) VALUES (3, 'mine', 1)
    ON CONFLICT (Id) DO UPDATE SET Number = excluded.Number`
  expect((await authored(shop.store, upsert)).changes).toBe(0)
  expect(await others(shop.store)).toEqual(before)
})

test('companies of one group do not mix, also after a member failed', async () => {
  await using shop = await openShop()
  const set = (company: number, fails: boolean) =>
    shop.store.write(
      async (tx) => {
        const { changes } = await tx.authored('UPDATE orders SET Number = @n', { n: `c${company}` })
        if (fails) throw new Error('no')
        return changes
      },
      { company },
    )
  const outcomes = await Promise.allSettled([
    set(1, false),
    set(2, true),
    set(2, false),
    set(1, true),
  ])
  expect(outcomes.map((outcome) => outcome.status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ])
  expect(await rows(shop.store, 'SELECT Number FROM orders ORDER BY Id')).toEqual([
    { Number: 'c1' },
    { Number: 'c1' },
    { Number: 'c2' },
  ])
})

test('a broken rule of a table tells which one', async () => {
  await using shop = await openShop()
  const fails = async (sql: string) => await failureOf(authored(shop.store, sql))
  expect(await fails("INSERT INTO customers (Name, CompanyId) VALUES ('Oak', 1)")).toMatchObject({
    kind: 'validation',
    code: 'UNIQUE',
    constraint: { kind: 'unique', columns: ['customers.CompanyId', 'customers.Name'] },
  })
  expect(await fails('INSERT INTO customers (Name, CompanyId) VALUES (NULL, 1)')).toMatchObject({
    constraint: { kind: 'notNull', columns: ['customers.Name'] },
  })
  expect(await fails('INSERT INTO orders (CustomerId, CompanyId) VALUES (99, 1)')).toMatchObject({
    constraint: { kind: 'guard', text: 'reference:Order.CustomerId' },
  })
  expect(await fails('UPDATE orders SET Total = -1')).toMatchObject({
    constraint: { kind: 'check' },
  })
})

test('public sentences tell nothing of SQL', async () => {
  await using shop = await openShop()
  const failing = [
    "INSERT INTO customers (Name, CompanyId) VALUES ('Oak', 1)",
    'UPDATE orders SET Total = -1',
    'INSERT INTO orders (CustomerId, CompanyId) VALUES (99, 1)',
    "UPDATE orders SET Number = json_extract('{', '$')",
    'UPDATE nowhere SET Number = 1',
  ]
  for (const sql of failing) {
    const { message } = await failureOf(authored(shop.store, sql))
    expect(message).not.toMatch(/orders|customers|nowhere|SQL|json|constraint|Oak/i)
  }
  await failureOf(shop.store.write((tx) => tx.run('UPDATE orders SET Total = -1'), ALL))
})
