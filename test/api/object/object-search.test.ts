/** Search in grids over HTTP: nothing stale, nothing of others, whatever stands in the text. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { refusal, type Row, startObjectShop } from '../../support/objects.ts'

let shop: Awaited<ReturnType<typeof startObjectShop>>

beforeAll(async () => {
  shop = await startObjectShop()
  for (let at = 0; at < 6; at++) {
    await shop.save('clerk', 'Bills', {
      ClientId: (at % 2) + 1,
      Total: at,
      Note: `Nr ${'abc'[at % 3]}`,
    })
  }
  await shop.save('other', 'Bills', { ClientId: 3, Total: 7 })
})
afterAll(() => shop[Symbol.asyncDispose]())

/** Found twice, by SQL and then by the text that was read meanwhile, and the same both times. */
async function find(as: string, view: string, SearchText: string, more: Row = {}) {
  const first = await shop.table(as, view, { SearchText, ...more })
  await shop.app.context.queryCache.texts.settled()
  const second = await shop.table(as, view, { SearchText, ...more })
  expect(second).toEqual(first)
  expect(first.Pagination.TotalRows).toBe(first.Rows.length)
  return first.Rows.map((row) => row.Id as number).sort((a, b) => a - b)
}

test('own and joined columns are searched, without regard to case', async () => {
  expect(await find('clerk', 'Bills', 'SOUTH')).toEqual([2, 4, 6])
  expect(await find('clerk', 'Bills', 'b-one-0003')).toEqual([3])
  expect(await find('clerk', 'Bills', '  north ')).toEqual([1, 3, 5])
  expect(await find('clerk', 'Bills', '')).toEqual([1, 2, 3, 4, 5, 6])
})

test('a search finds no rows of another company, and none that a row filter hides', async () => {
  expect(await find('other', 'Bills', 'north')).toEqual([7])
  expect(await find('rep', 'Bills', 'b-one')).toEqual([1, 3, 5])
  expect(await find('rep', 'Bills', 'south')).toEqual([])
  expect(await find('stray', 'Bills', 'b-one')).toEqual([])
  expect(await find('sys', 'Bills', 'north', { AllCompanies: true })).toEqual([1, 3, 5, 7])
})

test('filters, presets, sort and pages hold beside the search', async () => {
  const Filters = [{ Field: 'Total', Operator: 'ge', Value: 2 }]
  expect(await find('clerk', 'Bills', 'north', { Filters, Preset: 'Open' })).toEqual([3, 5])
  await find('clerk', 'Bills', 'north')
  const Sort = [{ Field: 'Total', Direction: 'desc' }]
  const page = await shop.table('clerk', 'Bills', {
    SearchText: 'north',
    Sort,
    PageSize: 2,
    Page: 1,
  })
  expect(page.Rows.map((row) => row.Id)).toEqual([5, 3])
  expect(page.Pagination).toMatchObject({ TotalRows: 3, TotalPages: 2, HasNext: true })
  const { NextCursor } = page.Pagination
  const next = await shop.table('clerk', 'Bills', {
    SearchText: 'north',
    Sort,
    PageSize: 2,
    Cursor: NextCursor,
  })
  expect(next.Rows.map((row) => row.Id)).toEqual([1])
})

test('what was answered as written is found at once, and what was changed is not', async () => {
  await find('clerk', 'Clients', 'north')
  const { Keys } = await shop.save('clerk', 'Clients', { Code: 'ÅÄ', Name: 'Straße 300 K' })
  const { Id } = Keys as { Id: number }
  for (const text of ['STRAẞE', 'straße 300 k', 'åä']) {
    expect(await find('clerk', 'Clients', text)).toEqual([Id])
  }
  await shop.save('clerk', 'Clients', { Id, Name: '100 % [sic] *? _' })
  expect(await find('clerk', 'Clients', 'straße')).toEqual([])
  for (const text of ['% [SIC]', '*?', '_', '[sic] *']) {
    expect(await find('clerk', 'Clients', text)).toEqual([Id])
  }
  for (const text of ['[a-z]', '1*0', '10?', "' OR 1=1 --", '"', '\\']) {
    expect(await find('clerk', 'Clients', text)).toEqual([])
  }
  await shop.remove('clerk', 'Clients', { Id })
  expect(await find('clerk', 'Clients', '_')).toEqual([])
})

test('a joined column that changes changes what is found', async () => {
  expect(await find('clerk', 'Bills', 'south')).toEqual([2, 4, 6])
  await shop.save('clerk', 'Clients', { Id: 2, Name: 'A Meridian' })
  expect(await find('clerk', 'Bills', 'south')).toEqual([])
  expect(await find('clerk', 'Bills', 'meridian')).toEqual([2, 4, 6])
  await shop.save('clerk', 'Clients', { Id: 2, Name: 'A South' })
  expect(await find('clerk', 'Bills', 'south')).toEqual([2, 4, 6])
})

test('200 characters are searched; a longer text, and what no text holds, is refused', async () => {
  expect(await find('clerk', 'Bills', '*a'.repeat(100))).toEqual([])
  for (const SearchText of ['x'.repeat(201), 'a\0b', '\ud800']) {
    refusal(await shop.call('clerk', '/Bills/table', { SearchText }), 400)
  }
})
