/** Values hidden from a caller: in rows, and in filters, orders, cursors and errors. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, refusal, type Reply, type Row, startAttackedRecords } from '../../support/objects.ts'

let vault: Awaited<ReturnType<typeof startAttackedRecords>>
beforeAll(async () => {
  vault = await startAttackedRecords()
})
afterAll(() => vault[Symbol.asyncDispose]())

const HIDDEN = 2
const FOREIGN = 3
const MISSING = 99

const open = (cursor: string | null) => Buffer.from(cursor ?? '', 'base64url').toString()

/** Fields served to nobody, or not to this caller, and what is no field at all. */
const UNSERVED: [name: string, as: string, field: string][] = [
  ['a field of no surface', 'keeper', 'Kept'],
  ['a field hidden from the role', 'guest', 'Cost'],
  ['a field that is not there', 'guest', 'Nothing'],
  ['the number of a row', 'guest', 'rowid'],
  ['a table of the database', 'guest', 'sqlite_master'],
  ['a column of who made it', 'guest', 'CreatedBy.PasswordHash'],
]

test.each(UNSERVED)(
  'Strapi CVE-2026-27886: %s is neither filter, order nor choice',
  async (_, as, field) => {
    const requests = [
      { Filters: [{ Field: field, Operator: 'isNull' }] },
      { Filters: [{ Field: field, Operator: 'eq', Value: 'kept' }] },
      { Sort: [{ Field: field }] },
      { Fields: [field] },
    ]
    const texts = new Set<string>()
    for (const request of requests) {
      texts.add(refusal(await vault.call(as, '/Items/table', request), 400).error)
    }
    expect([...texts]).toEqual([`Unknown field '${field}'`])
    const all = await vault.table(as, 'Items')
    const narrowed = await vault.table(as, 'Items', { Parameters: { [field]: 'no such value' } })
    expect(narrowed.Pagination).toEqual(all.Pagination)
  },
)

test('Strapi CVE-2026-27886: unknown members change nothing, or are refused', async () => {
  const plain = await vault.table('guest', 'Items', { CountMode: 'exact' })
  const more = {
    where: { Cost: { $gt: 1 } },
    'where[Cost][$gt]': 1,
    Where: '1 = 0',
    populate: '*',
    Having: 'Cost > 1',
    total: 0,
    Limit: 1,
  }
  expect(await vault.table('guest', 'Items', { CountMode: 'exact', ...more })).toEqual(plain)
  const near = await vault.call('guest', '/Items/table', { $filter: 'Cost gt 1' })
  expect(refusal(near, 400)).toMatchObject({ code: 'UNKNOWN_MEMBER' })
})

test('Directus CVE-2025-30352: a search finds nothing in hidden fields and rows', async () => {
  const north = { Code: 'sought', Name: 'sought north', Region: 'north', Cost: 7654.32 }
  await vault.save('keeper', 'Items', north)
  await vault.save('keeper', 'Items', { Code: 'sought-too', Name: 'sought south', Region: 'south' })
  const find = async (as: string, SearchText: string) => {
    const { Rows, Pagination } = await vault.table(as, 'Items', { SearchText, CountMode: 'exact' })
    return [Rows.map(({ Name }) => Name), Pagination.TotalRows]
  }
  expect(await find('keeper', 'sought')).toEqual([['sought north', 'sought south'], 2])
  expect(await find('guest', 'sought')).toEqual([['sought north'], 1])
  for (const [as, text] of [
    ['guest', '7654'],
    ['guest', 'kept'],
    ['keeper', 'kept'],
  ] as const)
    expect([as, text, ...(await find(as, text))]).toEqual([as, text, [], 0])
})

test('a parent narrows although its field is served nowhere', async () => {
  const Details = { Pieces: { Upsert: [{ Note: 'one', Region: 'north' }] } }
  const { Keys } = await vault.save(
    'keeper',
    'Items',
    { Code: 'whole', Region: 'north' },
    { Details },
  )
  const ItemId = (Keys as Row).Id
  const { Rows } = await vault.table('keeper', 'Pieces', { Parameters: { ItemId } })
  expect(Rows).toMatchObject([{ Note: 'one' }])
  expect(Rows[0]).not.toHaveProperty('ItemId')
  expect((await vault.table('keeper', 'Pieces', { Parameters: { ItemId: 1 } })).Rows).toEqual([])
})

