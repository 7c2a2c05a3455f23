import { expect, test } from 'bun:test'
import type { ReadPlace, SqlArgs } from '../../src/store/sql.ts'
import { ENDLESS, failureOf, openShop } from './temporary.ts'

const WAYS: ReadPlace[] = ['inline', 'measured', 'lane']

test('every way of reading gives the same values, exactly', async () => {
  await using shop = await openShop()
  const sql = `SELECT 1 AS i, 0.1 + 0.2 AS r, 'é"\n' AS t, x'00ff' AS b, NULL AS n, -5 AS m,
    'r1' AS r1, json_object('a', 1) AS j, 9e999 AS inf`
  for (const runs of WAYS) {
    const row = await shop.store.get({ sql, args: {}, runs })
    expect(row).toEqual({
      i: 1,
      r: 0.1 + 0.2,
      t: 'é"\n',
      b: Buffer.from([0, 255]),
      n: null,
      m: -5,
      r1: 'r1',
      j: '{"a":1}',
      inf: Infinity,
    })
    expect(await shop.store.all({ sql, args: {}, runs })).toEqual([row ?? {}])
  }
})

test('rows keep their order, and no row is no row', async () => {
  await using shop = await openShop()
  for (const runs of WAYS) {
    const read = (sql: string) => ({ sql, args: {}, runs })
    const ordered = read('SELECT Number FROM orders ORDER BY Total DESC')
    expect(await shop.store.all(ordered)).toEqual([
      { Number: 'B1' },
      { Number: 'A2' },
      { Number: 'A1' },
    ])
    expect(await shop.store.get(ordered)).toEqual({ Number: 'B1' })
    expect(await shop.store.get(read('SELECT 1 AS a WHERE 0'))).toBeUndefined()
    expect(await shop.store.all(read('SELECT 1 AS a WHERE 0'))).toEqual([])
    expect(await shop.store.text(read('SELECT 1 AS a WHERE 0'))).toBe('')
    expect(await shop.store.text(read('SELECT NULL'))).toBe('')
    expect(await shop.store.text(read("SELECT 'ä' -- comment"))).toBe('ä')
    expect(await shop.store.text(read('SELECT 5'))).toBe('5')
  }
})

test('a row of two hundred and fifty columns is read in a lane and at once', async () => {
  await using shop = await openShop()
  const sql = `SELECT ${Array.from({ length: 250 }, (_, at) => `${at} AS c${at}`).join(', ')}`
  for (const runs of WAYS) {
    const row = await shop.store.get({ sql, args: {}, runs })
    expect(Object.values(row ?? {})).toEqual(Array.from({ length: 250 }, (_, at) => at))
  }
})

test('text that is not UTF-8 does not end the process', async () => {
  await using shop = await openShop()
  const texts = [
    `SELECT json_extract('{"a":"\\ud800"}', '$.a') AS a`,
    `SELECT printf('%.1s', 'é') AS a`,
    'SELECT char(55296) AS a',
    "SELECT CAST(x'ff' AS TEXT) AS a",
  ]
  for (const sql of texts)
    for (const runs of WAYS) {
      expect(await shop.store.text({ sql, args: {}, runs })).toContain('\ufffd')
      expect((await shop.store.get({ sql, args: {}, runs }))?.a).toContain('\ufffd')
      expect((await shop.store.all({ sql, args: {}, runs }))[0]?.a).toContain('\ufffd')
    }
})

test('an endless read ends with 400 that names the limit, and the lane is good again', async () => {
  await using shop = await openShop({ readTimeoutMs: 100 })
  const reads = [1, 2].flatMap(() => [
    shop.store.text({ sql: ENDLESS, args: {}, runs: 'lane' }),
    shop.store.all({ sql: ENDLESS, args: {}, runs: 'lane' }),
  ])
  let ticks = 0
  const clock = setInterval(() => ticks++, 5)
  const [first] = await Promise.allSettled(reads)
  expect(first).toMatchObject({
    reason: {
      kind: 'invalid',
      code: 'SQL_TIMEOUT',
      message: expect.stringContaining('Svc:Sql:Timeout'),
    },
  })
  clearInterval(clock)
  expect(ticks).toBeGreaterThan(0)
  expect(await shop.store.text({ sql: 'SELECT 1', args: {}, runs: 'lane' })).toBe('1')
})

test('a read ends at its own deadline where that is the shorter one, and says which', async () => {
  const end = async (readTimeoutMs: number, milliseconds: number): Promise<unknown> => {
    await using shop = await openShop({ readTimeoutMs })
    const deadline = { setting: 'Svc:Own:Timeout', milliseconds }
    return await failureOf(shop.store.text({ sql: ENDLESS, args: {}, runs: 'lane', deadline }))
  }
  expect(await end(60_000, 40)).toMatchObject({
    code: 'SQL_TIMEOUT',
    message: 'The query took longer than Svc:Own:Timeout allows (40 ms)',
  })
  expect(await end(40, 60_000)).toMatchObject({
    code: 'SQL_TIMEOUT',
    message: 'The query took longer than Svc:Sql:Timeout allows (40 ms)',
  })
})

