/** The datasets of a report page: of one state, and read no more often than that takes. */
import { expect, test } from 'bun:test'
import type { SqlArgs } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import { QueryCache } from '../../src/engine/object/read/query-cache.ts'
import { toTableSet } from '../../src/engine/object/read/table-set.ts'
import { readDataSets, type ReadPlan } from '../../src/engine/report-pages/read-datasets.ts'
import { ALL, ENDLESS, openShop } from '../store/temporary.ts'

const LANES = 3
const MB = 1024 * 1024
const LONG_MS = 60_000

const plan = (table: string, sql: string, args: SqlArgs = {}): ReadPlan => ({
  dataSet: {},
  tables: toTableSet([table]),
  read: { sql, args, runs: 'lane' },
})

const LINES = plan('order_lines', 'SELECT min(Text) FROM order_lines')
const NAMES = plan('customers', 'SELECT min(Name) FROM customers')
const NUMBERS = plan('orders', 'SELECT min(Number) FROM orders')
/** Takes a while on any machine. */
const SLOW = plan(
  'orders',
  `WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2000000)
   SELECT (SELECT min(Number) FROM orders) || ' ' || count(*) FROM r`,
)

/** Pages of one report on one store. */
function openReport(store: Store, plans: readonly ReadPlan[], bytes = MB) {
  const report = { name: 'Page' }
  const reader = { store, queryCache: new QueryCache(store, bytes) }
  return async (milliseconds = LONG_MS): Promise<string[]> => {
    const texts = await readDataSets(reader, report, plans, milliseconds)
    return plans.map((each) => {
      const found = texts.get(each)
      return found && 'text' in found ? found.text : 'late'
    })
  }
}

/** All tables change in one commit. */
const writeAll = (store: Store): Promise<void> =>
  store.write(async (tx) => {
    await tx.run(`UPDATE order_lines SET Text = Text || '!'`)
    await tx.run(`UPDATE customers SET Name = Name || '!'`)
    await tx.run(`UPDATE orders SET Number = Number || '!'`)
  }, ALL)

const writeNames = (store: Store): Promise<number> =>
  store.write((tx) => tx.run(`UPDATE customers SET Name = Name || '!'`), ALL)

/** Keeps lanes until they are let go. */
function occupy(store: Store, lanes: number): () => Promise<unknown> {
  const until = Promise.withResolvers<void>()
  const held = Array.from({ length: lanes }, () => store.snapshot('hold', () => until.promise))
  return () => {
    until.resolve()
    return Promise.all(held)
  }
}

async function countReads(store: Store, work: () => Promise<unknown>): Promise<number> {
  const before = store.counters.reads
  await work()
  return store.counters.reads - before
}

async function hasRead(store: Store, count: number): Promise<void> {
  while (store.counters.reads < count) await Bun.sleep(1)
}

test.each([0, LANES - 1])(
  'a write to one table reads its dataset alone, with %p lanes taken',
  async (taken) => {
    await using shop = await openShop()
    const { store } = shop
    const load = openReport(store, [LINES, NAMES, NUMBERS])
    const letGo = occupy(store, taken)
    expect(await countReads(store, load)).toBe(3)
    expect(await countReads(store, load)).toBe(3)
    expect(await countReads(store, load)).toBe(0)
    await writeNames(store)
    expect(await countReads(store, load)).toBe(1)
    expect(await load()).toEqual(['first', 'Ash!', 'A1'])
    expect(await countReads(store, load)).toBe(0)
    await letGo()
  },
)

test('what is cached needs no lane', async () => {
  await using shop = await openShop()
  const load = openReport(shop.store, [LINES, NAMES, NUMBERS])
  for (let at = 0; at < 2; at++) await load()
  const letGo = occupy(shop.store, LANES)
  expect(await load()).toEqual(['first', 'Ash', 'A1'])
  await letGo()
})

