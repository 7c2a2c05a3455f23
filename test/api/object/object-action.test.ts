/** Row actions: gate, permit, parameters, effects, and authored statements that name no company. */
import { expect, test } from 'bun:test'
import { data, refusal, type Row, startObjectShop } from '../../support/objects.ts'
import { inTime } from '../../support/until.ts'

async function startWithBills(settings = {}) {
  const shop = await startObjectShop({ settings })
  for (let at = 0; at < 3; at++) await inTime(() => shop.save('clerk', 'Bills', { ClientId: 1 }))
  await inTime(() => shop.save('other', 'Bills', { ClientId: 3 }))
  return shop
}

const STATES = 'SELECT Id, CompanyId, Status, Paid FROM bills ORDER BY Id'

test('an action runs its statements and tells the client what to do', async () => {
  await using shop = await startWithBills()
  const done = data(await shop.act('clerk', 'bills', 'approve', { Id: 1, Note: 'fine' }))
  expect(done).toEqual({
    Action: 'Approve',
    Keys: [{ Id: 1 }],
    Ignored: [],
    Dispatch: [
      { Type: 'refreshTable', Target: 'Bills' },
      { Type: 'showAlert', Level: 'success', Message: 'Bill B-ONE-0001 approved' },
    ],
  } as never)
  const [bill] = await shop.stored('SELECT Status, Note, RowVersion FROM bills WHERE Id = 1')
  expect(bill).toMatchObject({ Status: 'approved', Note: 'fine' })
  const [stamp] = await shop.stored('SELECT Fields FROM svc_stamps')
  expect(JSON.parse(String(stamp?.Fields))).toEqual(['Status', 'Note'])
  const again = refusal(await shop.act('clerk', 'bills', 'Approve', { Id: 1, Note: 'x' }), 400)
  expect(again.code).toBe('NOT_PERMITTED_NOW')
})

test('an action on one row answers with it, so that a save needs no reload', async () => {
  await using shop = await startWithBills()
  const done = data(await shop.act('clerk', 'Bills', 'Third', { Id: 1, Share: 8 }))
  const [row] = (await shop.table('clerk', 'Bills')).Rows.filter(({ Id }) => Id === 1)
  expect(done.Values).toEqual(row ?? {})
  expect(done.Values).toMatchObject({ Cost: 2, Margin: -2 })
  const { RowVersion } = done
  expect(RowVersion).toBe(String(row?.RowVersion))
  await shop.save('clerk', 'Bills', { Id: 1, Note: 'after it', RowVersion })
  const gone = data(await shop.act('clerk', 'Bills', 'Lose', { Id: 1 }))
  expect(gone).toEqual({ Action: 'Lose', Keys: { Id: 1 }, Ignored: [], Dispatch: [] } as never)
})

test('on many rows: all or none', async () => {
  await using shop = await startWithBills()
  const Keys = [{ Id: 1 }, { Id: 2 }]
  const done = data(await shop.act('clerk', 'Bills', 'Approve', { Note: 'x' }, { Keys }))
  expect(done.Keys).toEqual(Keys)
  expect(done.Dispatch.length).toBe(3)
  const mixed = { Keys: [{ Id: 3 }, { Id: 1 }] }
  refusal(await shop.act('clerk', 'Bills', 'Approve', { Note: 'x' }, mixed), 400)
  const foreign = { Keys: [{ Id: 3 }, { Id: 4 }] }
  refusal(await shop.act('clerk', 'Bills', 'Approve', { Note: 'x' }, foreign), 404)
  expect((await shop.stored(STATES)).map((row) => row.Status)).toEqual([
    'approved',
    'approved',
    'new',
    'new',
  ])
})

test('the gate is the capability; unknown names and missing parameters are told', async () => {
  await using shop = await startWithBills()
  refusal(await shop.act('rep', 'Bills', 'Approve', { Id: 1, Note: 'x' }), 401)
  refusal(await shop.act('nobody', 'Bills', 'Nothing', {}), 401)
  refusal(await shop.act('clerk', 'Bills', 'Nothing', { Id: 1 }), 404)
  refusal(await shop.act('clerk', 'Nothing', 'Approve', { Id: 1 }), 404)
  const missing = refusal(await shop.act('clerk', 'Bills', 'Approve', { Id: 1 }), 400)
  expect(missing.fieldErrors).toEqual({ Note: 'Note is required' })
  const stale = await shop.act('clerk', 'Bills', 'Approve', { Id: 1, Note: 'x' }, { RowVersion: 1 })
  refusal(stale, 409)
})

test('attack: an authored UPDATE without a company condition stays in the company', async () => {
  await using shop = await startWithBills()
  data(await shop.act('clerk', 'Bills', 'PayAll', {}))
  expect((await shop.stored(STATES)).map((row) => [row.CompanyId, row.Paid])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
    [2, 0],
  ])
  const audit = await shop.stored("SELECT count(*) AS n FROM svc_audit WHERE Action = 'update'")
  expect(audit).toEqual([{ n: 3 }])
})

test('attack: an authored DELETE without a company condition stays in the company', async () => {
  await using shop = await startWithBills()
  data(await shop.act('clerk', 'Bills', 'Lose', { Id: 1 }))
  expect((await shop.stored(STATES)).map((row) => row.CompanyId)).toEqual([2])
})

test('attack: an authored INSERT into another company is refused', async () => {
  await using shop = await startWithBills()
  const before = await shop.stored('SELECT * FROM clients')
  expect(refusal(await shop.act('clerk', 'Bills', 'Steal', { Id: 1 }), 400).code).toBe('COMPANY')
  expect(await shop.stored('SELECT * FROM clients')).toEqual(before)
})

test('a runaway action ends at its limit with a 400, and the next write succeeds', async () => {
  await using shop = await startWithBills({ 'Svc:Sql:WriteTimeout': '400ms' })
  const [runaway, other] = await Promise.all([
    shop.act('clerk', 'Bills', 'Runaway', { Id: 1 }),
    inTime(() => shop.save('other', 'Clients', { Code: 'B9', Name: 'beside' })),
  ])
  expect(refusal(runaway, 400).code).toBe('SQL_TIMEOUT')
  expect(other.Action).toBe('created')
  const saved = await inTime(() => shop.save('clerk', 'Clients', { Code: 'A9', Name: 'after' }))
  expect(saved.Action).toBe('created')
  expect((await shop.stored('SELECT Total FROM bills WHERE Id = 1'))[0]).toEqual({ Total: 0 })
})

test('a runaway grid ends at its limit with a 400 while others are served', async () => {
  await using shop = await startObjectShop({
    settings: { 'Svc:Sql:Timeout': '400ms', 'Svc:Sql:Lanes': '4' },
  })
  const runaway = shop.call('clerk', '/Endless/table', {})
  const rows: Row[] = (await inTime(() => shop.table('clerk', 'Clients'))).Rows
  expect(rows.length).toBe(2)
  expect(refusal(await runaway, 400).code).toBe('SQL_TIMEOUT')
})

test('a whole Decimal divides as a Decimal, and what is stored is rounded', async () => {
  await using shop = await startObjectShop()
  await shop.save('clerk', 'Bills', { ClientId: 1, Total: 10 })
  data(await shop.act('clerk', 'Bills', 'Third', { Id: 1, Share: 1 }))
  expect(await shop.stored('SELECT Total, Cost FROM bills')).toEqual([{ Total: 3.33, Cost: 0.25 }])
})