test('a read is ended by its signal, in its lane and before it has one', async () => {
  await using shop = await openShop({ readTimeoutMs: 60_000 })
  const read = { sql: ENDLESS, args: {}, runs: 'lane' } as const
  const running = new AbortController()
  const waiting = new AbortController()
  const busy = Array.from({ length: 5 }, () =>
    failureOf(shop.store.all({ ...read, signal: running.signal })),
  )
  const late = failureOf(shop.store.all({ ...read, signal: waiting.signal }))
  waiting.abort()
  const cancelled = { kind: 'unavailable', code: 'SQL_CANCELLED' }
  expect(await late).toMatchObject(cancelled)
  expect(await failureOf(shop.store.text({ ...read, signal: waiting.signal }))).toMatchObject(
    cancelled,
  )
  const next = shop.store.text({ sql: 'SELECT 1', args: {}, runs: 'lane' })
  running.abort()
  for (const failure of await Promise.all(busy)) expect(failure).toMatchObject(cancelled)
  expect(await next).toBe('1')
})

test('runaway reads in every lane stop no commit and no light read', async () => {
  await using shop = await openShop({ readTimeoutMs: 60_000 })
  const light = { sql: 'SELECT count(*) AS n FROM orders', args: {}, runs: 'lane' } as const
  await shop.store.all(light)
  const done: string[] = []
  const stop = new AbortController()
  const runaway = { sql: ENDLESS, args: {}, runs: 'lane', signal: stop.signal } as const
  const runaways = Array.from({ length: 6 }, () =>
    shop.store.all(runaway).then(String, () => done.push('runaway')),
  )
  await shop.store.write((tx) => tx.run("UPDATE orders SET Number = 'x'"), {
    company: 'all',
    because: 'a test',
  })
  done.push('write')
  await shop.store.all(light)
  done.push('light')
  stop.abort()
  await Promise.all(runaways)
  expect(done).toEqual(['write', 'light', ...runaways.map(() => 'runaway')])
})

test('readers see the last commit and cannot write', async () => {
  await using shop = await openShop()
  for (const runs of WAYS) {
    await shop.store.write((tx) => tx.run('UPDATE orders SET Number = @runs', { runs }), {
      company: 'all',
      because: 'a test',
    })
    const read = { sql: 'SELECT DISTINCT Number FROM orders', args: {}, runs }
    expect(await shop.store.all(read)).toEqual([{ Number: runs }])
    const write = { sql: 'DELETE FROM orders RETURNING Id', args: {}, runs }
    await failureOf(shop.store.all(write))
  }
  expect(
    await shop.store.text({ sql: 'SELECT count(*) FROM orders', args: {}, runs: 'inline' }),
  ).toBe('3')
})

test('values are bound as SQLite has them, and what is no value is refused', async () => {
  await using shop = await openShop()
  const read = (args: unknown) =>
    shop.store.text({
      sql: "SELECT typeof(@a) || ' ' || coalesce(@a, '')",
      args: args as SqlArgs,
      runs: 'inline',
    })
  const good: [unknown, string][] = [
    [true, 'integer 1'],
    [false, 'integer 0'],
    [5, 'integer 5'],
    [-0, 'integer 0'],
    [2 ** 53 - 1, 'integer 9007199254740991'],
    [1.5, 'real 1.5'],
    [1e300, 'real 1.0e+300'],
    [2n ** 63n - 1n, 'integer 9223372036854775807'],
    [undefined, 'null '],
    [null, 'null '],
    ['é', 'text é'],
    ['\ud83d\ude00', 'text \ud83d\ude00'],
    ['["\\ud83d\\ude00", "\\\\ud800"]', 'text ["\\ud83d\\ude00", "\\\\ud800"]'],
    [new Uint8Array([65]), 'blob A'],
  ]
  for (const [value, text] of good) expect(await read({ a: value })).toBe(text)
  expect(await read({ b: 1 })).toBe('null ')
  const bad = [2n ** 63n, -(2n ** 63n) - 1n, NaN, Infinity, {}, [], new Date(0), () => 1]
  const texts = ['a\0b', '\ud800', '"\\ud800"', '\\\\\\uDC00', '\\ud83d\\ud83d']
  for (const value of [...bad, Symbol('a'), new ArrayBuffer(1), ...texts])
    expect(await failureOf(read({ a: value }))).toHaveProperty('message')
})

test('SQL text that would end the process or be cut is refused', async () => {
  await using shop = await openShop()
  const read = (sql: string) => shop.store.all({ sql, args: { a: 1 }, runs: 'inline' })
  await failureOf(read('SELECT ? AS a'))
  await failureOf(read('SELECT 1 \0 AS a'))
  await failureOf(read(''))
  expect(await read(`SELECT '?' AS a, "Id" AS "b?", @a AS c FROM orders LIMIT 1 -- ?`)).toEqual([
    { a: '?', 'b?': 1, c: 1 },
  ])
})

test('statements are counted', async () => {
  await using shop = await openShop()
  const { reads, writes } = shop.store.counters
  await shop.store.text({ sql: 'SELECT 1', args: {}, runs: 'lane' })
  await shop.store.write(
    async (tx) => {
      await tx.get('SELECT 1')
      await tx.run('UPDATE orders SET Total = 1')
      await tx.authored('UPDATE orders SET Total = 2')
    },
    { company: 'all', because: 'a test' },
  )
  expect(shop.store.counters).toEqual({ reads: reads + 2, writes: writes + 2 })
})