test('an order by what is served to nobody gives pages, but no cursor that tells it', async () => {
  const first = await vault.table('keeper', 'Sorted', { PageSize: 1 })
  expect(first.Pagination).toMatchObject({ HasNext: true, NextCursor: null })
  const scope = Bun.hash('Sorted:+Kept,+Id').toString(36)
  const Cursor = Buffer.from(JSON.stringify([scope, 'ta', 'i0'])).toString('base64url')
  refusal(await vault.call('keeper', '/Sorted/table', { Cursor }), 400)
})

test('a cursor holds the values of the order and nothing else', async () => {
  const page = { PageSize: 1, Sort: [{ Field: 'Code' }] }
  const { Pagination } = await vault.table('guest', 'Items', page)
  expect(open(Pagination.NextCursor)).not.toContain('9.99')
})

/** After the channels of row-level security: a hidden record is as one that is not there. */
const CALLS: [name: string, call: (id: number) => Promise<Reply<unknown>>][] = [
  ['form', (Id) => vault.call('guest', '/Items/form', { Parameters: { Id } })],
  ['view', (Id) => vault.call('guest', '/Items/view', { Parameters: { Id } })],
  ['submit', (Id) => vault.submit('guest', 'Items', { Id, Name: 'x' })],
  ['submit of nonsense', (Id) => vault.submit('guest', 'Items', { Id, Amount: 'x' })],
  ['submit with a stamp', (Id) => vault.submit('guest', 'Items', { Id, RowVersion: '1' })],
  ['submit of a detail', (Id) => vault.submit('guest', 'Items', { Id }, piece(Id))],
  ['delete', (Id) => vault.remove('guest', 'Items', { Id })],
  ['action', (Id) => vault.act('guest', 'Items', 'Seal', { Id, Reason: 'x' })],
  [
    'action with a stamp',
    (Id) => vault.act('guest', 'Items', 'Blank', { Id }, { RowVersion: '1' }),
  ],
  ['action of rows', (Id) => vault.act('guest', 'Items', 'Seal', {}, { Keys: [{ Id }] })],
  ['authored form', (Id) => vault.call('guest', '/Authored/form', { Parameters: { Id } })],
  ['authored submit', (Id) => vault.submit('guest', 'Authored', { Id, Name: 'x' })],
]

const piece = (id: number) => ({ Details: { Pieces: { Upsert: [{ Id: id, Note: 'x' }] } } })

test.each(CALLS)('%s of a hidden record answers as for a missing one', async (_, call) => {
  const texts = []
  for (const id of [MISSING, HIDDEN, FOREIGN]) {
    const { traceId, ...rest } = refusal(await call(id), 404)
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    texts.push(JSON.stringify(rest))
  }
  expect(new Set(texts).size).toBe(1)
})

test('the options of a field tell no value of a hidden record', async () => {
  const ask = async (Id: number) => {
    const asked = { FormName: 'Items', FieldName: 'Name', Parameters: { Id } }
    return data(await vault.call<Row[]>('guest', '/field-dataset', asked))
  }
  expect(await ask(1)).toHaveLength(1)
  for (const id of [MISSING, HIDDEN, FOREIGN]) expect(await ask(id)).toEqual([])
})

test('a reference to a hidden record is refused like one to no record', async () => {
  const answers = []
  for (const PickId of [2, MISSING]) {
    const answer = await vault.submit('guest', 'Items', { Code: 'pick', Region: 'north', PickId })
    answers.push(refusal(answer, 400).fieldErrors)
  }
  expect(answers[0]).toEqual({ PickId: 'Pick: there is no such pick' })
  expect(answers[1]).toEqual(answers[0])
  await vault.save('guest', 'Items', { Code: 'pick', Region: 'north', PickId: 1 })
})

