/** Entries that the query cache keeps, shares and drops. */
import { expect, test } from 'bun:test'
import { composeSpans } from '../../src/kernel/zone-spans.ts'
import { type SqlArgs, type SqlRead, SqlReal } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import { keyOf, QueryCache } from '../../src/engine/object/read/query-cache.ts'
import { toTableSet } from '../../src/engine/object/read/table-set.ts'
import { ALL, openShop } from '../store/temporary.ts'

const MB = 1024 * 1024
const ORDERS = toTableSet(['Orders'])
const NAMES = "SELECT group_concat(Number, ' ') FROM orders WHERE CompanyId = @company"

const read = (sql: string, args: SqlArgs = {}): SqlRead => ({ sql, args, runs: 'measured' })
const rename = (store: Store, table: string, column: string): Promise<number> =>
  store.write((tx) => tx.run(`UPDATE ${table} SET ${column} = ${column} || '!'`), ALL)

/** How many reads the store did for it. */
async function countReads(store: Store, work: () => Promise<unknown>): Promise<number> {
  const before = store.counters.reads
  await work()
  return store.counters.reads - before
}

test('what is requested twice is cached until its tables change', async () => {
  await using shop = await openShop()
  const reader = new QueryCache(shop.store, MB)
  const ask = (): Promise<string> =>
    reader.text(read(NAMES, { company: 1 }), reader.versionsOf(ORDERS))
  expect(await countReads(shop.store, ask)).toBe(1)
  expect(await countReads(shop.store, ask)).toBe(1)
  expect(await countReads(shop.store, ask)).toBe(0)
  await rename(shop.store, 'customers', 'Name')
  expect(await countReads(shop.store, ask)).toBe(0)
  await rename(shop.store, 'orders', 'Number')
  expect(await ask()).toBe('A1! A2!')
  expect(await countReads(shop.store, ask)).toBe(0)
  expect(await reader.text(read(NAMES, { company: 2 }), reader.versionsOf(ORDERS))).toBe('B1!')
})

test('a migration and a cascade are changes too', async () => {
  await using shop = await openShop()
  const reader = new QueryCache(shop.store, MB)
  const lines = toTableSet(['order_lines'])
  const ask = (): Promise<string> =>
    reader.text(read('SELECT count(*) FROM order_lines'), reader.versionsOf(lines))
  for (let at = 0; at < 3; at++) expect(await ask()).toBe('3')
  await shop.store.write((tx) => tx.run('DELETE FROM customers WHERE Id = 3'), ALL)
  expect(await ask()).toBe('2')
  await shop.store.migrate((tx) => tx.run('DELETE FROM order_lines'))
  expect(await ask()).toBe('0')
})

test('no long text is cached, nor one that names the instant; without memory none is', async () => {
  await using shop = await openShop()
  const long = `SELECT printf('%.*c', 300000, 'x')`
  const cases: [QueryCache, SqlRead][] = [
    [new QueryCache(shop.store, 0), read(NAMES, { company: 1 })],
    [new QueryCache(shop.store, 8 * MB), read(long)],
    [new QueryCache(shop.store, MB), read('SELECT @Now', { Now: 'x' })],
    [new QueryCache(shop.store, MB), { ...read(NAMES, { company: 1 }), runs: 'inline' }],
  ]
  for (const [reader, asked] of cases) {
    const ask = (): Promise<string> => reader.text(asked, reader.versionsOf(ORDERS))
    for (let at = 0; at < 3; at++) expect(await countReads(shop.store, ask)).toBe(1)
    expect(reader.bytes).toBeLessThan(1000)
  }
})

test('what is bound and not named sets no answers apart', async () => {
  const named = read('SELECT @company', { company: 1 })
  expect(keyOf({ ...named, args: { company: 1, Now: 'x' } })).toBe(keyOf(named) ?? '')
  const values = [1, '1', new SqlReal(1), null, '', -0, 0, 1n, 'n1', ';b=n1']
  const keys = values.map((company) => keyOf(read('SELECT @company', { company })))
  expect(new Set(keys).size).toBe(values.length)
  expect(keyOf(read('SELECT @a || @b', { a: 'x;b=s1:y', b: '' }))).not.toBe(
    keyOf(read('SELECT @a || @b', { a: 'x', b: 'y;b=s0:' })) ?? '',
  )
})

test('the spans of a zone set answers apart by its name, however many they are', () => {
  const keys = ['Europe/Berlin', 'Europe/Paris', 'UTC'].map((zone) =>
    keyOf(read('SELECT @_zone', { _zone: composeSpans(zone) })),
  )
  expect(keys.every((key) => key !== undefined && key.length < 100)).toBe(true)
  expect(new Set(keys).size).toBe(keys.length)
})

test('requests meanwhile share the read, not after a change; no failure is cached', async () => {
  await using shop = await openShop()
  const reader = new QueryCache(shop.store, MB)
  let loads = 0
  const waiting: PromiseWithResolvers<string>[] = []
  const load = (): Promise<string> => {
    loads++
    const next = Promise.withResolvers<string>()
    waiting.push(next)
    return next.promise
  }
  const ask = (): Promise<string> => reader.answer('key', reader.versionsOf(ORDERS), load)
  const first = ask()
  waiting.shift()?.resolve('once')
  expect(await first).toBe('once')
  const [second, third] = [ask(), ask()]
  expect(loads).toBe(2)
  await rename(shop.store, 'orders', 'Number')
  const late = ask()
  expect(loads).toBe(3)
  waiting.shift()?.resolve('old')
  waiting.shift()?.reject(new Error('not now'))
  expect(await Promise.all([second, third])).toEqual(['old', 'old'])
  await expect(late).rejects.toThrow('not now')
  const again = ask()
  waiting.shift()?.resolve('new')
  expect(await again).toBe('new')
  expect(await ask()).toBe('new')
  expect(loads).toBe(4)
})

test('published names stand for all that decides who is shown', () => {
  expect(toTableSet(['SVC_Users', 'orders'])).toEqual(
    toTableSet(['orders', 'svc_user_roles', 'svc_companies']),
  )
  expect(toTableSet(['b', 'A'])).toBe(toTableSet(['a', 'B', 'b']))
})

test.each([
  'UPDATE svc_users SET DisplayName = Id',
  'update or ignore "svc_users" set "DisplayName" = Id',
  'UPDATE main.svc_users SET DisplayName = Id',
  'WITH u AS (SELECT 1 AS n) UPDATE `svc_users` SET DisplayName = Id WHERE Id IN (SELECT n FROM u)',
  'DELETE FROM "main"."svc_users" RETURNING Id',
])('the version rises with: %s', async (sql) => {
  await using shop = await openShop()
  const before = shop.store.version('svc_users')
  await shop.store.write((tx) => tx.all(sql), ALL)
  expect(shop.store.version('svc_users')).toBe(before + 1)
})
