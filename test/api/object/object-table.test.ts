/** Pages of rows: company, row filters, search, sort, pages, cursors, counts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { refusal, type Row, startObjectShop } from '../../support/objects.ts'

const NOW = new Date('2026-11-21T09:00:00Z')
let shop: Awaited<ReturnType<typeof startObjectShop>>

beforeAll(async () => {
  shop = await startObjectShop({ clock: { now: () => new Date(NOW) } })
  const days = [0, 1, 2, 8, 40]
  for (const [at, age] of days.entries()) {
    const issued = new Date(NOW.getTime() - age * 86_400_000).toISOString()
    const ClientId = (at % 2) + 1
    const more = { IssuedAt: issued, Total: at * 10 + 0.1, Cost: at, Note: at === 2 ? null : 'abc' }
    await shop.save('clerk', 'Bills', { ClientId, ...more })
  }
  await shop.save('other', 'Bills', { ClientId: 3, Total: 7 })
})
afterAll(() => shop[Symbol.asyncDispose]())

const ids = (rows: Row[]) => rows.map((row) => row.Id)

test('rows are the company’s, in the order of the view, with every visible field', async () => {
  const { Rows, Pagination, Permissions } = await shop.table('clerk', 'bills')
  expect(ids(Rows)).toEqual([1, 2, 3, 4, 5])
  expect(Rows[1]).toEqual({
    Number: 'B-ONE-0002',
    ClientName: 'A South',
    ClientId__Label: 'A South',
    Margin: 9.1,
    Note: 'abc',
    Id: 2,
    CompanyId: 1,
    ClientId: 2,
    Status: 'new',
    IssuedAt: '2026-11-20T09:00:00.000Z',
    DueOn: null,
    Total: 10.1,
    Cost: 1,
    Paid: false,
    RowVersion: String(NOW.getTime()),
    Region: 'south',
    Permit__Approve: true,
    Permit__Update: true,
    Permit__Delete: true,
  })
  expect(Pagination).toEqual({
    Page: 1,
    PageSize: 50,
    TotalRows: 5,
    TotalPages: 1,
    TotalIsExact: true,
    HasNext: false,
    NextCursor: null,
  })
  expect(Permissions).toEqual({
    Create: true,
    Update: true,
    Delete: true,
    Export: false,
    Import: false,
    Capabilities: ['Approve'],
    Fields: {},
  })
})

test('a row filter holds, and a hidden field is not there in any way', async () => {
  const { Rows } = await shop.table('rep', 'Bills')
  expect(ids(Rows)).toEqual([1, 3, 5])
  expect(Object.keys(Rows[0] ?? {})).not.toContain('Margin')
  expect(Rows[0]?.Permit__Approve).toBe(false)
  for (const request of [
    { Filters: [{ Field: 'Margin', Operator: 'gt', Value: 0 }] },
    { Sort: [{ Field: 'Margin' }] },
    { Fields: ['Margin'] },
  ]) {
    const hidden = refusal(await shop.call('rep', '/Bills/table', request), 400)
    const missing = await shop.call(
      'rep',
      '/Bills/table',
      JSON.parse(JSON.stringify(request).replaceAll('Margin', 'Nargin')),
    )
    expect(refusal(missing, 400).error).toBe(hidden.error.replace('Margin', 'Nargin'))
  }
})

test('a user attribute that is missing matches nothing', async () => {
  expect((await shop.table('stray', 'Bills')).Rows).toEqual([])
})

test('System sees its company, and all of them where it asks', async () => {
  expect((await shop.table('sys', 'Bills')).Pagination.TotalRows).toBe(5)
  const all = await shop.table('sys', 'Bills', { AllCompanies: true })
  expect(all.Pagination.TotalRows).toBe(6)
  const clerk = await shop.table('clerk', 'Bills', { AllCompanies: true })
  expect(clerk.Pagination.TotalRows).toBe(5)
})

test('search ignores case, covers the searchable fields and only the caller’s rows', async () => {
  expect(ids((await shop.table('clerk', 'Bills', { SearchText: 'a SOUTH' })).Rows)).toEqual([2, 4])
  expect(ids((await shop.table('clerk', 'Bills', { SearchText: 'one-0003' })).Rows)).toEqual([3])
  expect((await shop.table('rep', 'Bills', { SearchText: 'South' })).Rows).toEqual([])
  expect((await shop.table('clerk', 'Bills', { SearchText: 'B North' })).Rows).toEqual([])
  expect((await shop.table('clerk', 'Bills', { SearchText: '%' })).Rows).toEqual([])
})

test('pages are stable and cursors go on where a page ended, in both directions', async () => {
  for (const Direction of ['asc', 'desc']) {
    for (const Field of ['Note', 'Total', 'IssuedAt', 'ClientName']) {
      const Sort = [{ Field, Direction }]
      const whole = ids((await shop.table('clerk', 'Bills', { Sort })).Rows)
      const paged: unknown[] = []
      const cursored: unknown[] = []
      let Cursor: string | null = null
      for (let Page = 1; Page <= 3; Page++) {
        paged.push(...ids((await shop.table('clerk', 'Bills', { Sort, Page, PageSize: 2 })).Rows))
        const next = await shop.table('clerk', 'Bills', { Sort, PageSize: 2, Cursor })
        expect(next.Pagination.HasNext).toBe(Page < 3)
        cursored.push(...ids(next.Rows))
        Cursor = next.Pagination.NextCursor
      }
      expect(paged).toEqual(whole)
      expect(cursored).toEqual(whole)
    }
  }
})

test('a cursor of another sort is refused', async () => {
  const page = await shop.table('clerk', 'Bills', { PageSize: 2 })
  const request = { Cursor: page.Pagination.NextCursor, Sort: [{ Field: 'Total' }] }
  expect(refusal(await shop.call('clerk', '/Bills/table', request), 400).code).toBe(
    'FOREIGN_CURSOR',
  )
})

test('counts: exact, bounded, none', async () => {
  const none = await shop.table('clerk', 'Bills', { CountMode: 'none', PageSize: 5 })
  expect(none.Pagination).toMatchObject({ TotalRows: null, HasNext: false, TotalIsExact: false })
  const bounded = await shop.table('clerk', 'Bills', { CountMode: 'bounded', PageSize: 2 })
  expect(bounded.Pagination).toMatchObject({ TotalRows: 5, TotalIsExact: true, HasNext: true })
})

test('presets, parents and chosen fields', async () => {
  expect((await shop.table('clerk', 'Bills', { Preset: 'open' })).Rows.length).toBe(5)
  expect(ids((await shop.table('clerk', 'Bills', { Parameters: { clientid: 2 } })).Rows)).toEqual([
    2, 4,
  ])
  const { Rows } = await shop.table('clerk', 'Bills', { Fields: ['total'], PageSize: 1 })
  expect(Object.keys(Rows[0] ?? {}).sort()).toEqual([
    'Id',
    'Permit__Approve',
    'Permit__Delete',
    'Permit__Update',
    'RowVersion',
    'Total',
  ])
})

test('context parameters cannot be set by a request', async () => {
  const forged = { CurrentCompanyId: 3, currentcompanyid: 3, User_Region: 'south', Now: 'x' }
  expect(ids((await shop.table('rep', 'Bills', { Parameters: forged })).Rows)).toEqual([1, 3, 5])
})

test('an omitted body is an empty request', async () => {
  const answer = await shop.app.fetch<{ data: { Rows: Row[] } }>('/api/v1/svc/object/bills/table', {
    as: 'clerk',
    method: 'POST',
  })
  expect(answer.body.data.Rows.length).toBe(5)
})

test('refusals run no SQL, and neither does metadata', async () => {
  await shop.table('clerk', 'Bills')
  await shop.call('nobody', '/Bills/table', {})
  const { reads, writes } = shop.app.store.counters
  const refused = await shop.call('nobody', '/Bills/table', { Page: 'nonsense' })
  expect(refusal(refused, 401).code).toBe('PERMISSION_DENIED')
  expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
  refusal(await shop.call('nobody', '/submit', { FormName: 'Bills', Parameters: {} }), 401)
  refusal(await shop.call('nobody', '/delete-row', { ObjectName: 'Bills' }), 401)
  refusal(
    await shop.call('nobody', '/execute-row-action', {
      ObjectName: 'Bills',
      ActionName: 'Approve',
    }),
    401,
  )
  refusal(await shop.call('clerk', '/Nothing/table', {}), 404)
  refusal(await shop.call('clerk', '/Bills/table', { Filters: [{ Field: 'x' }] }), 400)
  expect((await shop.call('nobody', '/Bills/metadata')).status).toBe(200)
  expect((await shop.call('nobody', '/label/bills')).body.data).toBe('Bills')
  expect(shop.app.store.counters).toEqual({ reads, writes })
})
