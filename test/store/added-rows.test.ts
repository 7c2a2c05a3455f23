/** Rows that are added together: what the watch and foreign keys refuse is refused all the same. */
import { expect, test } from 'bun:test'
import type { Tx } from '../../src/store/store.ts'
import { AddedRowsRefused } from '../../src/store/write/added-rows.ts'
import { ALL, failureOf, openShop, rows, type Temporary } from './temporary.ts'

const ROWS = 3000

/** A stage with orders, of which the last one is `odd`. */
async function stage({ store, folder }: Temporary, odd: string) {
  const staged = store.stage(`${folder}/one.stage`)
  await staged.run(
    'CREATE TABLE staged.new_orders (n INTEGER PRIMARY KEY, Company, Customer, Total)',
  )
  await staged.run(
    `INSERT INTO staged.new_orders WITH RECURSIVE r(n) AS
       (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ${ROWS - 1}) SELECT n, 1, 2, 1.5 FROM r`,
  )
  await staged.run(`INSERT INTO staged.new_orders VALUES (${ROWS}, ${odd})`)
  return staged
}

const INSERT =
  '(Id, CompanyId, CustomerId, Total) ' +
  'SELECT 100 + n, Company, Customer, Total FROM staged.new_orders WHERE n BETWEEN @first AND @last'

const add = async (tx: Tx): Promise<number> => {
  let changes = 0
  for (const [first, last] of [
    [1, ROWS / 2],
    [ROWS / 2 + 1, ROWS],
  ] as const) {
    const keys = { first: 100 + first, last: 100 + last }
    changes += await tx.addRows({ sql: INSERT, args: { first, last }, ...keys })
  }
  return changes
}

const TRIGGERS = "SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' ORDER BY name"

/** Checks the invariants of every write, whether rows were added or not. */
async function requireWatched({ store }: Temporary, triggers: unknown): Promise<void> {
  expect(await store.write((tx) => tx.all(TRIGGERS), ALL)).toEqual(triggers as [])
  const insert = (sql: string) => failureOf(store.write((tx) => tx.run(sql), { company: 1 }))
  expect(await insert('INSERT INTO orders (CompanyId) VALUES (2)')).toMatchObject({
    constraint: { kind: 'guard', text: 'company:Order' },
  })
  expect(await insert('INSERT INTO orders (CompanyId, CustomerId) VALUES (1, 77)')).toMatchObject({
    constraint: { kind: 'guard', text: 'reference:Order.CustomerId' },
  })
  const logged = await store.write(
    async (tx) => {
      await tx.run('INSERT INTO orders (Id, CompanyId) VALUES (50, 1)')
      return tx.takeChangeLog()
    },
    { company: 1 },
  )
  expect(logged).toMatchObject([{ entity: 'Order', key: [50], what: 'insert' }])
}

test('rows are added, their table is told as changed, and the watch is what it was', async () => {
  await using shop = await openShop()
  const { store } = shop
  const triggers = await store.write((tx) => tx.all(TRIGGERS), ALL)
  const before = store.version('orders')
  await using staged = await stage(shop, '1, NULL, 2')
  const from = { path: staged.path, adds: 'orders' }
  const added = await store.writeAlone(
    async (tx) => {
      const count = await add(tx)
      expect(await tx.takeChangeLog()).toEqual([])
      // The others of the transaction are watched.
      await tx.run("INSERT INTO customers (Id, Name, CompanyId) VALUES (9, 'Yew', 1)")
      expect(await tx.takeChangeLog()).toMatchObject([{ entity: 'Customer', key: [9] }])
      return count
    },
    { company: 1 },
    from,
  )
  expect(added).toBe(ROWS)
  expect(await rows(store, 'SELECT count(*) AS n FROM orders WHERE Id > 100')).toEqual([
    { n: ROWS },
  ])
  expect(store.version('orders')).toBeGreaterThan(before)
  await requireWatched(shop, triggers)
})

test.each([
  ['of another company', '2, 3, 1'],
  ['that points to another company', '1, 3, 1'],
  ['that points to nothing', '1, 77, 1'],
  ['that a CHECK refuses', '1, 1, -1'],
])('a row %s takes all with it, and the watch is what it was', async (_, odd) => {
  await using shop = await openShop()
  const { store } = shop
  const triggers = await store.write((tx) => tx.all(TRIGGERS), ALL)
  await using staged = await stage(shop, odd)
  const from = { path: staged.path, adds: 'orders' }
  const work = async (tx: Tx) => {
    await tx.run("INSERT INTO customers (Id, Name, CompanyId) VALUES (9, 'Yew', 1)")
    // Whoever catches it does not keep the rest.
    await add(tx).catch(() => undefined)
  }
  expect(await failureOf(store.writeAlone(work, { company: 1 }, from))).toMatchObject({
    name: AddedRowsRefused.name,
  })
  expect(await rows(store, 'SELECT Id FROM orders ORDER BY Id')).toEqual([
    { Id: 1 },
    { Id: 2 },
    { Id: 3 },
  ])
  expect(await rows(store, 'SELECT Id FROM customers WHERE Id = 9')).toEqual([])
  await requireWatched(shop, triggers)
})

test('rows are added only to the table that the writer was told of', async () => {
  await using shop = await openShop()
  await using staged = await stage(shop, '1, NULL, 2')
  for (const adds of [undefined, 'customers', 'svc_users']) {
    const from = { path: staged.path, adds }
    const refused = failureOf(shop.store.writeAlone(add, { company: 1 }, from))
    expect(await refused).toBeDefined()
    expect(await rows(shop.store, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 3 }])
  }
})

test('a stage that the writer has not let go of stands in the way of no other', async () => {
  await using shop = await openShop()
  const { store, folder } = shop
  await using left = store.stage(`${folder}/left.stage`)
  await left.run('CREATE TABLE staged.t (n)')
  await store.writeAlone((tx) => tx.run(`ATTACH DATABASE '${left.path}' AS staged`), ALL)
  await using staged = await stage(shop, '1, NULL, 2')
  const from = { path: staged.path, adds: 'orders' }
  expect(await store.writeAlone(add, { company: 1 }, from)).toBe(ROWS)
  expect(await store.writeAlone((tx) => tx.all('PRAGMA foreign_keys'), ALL)).toEqual([
    { foreign_keys: 1 },
  ])
})
