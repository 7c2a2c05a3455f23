/** Values that nobody expects: each is answered with a refusal or a page, and nothing falls. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Row, startAttackedRecords } from '../../support/objects.ts'

let vault: Awaited<ReturnType<typeof startAttackedRecords>>
beforeAll(async () => {
  vault = await startAttackedRecords({ clock: { now: () => new Date('2026-11-21T09:00:00Z') } })
})
afterAll(() => vault[Symbol.asyncDispose]())

/** An object that JavaScript cannot turn into a text. */
const OBJECT = { toString: 1, valueOf: 1 }
const MEGABYTE = 'a'.repeat(1_000_000)

const filter = (Field: string, Operator: unknown, Value: unknown) => ({
  Filters: [{ Field, Operator, Value }],
})

/** Values in place of a word or a name. */
const REFUSED: [name: string, request: unknown][] = [
  ['an object as operator', filter('Id', OBJECT, 1)],
  ['an object as logic', { Filters: { Logic: OBJECT, Filters: [] } }],
  ['SQL as operator', filter('Id', '=1 OR 1=1', 1)],
  ['an object as value', filter('Name', 'eq', OBJECT)],
  ['a list as value', filter('Name', 'eq', ['a'])],
  ['an object in a list', filter('Name', 'in', [OBJECT])],
  ['half a character', filter('Name', 'contains', '\ud800')],
  ['NUL', filter('Name', 'startsWith', 'a\0b')],
  ['half a character to search', { SearchText: '\udfff' }],
  ['NUL to search', { SearchText: 'a\0b' }],
  ['a megabyte to match', filter('Name', 'contains', MEGABYTE)],
  ['a megabyte to search', { SearchText: MEGABYTE }],
  ['a megabyte as a date word', filter('Due', 'eq', `${MEGABYTE}!`)],
  ['a megabyte as an instant', filter('At', 'between', [`${MEGABYTE}!`, MEGABYTE])],
  ['a megabyte as a field', filter(MEGABYTE, 'eq', 1)],
  ['a sum as a field', { Sort: [{ Field: '(CASE WHEN 1 THEN Id END)' }] }],
  ['a collation', { Sort: [{ Field: '"Name" COLLATE NOCASE' }] }],
  ['a number as a field', { Sort: [{ Field: '1' }] }],
  ['a direction with more', { Sort: [{ Field: 'Id', Direction: 'ASC,(SELECT 1)' }] }],
  ['a page of text', { Page: '0x10' }],
  ['a page below one', { Page: -1 }],
  ['a fraction of a page', { PageSize: 1.5 }],
  ['a page beyond the last number', { Page: 1e308 }],
  ['a thousand and one rows', { PageSize: 1001 }],
  ['rowid', filter('rowid', 'eq', 1)],
  ['a table', filter('sqlite_master', 'isNull', null)],
  ['a path', filter('CreatedBy.PasswordHash', 'eq', 1)],
  ['eleven levels', nest(11, filter('Id', 'eq', 1).Filters)],
  [
    '201 conditions',
    { Filters: Array.from({ length: 201 }, () => filter('Id', 'eq', 1).Filters[0]) },
  ],
  [
    'a list of a thousand and one',
    filter(
      'Id',
      'in',
      Array.from({ length: 1001 }, (_, at) => at),
    ),
  ],
]

function nest(levels: number, filters: unknown): { Filters: unknown } {
  return levels === 1 ? { Filters: filters } : { Filters: [nest(levels - 1, filters)] }
}

const NAMED = 'NocoDB CVE-2026-28399, Strapi CVE-2026-22599, ERPNext CVE-2026-44446/44447'

test.each(REFUSED)(`${NAMED}: refused: %s`, async (_, request) => {
  const answer = await vault.call('keeper', '/Items/table', request)
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 400 })
  expect(answer.text.length).toBeLessThan(1000)
})

const day = (at: number) => new Date(at * 86_400_000).toISOString().slice(0, 10)

const TAKEN: [name: string, request: unknown, rows: number][] = [
  [
    'a thousand days',
    filter(
      'CreatedAt',
      'in',
      Array.from({ length: 1000 }, (_, at) => day(at)),
    ),
    0,
  ],
  ['today in a list', filter('CreatedAt', 'in', ['today', '1999-01-01', null]), 2],
  ['none of the days', filter('CreatedAt', 'notIn', ['yesterday', null]), 2],
  ['none of today', filter('CreatedAt', 'notIn', ['today']), 0],
  ['before the end of time', filter('CreatedAt', 'le', '9999-12-31'), 2],
  ['after the end of time', filter('CreatedAt', 'gt', '9999-12-31'), 0],
  ['in the first year', filter('CreatedAt', 'lt', '0001-01-01'), 0],
  ['GLOB’s own signs', filter('Name', 'contains', '*'), 0],
  ['a bracket', filter('Name', 'startsWith', '[a-z'), 0],
  [
    '200 conditions',
    { Filters: Array.from({ length: 200 }, () => filter('Id', 'gt', 0).Filters[0]) },
    2,
  ],
  ['ten levels', nest(10, filter('Id', 'gt', 0).Filters), 2],
  ['members named like a prototype', JSON.parse('{"__proto__":{"Page":9},"constructor":1}'), 2],
]

