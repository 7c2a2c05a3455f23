/** Writes that are refused by every spelling, path and detour (API3, mass assignment). */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, refusal, type Row, startAttackedRecords } from '../../support/objects.ts'

/** Nothing here may hang on time that passes between two requests. */
const NOW = new Date('2026-11-21T09:00:00Z')
let vault: Awaited<ReturnType<typeof startAttackedRecords>>
beforeAll(async () => {
  vault = await startAttackedRecords({ clock: { now: () => NOW } })
})
afterAll(() => vault[Symbol.asyncDispose]())

async function stored(id: unknown): Promise<Row> {
  const [row] = await vault.stored(`SELECT * FROM items WHERE Id = ${Number(id)}`)
  return row ?? {}
}

/** Runs a change as a procedure or an authored statement may have made it. */
const run = (sql: string) => vault.app.store.write((tx) => tx.run(sql), { company: 1 })

let codes = 0
const code = () => `c${++codes}`

async function create(as: string, form: string, values: Row): Promise<Row> {
  const { Keys } = await vault.save(as, form, { Code: code(), ...values })
  return stored((Keys as Row).Id)
}

/** Values that no request of the guest may set, in several spellings. */
const SMUGGLED = {
  companyid: 2,
  CompanyId: 2,
  ROWVERSION: '5',
  CreatedBy: 77,
  createdat: '1999-01-01T00:00:00Z',
  ChangedBy: 77,
  Cost: 0.01,
  cost: 0.01,
  Price: 0.02,
  Kept: 'smuggled',
  Ｋept: 'smuggled',
  'Items.Kept': 'smuggled',
  IsAdmin: true,
  __proto__: { Kept: 'smuggled' },
  constructor: { Kept: 'smuggled' },
}

test('a create takes what its caller may write and drops the rest', async () => {
  const row = await create('guest', 'Items', { ...SMUGGLED, Name: 'n', Region: 'north' })
  expect(row).toMatchObject({ CompanyId: 1, Cost: null, Price: null, Kept: 'kept', CreatedBy: 4 })
  expect(Number(row.RowVersion)).toBeGreaterThan(1e12)
})

test('an update does, too, and moves neither key nor company', async () => {
  const { Id } = await create('keeper', 'Items', { Region: 'north', Cost: 3, Price: 4 })
  const { RowVersion } = (await vault.form('guest', 'Items', { Id })).Values
  await vault.save('guest', 'Items', { ...SMUGGLED, ROWVERSION: RowVersion, Id, Name: 'n' })
  const row = await stored(Id)
  expect(row).toMatchObject({
    CompanyId: 1,
    Cost: 3,
    Price: 4,
    Kept: 'kept',
    CreatedBy: 2,
    Name: 'n',
  })
})

test('a detail does, too, and stays with its parent', async () => {
  const Upsert = [{ Note: 'n', Region: 'north', ItemId: 1, CompanyId: 2, itemid: 1 }]
  const parent = { Code: code(), Name: 'p', Region: 'north' }
  const { Keys } = await vault.save('guest', 'Items', parent, { Details: { Pieces: { Upsert } } })
  const ItemId = (Keys as Row).Id
  expect(await vault.stored('SELECT * FROM pieces')).toMatchObject([{ ItemId, CompanyId: 1 }])
  const [piece] = await vault.stored('SELECT Id FROM pieces')
  const moved = { Details: { Pieces: { Upsert: [{ ...piece, Note: 'm' }] } } }
  const { RowVersion } = (await vault.form('keeper', 'Items', { Id: 1 })).Values
  refusal(await vault.submit('keeper', 'Items', { Id: 1, RowVersion }, moved), 404)
})

test('a detail outside of the caller’s rows is refused with all the rest', async () => {
  const Details = { Pieces: { Upsert: [{ Note: 'n', Region: 'south' }] } }
  const answer = await vault.submit(
    'guest',
    'Items',
    { Code: code(), Name: 'torn', Region: 'north' },
    { Details },
  )
  expect(refusal(answer, 400).code).toBe('OUTSIDE_OWN_ROWS')
  expect(await vault.stored(`SELECT * FROM items WHERE Name = 'torn'`)).toEqual([])
})

test('a record is created among the rows of Create and kept among those of List', async () => {
  const outside = await vault.submit('guest', 'Items', { Code: code(), Region: 'south' })
  expect(refusal(outside, 400).code).toBe('OUTSIDE_OWN_ROWS')
  const { Id, RowVersion } = (await vault.save('guest', 'Items', { Code: code(), Region: 'north' }))
    .Values
  const left = await vault.submit('guest', 'Items', { Id, RowVersion, Region: 'south' })
  expect(refusal(left, 400).code).toBe('OUTSIDE_OWN_ROWS')
})

