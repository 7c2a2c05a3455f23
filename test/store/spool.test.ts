/** Rows that are put aside: all of them, of one state, in order, and nothing is left of them. */
import { expect, test } from 'bun:test'
import type { Spool } from '../../src/store/read/spool.ts'
import { ENDLESS, failureOf, openShop } from './temporary.ts'

const OPTIONS = { setting: 'Svc:Exports:Timeout', timeoutMs: 60_000 }

const read = (sql: string) => ({ sql, args: {}, runs: 'lane' as const })

const parse = (text: Uint8Array): unknown[] =>
  JSON.parse(Buffer.from(text).toString('utf8')) as unknown[]

async function listRows(spool: Spool): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const { rows: count, text } of spool.pages()) {
    const page = parse(text)
    expect(page.length).toBe(count)
    rows.push(...page)
  }
  return rows
}

const COUNTED = (rows: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`

test('rows come in their order, in pages, however many there are', async () => {
  await using shop = await openShop()
  for (const count of [1, 999, 1000, 1001, 4321]) {
    const sql = `${COUNTED(count)} SELECT json_array(i, 'é"') FROM n ORDER BY i DESC`
    const spool = await shop.store.spool(read(sql), OPTIONS)
    const rows = await listRows(spool)
    await spool.close()
    expect(spool.rows).toBe(count)
    expect(rows).toEqual(Array.from({ length: count }, (_, at) => [count - at, 'é"']))
  }
})

test('no row is no page', async () => {
  await using shop = await openShop()
  const spool = await shop.store.spool(read('SELECT json_array(1) WHERE 0'), OPTIONS)
  expect([spool.rows, await listRows(spool)]).toEqual([0, []])
  await spool.close()
  await spool.close()
})

test('wide rows make small pages', async () => {
  await using shop = await openShop()
  const wide = `printf('%.*c', CASE WHEN i % 10 = 0 THEN 500000 ELSE 5 END, 'x')`
  const sql = `${COUNTED(100)} SELECT json_array(i, ${wide}) FROM n`
  const spool = await shop.store.spool(read(sql), OPTIONS)
  const sizes: number[] = []
  const numbers: unknown[] = []
  for await (const { text } of spool.pages()) {
    sizes.push(text.length)
    numbers.push(...(parse(text) as [number, string][]).map(([number]) => number))
  }
  await spool.close()
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  expect(Math.max(...sizes)).toBeLessThan(3 * 1024 * 1024)
})

test('what is written afterwards is not in it', async () => {
  await using shop = await openShop()
  const spool = await shop.store.spool(read('SELECT json_array(Number) FROM orders'), OPTIONS)
  const before = spool.rows
  await shop.store.write((tx) => tx.run('DELETE FROM orders'), {
    company: 'all',
    because: 'a test',
  })
  expect((await listRows(spool)).length).toBe(before)
  await spool.close()
})

test('a read without an end ends at its limit, which the refusal names', async () => {
  await using shop = await openShop()
  const options = { setting: 'Svc:Exports:Timeout', timeoutMs: 50 }
  const failure = await failureOf(shop.store.spool(read(ENDLESS), options))
  expect(failure.kind).toBe('invalid')
  expect(failure.message).toContain('Svc:Exports:Timeout')
})

test('a signal ends it', async () => {
  await using shop = await openShop()
  const leaving = new AbortController()
  const spooling = failureOf(
    shop.store.spool(read(ENDLESS), { ...OPTIONS, signal: leaving.signal }),
  )
  leaving.abort()
  expect((await spooling).kind).toBe('unavailable')
})

test('closing the store ends what is under way, and takes no more', async () => {
  const shop = await openShop()
  const spool = await shop.store.spool(
    read(`${COUNTED(5000)} SELECT json_array(i) FROM n`),
    OPTIONS,
  )
  const running = failureOf(shop.store.spool(read(ENDLESS), OPTIONS))
  const [, failure] = await Promise.all([shop[Symbol.asyncDispose](), running])
  expect(failure.kind).toBe('unavailable')
  expect((await failureOf(listRows(spool))).kind).toBe('unavailable')
  expect((await failureOf(shop.store.spool(read('SELECT 1'), OPTIONS))).kind).toBe('unavailable')
})