test('a write while a page waits for its lane is in all of it', async () => {
  await using shop = await openShop()
  const { store } = shop
  const load = openReport(store, [LINES, NAMES, NUMBERS])
  for (let at = 0; at < 2; at++) await load()
  await writeNames(store)
  const letGo = occupy(store, LANES)
  const page = load()
  await writeAll(store)
  await letGo()
  expect(await page).toEqual(['first!', 'Ash!!', 'A1!'])
})

test.each([0, MB])('a write between datasets is in none of them (cache of %p)', async (bytes) => {
  await using shop = await openShop()
  const { store } = shop
  const load = openReport(store, [SLOW, LINES, NAMES], bytes)
  for (let at = 0; at < 2; at++) await load()
  await writeAll(store)
  const before = store.counters.reads
  const letGo = occupy(store, LANES)
  const page = load()
  await letGo()
  await hasRead(store, before + 1)
  await writeAll(store)
  expect(await page).toEqual(['A1! 2000000', 'first!', 'Ash!'])
  expect(await load()).toEqual(['A1!! 2000000', 'first!!', 'Ash!!'])
})

test('side by side, a write to one table has its dataset alone read again', async () => {
  await using shop = await openShop()
  const { store } = shop
  // Nothing is cached: what was read before the write stands all the same.
  const load = openReport(store, [SLOW, LINES, NAMES], 0)
  const reads = await countReads(store, async () => {
    const before = store.counters.reads
    const page = load()
    await hasRead(store, before + 3)
    await writeNames(store)
    expect(await page).toEqual(['A1 2000000', 'first', 'Ash!'])
  })
  expect(reads).toBe(4)
})

test('a migration meanwhile lets nothing old stand', async () => {
  await using shop = await openShop()
  const { store } = shop
  const load = openReport(store, [SLOW, LINES, NAMES])
  for (let at = 0; at < 2; at++) await load()
  await writeAll(store)
  const before = store.counters.reads
  const page = load()
  await hasRead(store, before + 1)
  await store.migrate((tx) => tx.run(`UPDATE customers SET Name = 'all ' || Id`))
  const [, , names] = await page
  expect(['Ash!', 'all 1']).toContain(names ?? '')
  expect(await load()).toEqual(['A1! 2000000', 'first!', 'all 1'])
})

test('pages at one time share what they read of one state', async () => {
  await using shop = await openShop()
  const { store } = shop
  const load = openReport(store, [LINES, NAMES, NUMBERS])
  for (let at = 0; at < 2; at++) await load()
  await writeAll(store)
  const letGo = occupy(store, LANES)
  const reads = await countReads(store, async () => {
    const pages = Array.from({ length: 20 }, () => load())
    await letGo()
    const answers = await Promise.all(pages)
    for (const answer of answers) expect(answer).toEqual(['first!', 'Ash!', 'A1!'])
  })
  expect(reads).toBe(3)
})

test('who shares a read goes on alone when the other has no time left', async () => {
  await using shop = await openShop()
  const { store } = shop
  const load = openReport(store, [SLOW, NAMES])
  const letGo = occupy(store, LANES)
  const [short, long] = [load(30), load()]
  await letGo()
  const [hasty, patient] = await Promise.all([short, long])
  expect(patient).toEqual(['A1 2000000', 'Ash'])
  expect(['late', 'A1 2000000']).toContain(hasty?.[0] ?? '')
})

test('a page whose time is over gives its lane back', async () => {
  await using shop = await openShop({ readTimeoutMs: LONG_MS })
  const { store } = shop
  const load = openReport(store, [plan('orders', ENDLESS), NAMES])
  const loadInSnapshot = async (): Promise<string[]> => {
    const letGo = occupy(store, LANES)
    const page = load(1000)
    await letGo()
    return page
  }
  expect((await loadInSnapshot())[0]).toBe('late')
  // What took long stands last from now on; a machine that stands still may take the second, too.
  let page = await loadInSnapshot()
  while (page[1] === 'late') page = await loadInSnapshot()
  expect(page).toEqual(['late', 'Ash'])
  while (store.freeLanes < LANES) await Bun.sleep(1)
})