test.each(TAKEN)('taken: %s', async (_, request, rows) => {
  expect((await vault.table('keeper', 'Items', request)).Rows).toHaveLength(rows)
})

const FORGED = [
  '"t\\ud800"',
  '"ta\\u0000"',
  '"i1e999"',
  '"i99999999999999999999"',
  '"r1e9999"',
  '5',
  '{}',
]

test.each(FORGED)('a forged cursor is refused: %s', async (value) => {
  const { Pagination } = await vault.table('keeper', 'Items', { PageSize: 1 })
  const [scope] = JSON.parse(Buffer.from(String(Pagination.NextCursor), 'base64url').toString())
  const Cursor = Buffer.from(`["${scope}",${value}]`).toString('base64url')
  const answer = await vault.call('keeper', '/Items/table', { Cursor })
  expect({ status: answer.status, code: answer.body.code }).toEqual({
    status: 400,
    code: 'FOREIGN_CURSOR',
  })
})

const STAMPS = [[], [1], {}, OBJECT, true, -1, 1.5, 1e300, '1e3', ' ', '\ud800', MEGABYTE]

test.each(STAMPS.map((stamp) => [stamp]))('a stamp that is none is stale', async (RowVersion) => {
  const answer = await vault.submit('keeper', 'Items', { Id: 1, RowVersion, Name: 'x' })
  expect(answer.status).toBe(409)
})

const MISFITS: Row[] = [
  { Price: 'NaN' },
  { Price: '1e400' },
  { Price: [1] },
  { Amount: '9007199254740993' },
  { Amount: -0.5 },
  { Flag: 'yes' },
  { Due: '2026-02-30' },
  { At: '2026-02-28T24:00:00Z' },
  { Opens: '25:00' },
  { Mark: 'x' },
  { Meta: '{"a":"\\ud800"}' },
  { Meta: '{' },
  { Name: 'a\0b' },
  { Name: '\ud800' },
  { Name: OBJECT },
]

test.each(MISFITS)('a value that does not fit its field: %p', async (values) => {
  const answer = await vault.submit('keeper', 'Items', { Code: 'misfit', ...values })
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 400 })
  expect(Object.keys(answer.body.fieldErrors ?? {})).toEqual(Object.keys(values))
})

/** Values in place of an object or a list: the check must come before any copying. */
const SHAPES: [name: string, path: string, body: Row][] = [
  ['parameters of a table', '/Items/table', { Parameters: MEGABYTE }],
  ['parameters of a form', '/Items/form', { Parameters: MEGABYTE }],
  ['a list of parameters', '/Items/table', { Parameters: [1] }],
  ['a number of parameters', '/Items/table', { Parameters: 1 }],
  ['fields', '/Items/table', { Fields: MEGABYTE }],
  ['an order', '/Items/table', { Sort: MEGABYTE }],
  ['parameters', '/submit', { FormName: 'Items', Parameters: MEGABYTE }],
  ['details', '/submit', { FormName: 'Items', Details: MEGABYTE }],
  ['one detail', '/submit', { FormName: 'Items', Details: { Pieces: MEGABYTE } }],
  ['rows', '/submit', { FormName: 'Items', Details: { Pieces: { Upsert: MEGABYTE } } }],
  ['one row', '/submit', { FormName: 'Items', Details: { Pieces: { Upsert: [MEGABYTE] } } }],
  ['keys', '/execute-row-action', { ObjectName: 'Items', ActionName: 'Seal', Keys: MEGABYTE }],
  ['a key', '/execute-row-action', { ObjectName: 'Items', ActionName: 'Seal', Keys: [MEGABYTE] }],
]

test.each(SHAPES)('of another shape: %s', async (_, path, body) => {
  const answer = await vault.call('keeper', path, body)
  expect({ status: answer.status, code: answer.body.code }).toEqual({
    status: 400,
    code: 'VALIDATION_FAILED',
  })
  expect((await vault.call('nobody', path, body)).status).toBe(401)
})

test('an attribute that does not fit its type matches nothing', async () => {
  await vault.save('keeper', 'Items', { Code: 'flagged', Flag: true, Amount: 0 })
  expect((await vault.table('odd', 'Items')).Rows).toEqual([])
  const rows = (await vault.table('leveled', 'Items')).Rows
  expect(rows.map((row) => row.Code)).toEqual(['flagged'])
})

test('rows without a key: odd names, odd values, and no cursor that loses any', async () => {
  const odd = `a "b" é'x`
  const { Rows } = await vault.table('keeper', 'Free')
  expect(Rows.map((row) => [row.Data, row.Much, row[odd]])).toEqual([
    [null, null, '9223372036854775807'],
    [{ a: 1 }, null, '0.3'],
    [null, 1e15, null],
  ])
  const Filters = [{ Field: odd, Operator: 'eq', Value: '0.3' }]
  expect((await vault.table('keeper', 'Free', { Filters })).Pagination.TotalRows).toBe(1)
  const Sort = [{ Field: 'Key' }]
  const first = await vault.table('keeper', 'Free', { Sort, PageSize: 2 })
  expect(first.Pagination).toMatchObject({ HasNext: true, NextCursor: null })
  const second = await vault.table('keeper', 'Free', { Sort, PageSize: 2, Page: 2 })
  expect(first.Rows.length + second.Rows.length).toBe(3)
  expect((await vault.submit('keeper', 'Free', { Key: '1' })).status).toBe(401)
})
