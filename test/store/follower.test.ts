/** A follower hears which rows a commit changes, before any reader can see what it did. */
import { expect, test } from 'bun:test'
import type { Follower, Store, TableChanges, Tx } from '../../src/store/store.ts'
import { ALL, openShop } from './temporary.ts'

/** Follows orders and their lines, and writes down what it hears and what could be read then. */
function follow(store: Store) {
  const heard: { changes: Record<string, unknown> | 'all'; number: Promise<string> }[] = []
  const follower: Follower = {
    follows: (table) => table === 'orders' || table === 'order_lines',
    begin: (changes) => {
      const sql = 'SELECT Number FROM orders WHERE Id = 1'
      const number = store.text({ sql, args: {}, runs: 'inline' })
      heard.push({ changes: toObject(changes), number })
    },
  }
  store.follow(follower)
  return heard
}

const toObject = (changes: TableChanges): Record<string, unknown> | 'all' =>
  changes === 'all' ? changes : Object.fromEntries(changes)

const MANY = `INSERT INTO orders (Id, CompanyId)
  WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2700) SELECT i, 1 FROM n`

/** `undefined`: the rows are not told. */
const CASES: [string, (tx: Tx) => Promise<unknown>, Record<string, unknown>][] = [
  ['an update', (tx) => tx.run("UPDATE orders SET Number = 'x' WHERE Id < 3"), { orders: [1, 2] }],
  [
    'a cascade, of a table with two keys',
    (tx) => tx.run('DELETE FROM orders WHERE Id = 1'),
    { orders: [1], order_lines: undefined },
  ],
  [
    'a changed key, and what was done in silence',
    async (tx) => {
      await tx.takeChangeLog()
      await tx.run('DELETE FROM order_lines WHERE OrderId = 3')
      await tx.run('UPDATE orders SET Id = 7 WHERE Id = 3')
      await tx.takeChangeLog()
      await tx.silently(() => tx.run("UPDATE orders SET Number = 'y' WHERE Id = 2"))
    },
    { order_lines: undefined, orders: [3, 7, 2] },
  ],
  [
    'a table that nobody follows',
    (tx) => tx.run("UPDATE customers SET Name = 'x' WHERE Id = 1"),
    {
      customers: undefined,
    },
  ],
  ['too many rows', (tx) => tx.run(MANY), { orders: undefined }],
]

test.each(CASES)('%s', async (_, work, told) => {
  await using shop = await openShop()
  const heard = follow(shop.store)
  await shop.store.write(work, ALL)
  expect(heard.map(({ changes }) => changes)).toEqual([told])
  expect(await heard[0]?.number).toBe('A1')
})

test('members of a group are told together, those that failed are not', async () => {
  await using shop = await openShop()
  const heard = follow(shop.store)
  const update = (Id: number, Total: number) =>
    shop.store.write(
      (tx) => tx.run('UPDATE orders SET Total = @Total WHERE Id = @Id', { Id, Total }),
      ALL,
    )
  await Promise.allSettled([update(2, 5), update(1, -1), update(3, 6)])
  expect(heard.map(({ changes }) => changes)).toEqual([{ orders: [2, 3] }])
})

test('a migration changes everything', async () => {
  await using shop = await openShop()
  const heard = follow(shop.store)
  await shop.store.migrate((tx) => tx.run("UPDATE orders SET Number = 'z'"))
  expect(heard.map(({ changes }) => changes)).toEqual(['all'])
})