test('a stale stamp tells of no field that the caller does not get', async () => {
  const { RowVersion } = (await vault.form('guest', 'Items', { Id: 1 })).Values
  await vault.save('keeper', 'Items', { Id: 1, RowVersion, Cost: 5, Remark: 'r' })
  const answer = await vault.submit('guest', 'Items', { Id: 1, RowVersion, Name: 'mine' })
  const { conflict } = refusal(answer, 409)
  expect(conflict?.ChangedFields).toEqual(['Remark'])
  expect(conflict?.Current).not.toHaveProperty('Cost')
  expect(conflict?.Current).not.toHaveProperty('Kept')
})

test('the values of a form are those of the record that was judged', async () => {
  const Parameters = { Id: 1, Other: HIDDEN }
  const answer = await vault.call('guest', '/Authored/form', { Parameters })
  expect(refusal(answer, 404).code).toBe('RECORD_NOT_FOUND')
})

test('the text of an action tells no hidden field, and the row as it is afterwards', async () => {
  const sealed = await vault.act('guest', 'Items', 'Seal', { Id: 1, Reason: 'why' })
  expect(sealed.body.data.Dispatch).toMatchObject([{ Message: 'north  why' }])
  const { Keys } = await vault.save('guest', 'Items', { Name: 'n', Region: 'north' })
  const blanked = await vault.act('guest', 'Items', 'Blank', Keys as Row)
  expect(blanked.body.data.Dispatch).toMatchObject([{ Message: "now ''" }])
})

test('an action answers with the record as the caller sees it, if they still do', async () => {
  const sendable = { Code: 'send', Name: 'n', Region: 'north' }
  const { Keys } = await vault.save('guest', 'Items', sendable)
  const { Values } = data(await vault.act('guest', 'Items', 'Blank', Keys as Row))
  expect(Values).toMatchObject({ ...Keys, Name: null, Region: 'north' })
  expect(Object.keys(Values)).not.toContain('Cost')
  const sent = data(await vault.act('guest', 'Items', 'Send', Keys as Row))
  expect(Object.keys(sent).sort()).toEqual(['Action', 'Dispatch', 'Ignored', 'Keys'])
})

test('a role that may not read does not lift what hides a field from those that do', async () => {
  const { Rows } = await vault.table('blind', 'Items')
  expect(Rows.length).toBeGreaterThan(0)
  for (const row of Rows) expect(row).not.toHaveProperty('Cost')
})

test('the company is the session’s, whatever a request says', async () => {
  const more = { AllCompanies: true, CompanyId: 2, Parameters: { CurrentCompanyId: 2 } }
  expect((await vault.table('guest', 'Items', more)).Rows.every((row) => row.CompanyId === 1)).toBe(
    true,
  )
  refusal(await vault.call('keeper', '/Items/form', { ...more, Parameters: { Id: FOREIGN } }), 404)
})

test('gates come before bodies', async () => {
  const paths = ['/Items/table', '/Items/form', '/Items/view']
  for (const path of paths)
    refusal(await vault.call('nobody', path, { Page: 'x', Parameters: 1 }), 401)
  const named = [
    ['/submit', { formname: 'Items', Parameters: 1 }],
    ['/delete-row', { objectName: 'Items', RowVersion: {} }],
    ['/execute-row-action', { OBJECTNAME: 'Items', ActionName: 'Nothing' }],
  ] as const
  for (const [path, body] of named) refusal(await vault.call('nobody', path, body), 401)
})

test('options are not found by a field that is hidden where they are looked up', async () => {
  const request = { FormName: 'Parts', FieldName: 'ItemId' }
  const find = (as: string, SearchText: string) =>
    vault.call<Row[]>(as, '/field-dataset', { ...request, SearchText })
  expect((await find('keeper', 'north-1')).body.data).toMatchObject([{ Value: '1' }])
  expect((await find('uncoded', 'north-1')).body.data).toEqual([])
  expect((await find('uncoded', 'north')).body.data).toMatchObject([{ Value: '1' }])
})
