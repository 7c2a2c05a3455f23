import { expect, test } from 'bun:test'
import { ALL, failureOf, openShop, rows, SHOP_WATCH } from './temporary.ts'

const REBUILD = [
  `CREATE TABLE customers_new
     (Id INTEGER PRIMARY KEY, Name TEXT, CompanyId INTEGER NOT NULL, Note TEXT)`,
  'INSERT INTO customers_new (Id, Name, CompanyId) SELECT Id, Name, CompanyId FROM customers',
  'DROP TABLE customers',
  'ALTER TABLE customers_new RENAME TO customers',
]

test('rebuilding a parent whose references cascade keeps every child', async () => {
  await using shop = await openShop()
  await shop.store.migrate(async (tx) => {
    for (const sql of REBUILD) await tx.run(sql)
  })
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 3 }])
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM order_lines')).toEqual([{ n: 3 }])
  await shop.store.write((tx) => tx.run('DELETE FROM customers WHERE Id = 1'), ALL)
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 2 }])
})

test('a migration that fails changes nothing, and the watch stands as before', async () => {
  await using shop = await openShop()
  const failing = shop.store.migrate(async (tx) => {
    for (const sql of REBUILD) await tx.run(sql)
    throw new Error('no')
  })
  expect(await failureOf(failing)).toMatchObject({ message: 'no' })
  expect(await rows(shop.store, 'SELECT * FROM customers LIMIT 1')).toEqual([
    { Id: 1, Name: 'Oak', CompanyId: 1 },
  ])
  const { changes } = await shop.store.write(
    (tx) => tx.authored("UPDATE customers SET Name = Name || '!'"),
    { company: 2 },
  )
  expect(changes).toBe(1)
})

test.each([
  ['references', ['DELETE FROM customers'], 'MIGRATION_BREAKS_REFERENCES'],
  [
    'rows of a rebuilt table',
    [
      'CREATE TABLE lines_new (OrderId INTEGER, Line INTEGER, Text TEXT)',
      'INSERT INTO lines_new SELECT * FROM order_lines LIMIT 1',
      'DROP TABLE order_lines',
      'ALTER TABLE lines_new RENAME TO order_lines',
    ],
    'MIGRATION_LOSES_ROWS',
  ],
])('a migration that loses %s is undone', async (_, statements, code) => {
  await using shop = await openShop()
  const failing = shop.store.migrate(async (tx) => {
    for (const sql of statements) await tx.run(sql)
  })
  expect(await failureOf(failing)).toMatchObject({ code })
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM customers')).toEqual([{ n: 3 }])
  expect(await rows(shop.store, 'SELECT count(*) AS n FROM order_lines')).toEqual([{ n: 3 }])
})

test('foreign keys hold again, guards too, and readers see the new columns', async () => {
  await using shop = await openShop()
  const all = () => rows(shop.store, 'SELECT * FROM orders WHERE Id = 1')
  await all()
  await shop.store.migrate((tx) => tx.run("ALTER TABLE orders ADD COLUMN Note TEXT DEFAULT 'n'"))
  expect(await all()).toMatchObject([{ Note: 'n' }])
  const orphan = shop.store.write(
    (tx) => tx.run('INSERT INTO orders (CompanyId, CustomerId) VALUES (1, 99)'),
    ALL,
  )
  expect(await failureOf(orphan)).toMatchObject({ code: 'REFERENCE' })
  const foreign = shop.store.write((tx) => tx.authored('DELETE FROM orders'), { company: 9 })
  expect(await foreign).toEqual({ rows: [], changes: 0 })
})

test('writes wait for a migration, and it for them', async () => {
  await using shop = await openShop()
  const seen: string[] = []
  const write = (name: string) =>
    shop.store.write(async (tx) => {
      await tx.authored("UPDATE orders SET Number = 'x'")
      seen.push(name)
    }, ALL)
  await Promise.all([
    write('before'),
    shop.store.migrate(async (tx) => {
      seen.push('begins')
      await tx.run('ALTER TABLE orders ADD COLUMN Note TEXT')
      seen.push('ends')
    }),
    write('after'),
  ])
  expect(seen).toEqual(['before', 'begins', 'ends', 'after'])
})

test('a table that is gone is no longer watched; a new watch replaces the old', async () => {
  await using shop = await openShop()
  await shop.store.migrate((tx) => tx.run('DROP TABLE order_lines'))
  await shop.store.write((tx) => tx.run("UPDATE orders SET Number = 'x'"), ALL)
  await failureOf(shop.store.watch(SHOP_WATCH))
  const changes = () =>
    shop.store.write((tx) => tx.run("UPDATE orders SET Number = 'y'"), { company: 2 })
  expect(await changes()).toBe(1)
  await shop.store.watch([])
  expect(await changes()).toBe(3)
})
