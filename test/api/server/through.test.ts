/** Many-to-many: lists of keys through another entity, read, replaced and refused. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Lookups, startLookups } from '../../support/lookups.ts'
import { data, refusal, type Row } from '../../support/objects.ts'

let all: Lookups
beforeAll(async () => {
  all = await startLookups()
})
afterAll(() => all[Symbol.asyncDispose]())

const tagsOf = async (as: string, Id: unknown): Promise<unknown> =>
  (await all.form(as, 'Items', { Id })).Values.Tags

async function create(parameters: Row, as = 'keeper'): Promise<{ Id: unknown; stamp: unknown }> {
  const { Keys, RowVersion } = await all.save(as, 'Items', { Title: 'T', ...parameters })
  return { Id: Array.isArray(Keys) ? undefined : Keys?.Id, stamp: RowVersion }
}

test('forms and views carry the keys with their labels; a new record has none', async () => {
  const { Id } = await create({ Tags: [2, 1, 2] })
  const { Values } = await all.form('keeper', 'Items', { Id })
  expect(Values).toMatchObject({ Tags: [1, 2], Tags__Label: ['old', 'rare'] })
  const view = data(await all.call<Row>('keeper', '/Items/view', { Parameters: { Id } }))
  expect(view.Values).toMatchObject({ Tags: [1, 2], Tags__Label: ['old', 'rare'] })
  const fresh = await all.form('keeper', 'Items')
  expect(fresh.Values).toMatchObject({ Tags: [], Tags__Label: [] })
})

test('a grid has the list where the field says so', async () => {
  const { Id } = await create({ Tags: [1] })
  const filter = { Filters: [{ Field: 'Id', Operator: 'eq', Value: Id }] }
  const plain = await all.table('keeper', 'Items', filter)
  expect(plain.Rows[0]).not.toHaveProperty('Tags')
  const tagged = await all.table('keeper', 'TaggedItems', filter)
  expect(tagged.Rows[0]).toMatchObject({ Tags: [1], Tags__Label: ['old'] })
})

test('Fields may name the labels of a list, as those of an export may', async () => {
  const { Id } = await create({ Tags: [1, 2] })
  const Filters = [{ Field: 'Id', Operator: 'eq', Value: Id }]
  const named = async (...Fields: string[]): Promise<Row | undefined> =>
    (await all.table('keeper', 'TaggedItems', { Filters, Fields })).Rows[0]
  expect(await named('Tags__Label')).toMatchObject({ Id, Tags__Label: ['old', 'rare'] })
  expect(await named('tags__label', 'Tags')).toMatchObject({ Tags: [1, 2] })
  expect(await named('Tags__Label')).not.toHaveProperty('Tags')
  expect(await named('Title')).not.toHaveProperty('Tags__Label')
  const hidden = await all.call('keeper', '/Items/table', { Fields: ['Secrets__Label'] })
  expect(refusal(hidden, 400).code).toBe('UNKNOWN_FIELD')
})

test('a submit replaces the list: only rows that differ are written and audited', async () => {
  const { Id, stamp } = await create({ Tags: [1, 2] })
  const [first] = await all.stored('SELECT max(Id) AS last FROM svc_audit')
  const saved = await all.save('keeper', 'Items', { Id, Tags: [2, 3], RowVersion: stamp })
  expect(saved.Values).toMatchObject({ Tags: [2, 3], Tags__Label: ['rare', 'secret'] })
  expect(
    await all.stored(`SELECT TagId, Weight, CompanyId FROM item_tags WHERE ItemId = ${Id}`),
  ).toEqual([
    { TagId: 2, Weight: 7, CompanyId: 1 },
    { TagId: 3, Weight: 7, CompanyId: 1 },
  ])
  const audit = await all.stored(
    `SELECT Action, RecordKey FROM svc_audit WHERE Entity = 'ItemTag' AND Id > ${first?.last}
     ORDER BY Id`,
  )
  expect(audit).toEqual([
    { Action: 'delete', RecordKey: `[${Id},1]` },
    { Action: 'insert', RecordKey: `[${Id},3]` },
  ])
})

test('a list that a form does not have is not written by it', async () => {
  const { Id, stamp } = await create({ Tags: [1] })
  await all.save('keeper', 'ListedItems', { Id, Title: 'U', Tags: [2], RowVersion: stamp })
  expect(await tagsOf('keeper', Id)).toEqual([1])
})

test('rows between records are of the records’ company, whoever writes them', async () => {
  const { Id, stamp } = await create({}, 'other')
  const tagged = { Id, Tags: [4], RowVersion: stamp }
  await all.save('sys', 'Items', tagged, { AllCompanies: true })
  expect(await all.stored(`SELECT TagId, CompanyId FROM item_tags WHERE ItemId = ${Id}`)).toEqual([
    { TagId: 4, CompanyId: 2 },
  ])
})

test('a list that is left out stays; an empty one empties', async () => {
  const { Id, stamp } = await create({ Tags: [1, 2] })
  const renamed = await all.save('keeper', 'Items', { Id, Title: 'Other', RowVersion: stamp })
  expect(await tagsOf('keeper', Id)).toEqual([1, 2])
  await all.save('keeper', 'Items', { Id, Tags: [], RowVersion: renamed.RowVersion })
  expect(await tagsOf('keeper', Id)).toEqual([])
})

test('a changed list moves the stamp, so that two do not overwrite each other', async () => {
  const { Id, stamp } = await create({ Tags: [1] })
  const same = await all.save('keeper', 'Items', { Id, Tags: [1], RowVersion: stamp })
  expect(same.RowVersion).toBe(String(stamp))
  const moved = await all.save('keeper', 'Items', { Id, Tags: [2], RowVersion: stamp })
  expect(moved.RowVersion).not.toBe(String(stamp))
  const late = { Id, Tags: [3], RowVersion: stamp }
  const conflict = refusal(await all.submit('keeper', 'Items', late), 409).conflict
  expect(conflict?.Current).toMatchObject({ Tags: [2], Tags__Label: ['rare'] })
  refusal(await all.submit('keeper', 'Items', late, { OnConflict: 'merge' }), 409)
})

test('faults are told on the field, and nothing is written', async () => {
  const { Id, stamp } = await create({ Tags: [1] })
  const faults = async (Tags: unknown, form = 'Items') => {
    const parameters = { Id, Tags, Title: 'Changed', RowVersion: stamp }
    return refusal(await all.submit('keeper', form, parameters), 400).fieldErrors
  }
  const missing = { Tags: 'Tags: there is no such tag' }
  expect(await faults([1, 999])).toEqual(missing)
  expect(await faults([4])).toEqual(missing)
  expect(await faults('1,2')).toEqual({ Tags: 'Tags must be a list of keys' })
  expect(await faults([1, 'x'])).toHaveProperty('Tags')
  expect(await faults([{ Id: 1 }])).toHaveProperty('Tags')
  expect(await faults(Array.from({ length: 5001 }, (_, at) => at))).toHaveProperty('Tags')
  expect(await faults([3], 'TaggedItems')).toEqual(missing)
  expect(await faults([], 'TaggedItems')).toEqual({ Tags: 'Tags is required' })
  const { Values } = await all.form('keeper', 'Items', { Id })
  expect(Values).toMatchObject({ Title: 'T', Tags: [1] })
  const bare = await all.submit('keeper', 'TaggedItems', { Title: 'T' })
  expect(refusal(bare, 400).fieldErrors).toEqual({ Tags: 'Tags is required' })
})

test('what the caller may not set is dropped, and the submit goes on', async () => {
  const { Id, stamp } = await create({ Tags: [1] })
  const saved = await all.save('rep', 'Items', { Id, Tags: [2], Title: 'New', RowVersion: stamp })
  expect(saved.Values).toMatchObject({ Title: 'New', Tags: [1] })
  const disc = await all.save('keeper', 'Items', {
    Id,
    Kind: 'disc',
    Tags: [2],
    RowVersion: saved.RowVersion,
  })
  expect(disc.Values).toMatchObject({ Kind: 'disc', Tags: [1] })
})

test('lists of another company are as little there as its records', async () => {
  const { Id } = await create({ Tags: [4] }, 'other')
  expect(await tagsOf('other', Id)).toEqual([4])
  refusal(await all.call('keeper', '/Items/form', { Parameters: { Id } }), 404)
})

test('field-dataset gives what a list may hold', async () => {
  expect(await all.labels('keeper', 'Items', 'Tags')).toEqual(['old', 'rare', 'secret'])
  expect(await all.labels('keeper', 'TaggedItems', 'Tags')).toEqual(['old', 'rare'])
  expect(await all.labels('typist', 'Items', 'Tags')).toEqual([])
})

test('a deleted record takes its rows of the middle entity with it', async () => {
  const { Id, stamp } = await create({ Tags: [1, 2] })
  expect((await all.remove('keeper', 'Items', { Id }, { RowVersion: stamp })).status).toBe(200)
  expect(await all.stored(`SELECT 1 FROM item_tags WHERE ItemId = ${Id}`)).toEqual([])
})

test('grids filter by what a list has', async () => {
  await using own = await startLookups()
  const lists = { none: [], old: [1], rare: [2], both: [1, 2], all: [1, 2, 3] }
  for (const [Title, Tags] of Object.entries(lists)) {
    await own.save('keeper', 'Items', { Title, Tags })
  }
  const found = async (Operator: string, Value?: unknown) => {
    const Filters = [{ Field: 'tags', Operator, ...(Value !== undefined && { Value }) }]
    const { Rows, Pagination } = await own.table('keeper', 'Items', { Filters })
    expect(Pagination.TotalRows).toBe(Rows.length)
    return Rows.map((row) => row.Title)
  }
  expect(await found('eq', 1)).toEqual(['all', 'both', 'old'])
  expect(await found('ne', 1)).toEqual(['none', 'rare'])
  expect(await found('in', [2, 3])).toEqual(['all', 'both', 'rare'])
  expect(await found('notIn', [2, 3])).toEqual(['none', 'old'])
  expect(await found('in', [3, null])).toEqual(['all', 'none'])
  expect(await found('notIn', [3, null])).toEqual(['both', 'old', 'rare'])
  expect(await found('in', [])).toEqual([])
  expect(await found('notIn', [])).toEqual(['all', 'both', 'none', 'old', 'rare'])
  expect(await found('isNull')).toEqual(['none'])
  expect(await found('eq', null)).toEqual(['none'])
  expect(await found('isNotNull')).toEqual(['all', 'both', 'old', 'rare'])
  expect(await found('eq', 4)).toEqual([])
  const elsewhere = { Filters: [{ Field: 'Tags', Operator: 'isNotNull' }], AllCompanies: true }
  await own.save('other', 'Items', { Title: 'far', Tags: [4] })
  const titles = async (as: string) =>
    (await own.table(as, 'Items', elsewhere)).Rows.map((row) => row.Title)
  expect(await titles('keeper')).toEqual(['all', 'both', 'old', 'rare'])
  expect(await titles('sys')).toEqual(['all', 'both', 'far', 'old', 'rare'])
  await own.save('keeper', 'Items', { Id: 1, Tags: [1], RowVersion: await stampOf(own, 1) })
  expect(await found('isNull')).toEqual([])
})

const stampOf = async (own: Lookups, Id: number) =>
  (await own.form('keeper', 'Items', { Id })).Values.RowVersion

test('what a list cannot be asked is refused, its columns can be asked for', async () => {
  const ask = (request: object) => all.call('keeper', '/Items/table', request)
  const told = async (filter: object) =>
    refusal(await ask({ Filters: [{ Field: 'Tags', ...filter }] }), 400).error
  expect(await told({ Operator: 'gt', Value: 1 })).toBe(
    "Filter on 'Tags': gt: cannot be used with lists of keys",
  )
  expect(await told({ Operator: 'in', Value: 1 })).toBe("Filter on 'Tags': in: needs a list")
  expect(await told({ Operator: 'eq', Value: [1] })).toBe(
    "Filter on 'Tags': eq: needs a single value, not a list",
  )
  expect(await told({ Operator: 'eq', Value: 'x' })).toBe(
    "Filter on 'Tags': eq: the value is not valid for the field",
  )
  const sorted = refusal(await ask({ Sort: [{ Field: 'Tags' }] }), 400)
  expect(sorted.error).toBe("Sort by 'Tags': a list of keys cannot be sorted")
  const label = { Field: 'Tags__Label', Operator: 'isNull' }
  expect(refusal(await ask({ Filters: [label] }), 400).code).toBe('UNKNOWN_FIELD')
  const { Rows } = await all.table('keeper', 'TaggedItems', { Fields: ['Tags'], PageSize: 1 })
  expect(Object.keys(Rows[0] ?? {}).sort()).toEqual(['Id', 'RowVersion', 'Tags'])
})