test('an action whose gate is a verb reaches the rows of that verb', async () => {
  const { Id } = await create('keeper', 'Items', { Region: 'north' })
  await run(`UPDATE items SET State = 'closed' WHERE Id = ${String(Id)}`)
  refusal(await vault.act('guest', 'Items', 'Touch', { Id }), 404)
  data(await vault.act('keeper', 'Items', 'Touch', { Id }))
})

test('a role that only reads does not lift what another one bars from writing', async () => {
  const { Id } = await create('keeper', 'Items', { Region: 'north', Price: 4 })
  const { RowVersion } = (await vault.form('mixed', 'Items', { Id })).Values
  await vault.save('mixed', 'Items', { Id, RowVersion, Price: 77, Name: 'n' })
  expect(await stored(Id)).toMatchObject({ Price: 4, Name: 'n' })
})

test('authored statements bind only what the caller may write', async () => {
  const smuggled = {
    State: 'closed',
    CreatedBy: 77,
    Kept: 'x',
    PickName: 'x',
    CompanyId: 2,
    Cost: 1,
  }
  const made = await create('guest', 'Authored', {
    Code: 'a1',
    Region: 'north',
    Price: 5,
    ...smuggled,
  })
  const expected = {
    State: 'open',
    CreatedBy: 4,
    Kept: 'kept',
    Remark: null,
    CompanyId: 1,
    Cost: null,
  }
  expect(made).toMatchObject({ Price: 5, ...expected })
  const { Id, RowVersion } = made
  await vault.save('guest', 'Authored', { Id, RowVersion, Name: 'b', ...smuggled })
  expect(await stored(Id)).toMatchObject({ Name: 'b', Price: 5, Lock: null, ...expected })
})

test('a value that is barred does not open the way for another one', async () => {
  const { Id } = await create('keeper', 'Items', { Name: 'n' })
  await run(`UPDATE items SET Lock = 'shut' WHERE Id = ${String(Id)}`)
  const change = async (values: Row) => {
    const { RowVersion } = (await vault.form('keeper', 'Items', { Id })).Values
    await vault.save('keeper', 'Items', { Id, RowVersion, ...values })
    return stored(Id)
  }
  expect(await change({ Name: 'changed' })).toMatchObject({ Name: 'n' })
  await run(`UPDATE items SET State = 'closed', Remark = 'final'`)
  const row = await change({ State: 'open', Lock: null, Name: 'changed' })
  expect(row).toMatchObject({ Lock: 'shut', Name: 'n' })
})

test('conditions look at joined columns, too, and at parts of texts', async () => {
  const { Keys } = await vault.save('keeper', 'Picks', { Name: 'fixed' })
  const PickId = (Keys as Row).Id
  const { Id } = await create('keeper', 'Items', { PickId, Price: 1, Code: 'FROZEN', Name: 'n' })
  const { RowVersion } = (await vault.form('keeper', 'Authored', { Id })).Values
  await vault.save('keeper', 'Authored', { Id, RowVersion, Price: 2, Name: 'changed', Cost: 3 })
  expect(await stored(Id)).toMatchObject({ Price: 1, Name: 'n', Cost: 3 })
})

test('a stamp of a record that is gone is none of one that came under its key', async () => {
  const { RowVersion } = await vault.save('keeper', 'Slots', { Code: 's' }, { IsNew: true })
  const insert = `INSERT INTO slots (Code, CompanyId, Note) VALUES ('s', 1, 'other')`
  await run('DELETE FROM slots')
  await run(insert)
  refusal(await vault.submit('keeper', 'Slots', { Code: 's', RowVersion, Note: 'mine' }), 409)
  const second = (await vault.form('keeper', 'Slots', { Code: 's' })).Values
  await run('DELETE FROM slots')
  await run(insert)
  refusal(await vault.submit('keeper', 'Slots', { ...second, Note: 'mine' }), 409)
  const again = { ...second, Note: 'mine' }
  refusal(await vault.submit('keeper', 'Slots', again, { OnConflict: 'merge' }), 409)
})

test('System creates in another company, with that company’s references', async () => {
  const more = { AllCompanies: true }
  const { Keys } = await vault.save('other', 'Picks', { Name: 'far' })
  const PickId = (Keys as Row).Id
  const made = await vault.save('sys', 'Items', { CompanyId: 2, Name: 'x', PickId }, more)
  expect(made.Values).toMatchObject({ CompanyId: 2, PickId })
  const crossed = await vault.submit('sys', 'Items', { CompanyId: 2, PickId: 1 }, more)
  expect(refusal(crossed, 400).fieldErrors).toEqual({ PickId: 'Pick: there is no such pick' })
})
