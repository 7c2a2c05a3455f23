/**
 * Grids against an oracle in memory: random data, filters, orders and row filters, through pages by
 * number, pages by cursor, counts and forms. Seeded, so that a failure comes again.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type FilterNode,
  filterOf,
  holdsNode,
  ITEM,
  type Item,
  ITEMS_MAX,
  NOW,
  orderRows,
  planInsert,
  SORT,
  type SortItem,
  ZONES,
} from '../support/grid-oracle.ts'
import { type Form, type Row, startAttackedRecords, type Table } from '../support/objects.ts'

let vault: Awaited<ReturnType<typeof startAttackedRecords>>
let items: Item[] = []

beforeAll(async () => {
  vault = await startAttackedRecords({ clock: { now: () => new Date(NOW) } })
  const drawn = fc.sample(ITEM, { seed: 7, numRuns: ITEMS_MAX })
  await vault.app.store.write(
    async (tx) => {
      await tx.run('DELETE FROM items')
      for (const [at, item] of drawn.entries()) await tx.run(...planInsert(item, at))
    },
    { company: 'all', because: 'a test' },
  )
  const rows = await vault.stored('SELECT Id FROM items ORDER BY Id')
  items = drawn.map((item, at) => ({ ...item, Id: Number(rows[at]?.Id) }))
})
afterAll(() => vault[Symbol.asyncDispose]())

/** The caller, and the rows that are theirs. */
const CALLERS: Readonly<Record<string, (item: Item) => boolean>> = {
  keeper: (item) => item.CompanyId === 1,
  other: (item) => item.CompanyId === 2,
  guest: (item) => item.CompanyId === 1 && item.Region === 'north',
  sys: () => true,
}

const QUERY = fc.record({
  as: fc.constantFrom(...Object.keys(CALLERS)),
  zone: fc.constantFrom(...ZONES),
  filters: fc.array(filterOf(3), { maxLength: 3 }),
  sort: fc.array(SORT, { maxLength: 3 }),
  size: fc.integer({ min: 3, max: 40 }),
})

interface Query {
  as: string
  zone: string
  filters: FilterNode[]
  sort: SortItem[]
  size: number
}

async function load(view: string, { as, zone, filters, sort, size }: Query, more: Row) {
  const answer = await vault.app.fetch<{ data: Table }>(`/api/v1/svc/object/${view}/table`, {
    as,
    headers: { 'X-TimeZone': zone },
    body: {
      Filters: filters,
      Sort: sort,
      PageSize: size,
      ...(as === 'sys' && { AllCompanies: true }),
      ...more,
    },
  })
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  return answer.body.data
}

const idsOf = (rows: readonly Row[]) => rows.map((row) => row.Id)

/** Every page, each after the one before it. */
async function loadAll(view: string, query: Query, next: (table: Table, page: number) => Row) {
  const ids: unknown[] = []
  for (let page = 1, more = {}; ; page++) {
    const table = await load(view, query, more)
    ids.push(...idsOf(table.Rows))
    if (!table.Pagination.HasNext) return { ids, total: table.Pagination.TotalRows, page }
    expect(table.Rows).toHaveLength(query.size)
    more = next(table, page + 1)
  }
}

function oracle({ as, zone, filters, sort }: Query): unknown[] {
  const own = items.filter((item) => CALLERS[as]?.(item))
  const kept = own.filter((item) => filters.every((node) => holdsNode(node, item, zone)))
  return idsOf(orderRows(kept, sort))
}

async function holdsFor(view: string, query: Query): Promise<void> {
  const expected = oracle(query)
  const byNumber = await loadAll(view, query, (_, Page) => ({ Page }))
  expect(byNumber.ids).toEqual(expected)
  expect(byNumber.total).toBe(expected.length)
  const byCursor = await loadAll(view, query, ({ Pagination }) => ({
    Cursor: Pagination.NextCursor,
    CountMode: 'none',
  }))
  expect(byCursor.ids).toEqual(expected)
  const bounded = await load(view, query, { CountMode: 'bounded', Page: byNumber.page })
  expect(bounded.Pagination.TotalRows).toBe(expected.length)
}

const RUNS = { numRuns: 60, seed: 20260721 }

test.each(['Items', 'Authored'])('%s: pages, cursors and counts are the oracle’s', async (view) => {
  await fc.assert(
    fc.asyncProperty(QUERY, (query) => holdsFor(view, query)),
    RUNS,
  )
})

/** Expressions: numbers with more digits than JSON keeps, and whole ones beyond what it can. */
const COMPUTED = fc.record({
  Field: fc.constantFrom('Tax', 'Huge', 'Plain', 'Text1', 'PickName', 'CreatedAt'),
  Direction: fc.constantFrom('asc' as const, 'desc' as const),
})

test('cursors go on exactly after what cannot be written down in a few digits', async () => {
  const drawn = fc.record({
    sort: fc.array(COMPUTED, { minLength: 1, maxLength: 3 }),
    size: fc.nat(9),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ sort, size }) => {
      const query = { as: 'keeper', zone: 'UTC', filters: [], sort, size: size + 1 }
      const whole = await load('Authored', { ...query, size: 1000 }, {})
      const byCursor = await loadAll('Authored', query, ({ Pagination }) => ({
        Cursor: Pagination.NextCursor,
      }))
      expect(byCursor.ids).toEqual(idsOf(whole.Rows))
    }),
    RUNS,
  )
})

test('forms show exactly the rows of the grid, and nothing else', async () => {
  const one = fc.record({
    as: fc.constantFrom('keeper', 'other', 'guest'),
    at: fc.nat(ITEMS_MAX - 1),
  })
  await fc.assert(
    fc.asyncProperty(one, async ({ as, at }) => {
      const item = items[at]
      const answer = await vault.call<Form>(as, '/Items/form', { Parameters: { Id: item?.Id } })
      expect(answer.status).toBe(item && CALLERS[as]?.(item) ? 200 : 404)
      if (answer.status === 200) {
        const { Name, Price, Amount, At, Due, Flag, Region } = answer.body.data.Values
        expect({ Id: item?.Id, CompanyId: item?.CompanyId }).toMatchObject({ Id: item?.Id })
        expect({ Name, Price, Amount, At, Due, Flag, Region }).toEqual({
          Name: item?.Name,
          Price: item?.Price,
          Amount: item?.Amount,
          At: item?.At,
          Due: item?.Due,
          Flag: item?.Flag,
          Region: item?.Region,
        })
      }
    }),
    RUNS,
  )
})
