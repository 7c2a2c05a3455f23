/** Values bound by place mean what the same values mean by name, whatever stands in the text. */
import { expect, test } from 'bun:test'
import { planBindOrder } from '../../src/store/connection/bind-order.ts'
import { openScratch } from '../../src/store/connection/connection.ts'
import { prepareNative } from '../../src/store/connection/native.ts'
import { Statement } from '../../src/store/connection/statement.ts'
import type { SqlValue } from '../../src/store/sql.ts'

const ARGS = { a: 'A', b: 2n, Long_Name9: 'long', constructor: 'own' }

const TEXTS = [
  'SELECT @b AS x, @a AS y, @b AS z, @Long_Name9 AS w',
  `SELECT '@no', 'it''s @no' AS t, @a AS y, "@b" FROM (SELECT 1 AS "@b") WHERE @b = 2`,
  'SELECT @b AS x -- @a comes later\n, @a AS y /* @Long_Name9 */, @a || @b AS z',
  "SELECT [@a], `@b`, @b AS x FROM (SELECT 3 AS [@a], 4 AS `@b`) WHERE @a = 'A'",
  `SELECT json_extract('{"k":1}', '$.k') AS j, @b AS x, 1e5 AS n, x'40' AS blob, @a AS y`,
  'SELECT tä AS x, @a AS y FROM (SELECT 1 AS tä) /* open @b',
  'SELECT é$x, @b AS x, @a AS y FROM (SELECT 5 AS é$x)',
  'SELECT @missing AS m, @a AS y, @constructor AS own, @toString AS inherited',
]

test('by place as by name', () => {
  const { database } = openScratch()
  for (const sql of TEXTS) {
    const order = planBindOrder(sql)
    if (order === undefined) throw new Error(`No order: ${sql}`)
    const named: Record<string, SqlValue> = { ...ARGS, missing: null, toString: null }
    const expected = prepareNative(database, sql).get(named)
    const placed = order.map((name) => named[name] ?? null)
    expect(prepareNative(database, sql).get(placed), sql).toEqual(expected)
  }
})

test('other parameters are left to the package', () => {
  for (const sql of [
    'SELECT :a',
    'SELECT $a',
    'SELECT ?1',
    'SELECT @a::b',
    'SELECT @a(1)',
    'SELECT @1',
  ])
    expect(planBindOrder(sql), sql).toBeUndefined()
  const { database } = openScratch()
  expect(new Statement(database, 'SELECT :a AS x, @b AS y').get({ a: 1, b: 2 })).toEqual({
    x: 1,
    y: 2,
  })
})

test('a name without a value is null, also when it had one before', () => {
  const { database } = openScratch()
  database.exec('CREATE TABLE svc_pairs (A, B)')
  const read = new Statement(database, 'SELECT @a AS a, @b AS b, @constructor AS c')
  expect(read.get({ a: 1, b: 2 })).toEqual({ a: 1, b: 2, c: null })
  expect(read.get({ b: 3 })).toEqual({ a: null, b: 3, c: null })
  expect(read.all({})).toEqual([{ a: null, b: null, c: null }])
  const insert = new Statement(database, 'INSERT INTO svc_pairs (A, B) VALUES (@a, @b)')
  insert.run({ a: 1, b: 2 })
  insert.run({ b: 4 })
  expect(new Statement(database, 'SELECT A, B FROM svc_pairs').all({})).toEqual([
    { A: 1, B: 2 },
    { A: null, B: 4 },
  ])
})
