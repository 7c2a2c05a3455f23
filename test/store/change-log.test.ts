import { expect, test } from 'bun:test'
import type { LoggedChange, WatchedTable } from '../../src/store/store.ts'
import { ALL, openShop, openTemporary, touch } from './temporary.ts'

const ORDER_1 = { Id: 1, Number: 'A1', CompanyId: 1, CustomerId: 1, Total: 0.1, Picture: null }

test.each<[string, string[], LoggedChange[]]>([
  ['nothing', ['UPDATE orders SET Number = 1 WHERE Id = 99'], []],
  [
    'an insert, changed later',
    [
      'INSERT INTO orders (Id, CompanyId) VALUES (9, 1)',
      "UPDATE orders SET Number = 'x' WHERE Id = 9",
    ],
    [{ entity: 'Order', key: [9], what: 'insert', before: undefined }],
  ],
  [
    'an insert that is gone again',
    ['INSERT INTO orders (Id, CompanyId) VALUES (9, 1)', 'DELETE FROM orders WHERE Id = 9'],
    [],
  ],
  [
    'two updates, with the first image',
    ["UPDATE orders SET Number = 'x' WHERE Id = 1", "UPDATE orders SET Number = 'y' WHERE Id = 1"],
    [{ entity: 'Order', key: [1], what: 'update', before: ORDER_1 }],
  ],
  [
    'an update and a delete, with cascades',
    ["UPDATE orders SET Number = 'x' WHERE Id = 1", 'DELETE FROM orders WHERE Id = 1'],
    [
      { entity: 'Order', key: [1], what: 'delete', before: ORDER_1 },
      line(1, 'first'),
      line(2, 'second'),
    ],
  ],
  [
    'a delete and an insert of the same key',
    ['DELETE FROM order_lines', "INSERT INTO order_lines VALUES (3, 1, 'new')"],
    [
      line(1, 'first'),
      line(2, 'second'),
      {
        entity: 'OrderLine',
        key: [3, 1],
        what: 'update',
        before: { OrderId: 3, Line: 1, Text: 'other' },
      },
    ],
  ],
  [
    'a changed key',
    ['UPDATE order_lines SET Line = 9 WHERE OrderId = 3'],
    [
      {
        entity: 'OrderLine',
        key: [3, 1],
        what: 'delete',
        before: { OrderId: 3, Line: 1, Text: 'other' },
      },
      { entity: 'OrderLine', key: [3, 9], what: 'insert', before: undefined },
    ],
  ],
  [
    'rows that a REPLACE displaces',
    ["REPLACE INTO order_lines VALUES (3, 1, 'new')"],
    [
      {
        entity: 'OrderLine',
        key: [3, 1],
        what: 'update',
        before: { OrderId: 3, Line: 1, Text: 'other' },
      },
    ],
  ],
])('%s', async (_, statements, expected) => {
  await using shop = await openShop()
  const touched = await touch(shop.store, async (tx) => {
    for (const sql of statements) await tx.authored(sql)
  })
  expect(touched).toEqual(expected)
})

function line(number: number, text: string): LoggedChange {
  const before = { OrderId: 1, Line: number, Text: text }
  return { entity: 'OrderLine', key: [1, number], what: 'delete', before }
}

test('a parent deleted takes its children along, each with its image', async () => {
  await using shop = await openShop()
  const touched = await touch(shop.store, (tx) => tx.run('DELETE FROM customers WHERE Id = 1'))
  expect(touched.map(({ entity, key, what }) => [entity, key, what])).toEqual(
    expect.arrayContaining([
      ['Customer', [1], 'delete'],
      ['Order', [1], 'delete'],
      ['OrderLine', [1, 1], 'delete'],
      ['OrderLine', [1, 2], 'delete'],
    ]),
  )
  expect(touched).toHaveLength(4)
})

test('images keep every value exactly', async () => {
  await using shop = await openShop()
  const picture = new Uint8Array([0, 255, 1])
  const total = 0.1 + 0.2
  const touched = await touch(shop.store, async (tx) => {
    await tx.run('UPDATE orders SET Total = @total, Picture = @picture, Number = @n WHERE Id = 1', {
      total,
      picture,
      n: 'r1é',
    })
    await tx.takeChangeLog()
    await tx.run('UPDATE orders SET Total = 1 WHERE Id = 1')
  })
  expect(touched[0]?.before).toEqual({
    ...ORDER_1,
    Number: 'r1é',
    Total: total,
    Picture: Buffer.from(picture),
  })
})

test('the log is empty once it was taken, and keeps silent when told to', async () => {
  await using shop = await openShop()
  const seen = await shop.store.write(async (tx) => {
    await tx.run("UPDATE orders SET Number = 'x' WHERE Id = 1")
    const first = await tx.takeChangeLog()
    await tx.silently(() => tx.run("UPDATE orders SET Number = 'y' WHERE Id = 2"))
    const second = await tx.takeChangeLog()
    await tx.run("UPDATE orders SET Number = 'z' WHERE Id = 3")
    return [first, second, await tx.takeChangeLog()].map((rows) => rows.map((row) => row.key))
  }, ALL)
  expect(seen).toEqual([[[1]], [], [[3]]])
  const before = shop.store.version('orders')
  await shop.store.write((tx) => tx.silently(() => tx.run('UPDATE orders SET Total = 5')), ALL)
  expect(shop.store.version('orders')).toBe(before + 1)
})

test('after-write runs once in each transaction, and again when it is called', async () => {
  await using shop = await openShop()
  const seen: number[] = []
  shop.store.useAfterWrite(async (tx) => {
    const touched = await tx.takeChangeLog()
    seen.push(touched.length)
    for (const row of touched)
      await tx.silently(() =>
        tx.run("UPDATE orders SET Number = Number || '!' WHERE Id = @id", { id: row.key[0] }),
      )
  })
  await shop.store.write(async (tx) => {
    await tx.run("UPDATE orders SET Number = 'x' WHERE Id < 3")
    await tx.runAfterWrite()
    await tx.run("UPDATE orders SET Number = 'y' WHERE Id = 1")
  }, ALL)
  expect(seen).toEqual([2, 1])
  expect(
    await shop.store.all({
      sql: 'SELECT Number FROM orders ORDER BY Id',
      args: {},
      runs: 'inline',
    }),
  ).toEqual([{ Number: 'y!' }, { Number: 'x!' }, { Number: 'B1' }])
})

test('thousands of rows and hundreds of columns are logged', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  const columns = ['Id', ...Array.from({ length: 150 }, (_, at) => `Column${at}`)]
  await store.migrate((tx) => tx.run(`CREATE TABLE wide (${columns.join(', ')}, PRIMARY KEY (Id))`))
  const wide: WatchedTable = {
    entity: 'Wide',
    table: 'wide',
    keys: ['Id'],
    columns,
    company: undefined,
    references: [],
  }
  await store.watch([wide])
  await store.write(
    (tx) =>
      tx.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        INSERT INTO wide (Id, Column149) SELECT i, 'v' || i FROM n`),
    ALL,
  )
  const touched = await touch(store, (tx) => tx.authored('DELETE FROM wide'))
  expect(touched).toHaveLength(2500)
  expect(touched[2499]).toMatchObject({
    key: [2500],
    before: { Id: 2500, Column149: 'v2500', Column3: null },
  })
})

test('long and short, wide and narrow logs follow each other', async () => {
  await using temporary = await openTemporary()
  const { store } = temporary
  const columns = ['Id', ...Array.from({ length: 120 }, (_, at) => `Column${at}`)]
  await store.migrate(async (tx) => {
    await tx.run(`CREATE TABLE wide (${columns.join(', ')}, PRIMARY KEY (Id))`)
    await tx.run('CREATE TABLE narrow (Id PRIMARY KEY, Note)')
    await tx.run(`INSERT INTO wide (Id, Column119) VALUES (1, 'w')`)
    await tx.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO narrow SELECT i, 'n' || i FROM n`)
  })
  const rest = { keys: ['Id'], company: undefined, references: [] }
  await store.watch([
    { entity: 'Wide', table: 'wide', columns, ...rest },
    { entity: 'Narrow', table: 'narrow', columns: ['Id', 'Note'], ...rest },
  ])
  const widened = { entity: 'Wide', key: [1], what: 'update' as const }
  for (const count of [1, 2, 498, 499, 500, 501, 1200, 3]) {
    const touched = await touch(store, async (tx) => {
      await tx.run('UPDATE narrow SET Note = Note WHERE Id <= @count', { count })
      await tx.run('UPDATE wide SET Column0 = Column0')
    })
    expect(touched).toHaveLength(count + 1)
    expect(touched[count - 1]).toEqual({
      entity: 'Narrow',
      key: [count],
      what: 'update',
      before: { Id: count, Note: `n${count}` },
    })
    expect(touched[count]).toMatchObject({ ...widened, before: { Id: 1, Column119: 'w' } })
    expect(
      await touch(store, (tx) => tx.run('UPDATE narrow SET Note = Note WHERE Id = 7')),
    ).toEqual([{ entity: 'Narrow', key: [7], what: 'update', before: { Id: 7, Note: 'n7' } }])
  }
})
