/** Submits: creates, updates, rules, stamps, details, and what must never get through. */
import { expect, test } from 'bun:test'
import { data, refusal, type Row, startObjectShop } from '../../support/objects.ts'

test('a create gives key, number, stamp, defaults and the values as stored', async () => {
  await using shop = await startObjectShop()
  const created = await shop.save('clerk', 'bills', { clientid: 1, total: '12.345', Cost: 2.675 })
  expect(created).toMatchObject({
    Action: 'created',
    Keys: { Id: 1 },
    Values: { Number: 'B-ONE-0001', Status: 'new', Total: 12.35, Cost: 2.68, Paid: false },
    Ignored: [],
    Dispatch: [{ Type: 'refreshTable', Target: 'Bills' }],
  })
  expect(created.RowVersion).toBe(created.Values.RowVersion as string)
  const second = await shop.save('other', 'bills', { ClientId: 3 })
  expect(second.Values.Number).toBe('B-TWO-0001')
})

test('a new record’s form holds its defaults, and parents prefill it', async () => {
  await using shop = await startObjectShop()
  const form = await shop.form('clerk', 'Bills', { ClientId: 2 })
  expect(form).toMatchObject({ IsNew: true, CanSubmit: true })
  expect(form.Values).toMatchObject({ ClientId: 2, Status: 'new', Paid: false, Total: 0, Id: null })
  expect(form.FormLoadTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/)
})

test('an update keeps what was left out, moves the stamp and needs no reload', async () => {
  await using shop = await startObjectShop()
  const { Keys, RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1, Total: 5 })
  const first = await shop.save('clerk', 'Bills', { ...(Keys as Row), RowVersion, Note: 'one' })
  const second = await shop.save('clerk', 'Bills', {
    ...(Keys as Row),
    RowVersion: first.RowVersion,
    Total: 6,
  })
  expect(second.Values).toMatchObject({ Note: 'one', Total: 6, ClientId: 1 })
  expect(Number(second.RowVersion)).toBe(Number(RowVersion) + 2)
})

test('a stale stamp is 409 and tells what changed; a missing one is 400', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  await shop.save('clerk', 'Bills', { Id: 1, RowVersion, Note: 'mine', Total: 3 })
  const stale = await shop.submit('sys', 'Bills', { Id: 1, RowVersion, Note: 'other' })
  const body = refusal(stale, 409)
  expect(body.error).toBe('The record was changed by someone else. Reload it and try again.')
  expect(body.conflict).toMatchObject({
    Current: { Note: 'mine', Total: 3 },
    ChangedFields: ['Note', 'Total'],
    ChangedBy: 'clerk',
    RowVersion: String(Number(RowVersion) + 1),
  })
  expect(refusal(await shop.submit('sys', 'Bills', { Id: 1, Note: 'x' }), 400).code).toBe(
    'ROW_VERSION_REQUIRED',
  )
  const remove = await shop.remove('clerk', 'Bills', { Id: 1 }, { RowVersion })
  refusal(remove, 409)
})

test('merge lets through what touches none of the moved fields, and nothing else', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  await shop.save('clerk', 'Bills', { Id: 1, RowVersion, Note: 'mine' })
  const merge = { OnConflict: 'merge' }
  const merged = await shop.save('sys', 'Bills', { Id: 1, RowVersion, Total: 9 }, merge)
  expect(merged.Values).toMatchObject({ Note: 'mine', Total: 9 })
  refusal(await shop.submit('sys', 'Bills', { Id: 1, RowVersion, Note: 'x' }, merge), 409)
  refusal(await shop.submit('sys', 'Bills', { Id: 1, RowVersion: '-1', Total: 1 }, merge), 409)
})

const RULES: [name: string, values: Row, fieldErrors: Record<string, string>][] = [
  ['required', { ClientId: null }, { ClientId: 'Client is required' }],
  ['option', { ClientId: 1, Status: 'lost' }, { Status: 'Status must be one of: new, approved' }],
  ['pattern', { ClientId: 1, Note: 'a1' }, { Note: 'Letters and blanks only' }],
  ['length', { ClientId: 1, Note: 'a'.repeat(21) }, { Note: 'Note is longer than 20 characters' }],
  ['type', { ClientId: 1, Total: 'much' }, { Total: 'Must be a number' }],
  ['required when', { ClientId: 1, Status: 'approved' }, { Note: 'Note is required' }],
  ['compare', { ClientId: 1, DueOn: '2020-01-01' }, { DueOn: 'Due before it was issued' }],
  ['in SQL', { ClientId: 1, Total: 1000.01 }, { Total: 'Above the credit limit' }],
  ['reference', { ClientId: 99 }, { ClientId: 'Client: there is no such client' }],
  ['of another company', { ClientId: 3 }, { ClientId: 'Client: there is no such client' }],
  [
    'several at once',
    { ClientId: 77, Total: 'x', Note: '1' },
    {
      ClientId: 'Client: there is no such client',
      Note: 'Letters and blanks only',
      Total: 'Must be a number',
    },
  ],
]

test.each(RULES)('rule %s is a fieldError and changes nothing', async (_, values, fieldErrors) => {
  await using shop = await startObjectShop()
  const before = await shop.stored('SELECT count(*) AS n FROM svc_audit')
  const body = refusal(await shop.submit('clerk', 'Bills', values), 400)
  expect(body.code).toBe('VALIDATION_FAILED')
  expect(body.fieldErrors).toEqual(fieldErrors)
  expect(await shop.stored('SELECT count(*) AS n FROM bills')).toEqual([{ n: 0 }])
  expect(await shop.stored('SELECT count(*) AS n FROM svc_audit')).toEqual(before)
  expect((await shop.save('clerk', 'Bills', { ClientId: 1 })).Values.Number).toBe('B-ONE-0001')
})

test('a value in use is told on its field, within the company alone', async () => {
  await using shop = await startObjectShop()
  const taken = refusal(await shop.submit('clerk', 'Clients', { Code: 'A1', Name: 'x' }), 400)
  expect(taken.fieldErrors).toEqual({ Code: 'Code is already in use' })
  expect((await shop.submit('clerk', 'Clients', { Code: 'B1', Name: 'x' })).status).toBe(200)
})

test('only what the caller may write gets through', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', {
    CompanyId: 2,
    Number: 'FORGED',
    ClientId: 1,
    Secret: 'x',
    Region: 'north',
    ClientName: 'x',
    RowVersion: 5,
    companyid: 2,
    Ｔotal: 4,
    Unknown: 1,
    FormLoadTime: '2026-01-01T00:00:00.0000000Z',
    CurrentUserId: 1,
    Margin: 3,
    Total: 2,
  })
  const [stored] = await shop.stored('SELECT * FROM bills')
  expect(stored).toMatchObject({
    Id: 1,
    CompanyId: 1,
    Number: 'B-ONE-0001',
    Secret: null,
    Total: 2,
    RowVersion: Number(RowVersion),
  })
  await shop.save('rep', 'Bills', { Id: 1, RowVersion, Total: 500, Cost: 400, Note: 'ok' })
  expect((await shop.stored('SELECT Total, Cost, Note FROM bills'))[0]).toEqual({
    Total: 2,
    Cost: null,
    Note: 'ok',
  })
})

test('a hidden, a foreign and a missing record are told apart by nothing', async () => {
  await using shop = await startObjectShop()
  const south = await shop.save('clerk', 'Bills', { ClientId: 2 })
  const foreign = await shop.save('other', 'Bills', { ClientId: 3 })
  const texts = new Set<string>()
  for (const Id of [(south.Keys as Row).Id, (foreign.Keys as Row).Id, 4711]) {
    const stamped = { Id, RowVersion: '1' }
    for (const answer of [
      await shop.call('rep', '/Bills/form', { Parameters: { Id } }),
      await shop.call('rep', '/Bills/view', { Parameters: { Id } }),
      await shop.submit('rep', 'Bills', { ...stamped, Note: 'x' }),
    ]) {
      const { traceId, ...rest } = refusal(answer, 404)
      expect(traceId).toMatch(/^[0-9a-f]{32}$/)
      texts.add(JSON.stringify(rest))
    }
  }
  expect(texts.size).toBe(1)
  refusal(await shop.remove('clerk', 'Bills', { Id: (foreign.Keys as Row).Id, RowVersion: 1 }), 404)
})

test('a record must not point to what its caller may not look up', async () => {
  await using shop = await startObjectShop()
  expect(refusal(await shop.submit('rep', 'Bills', { ClientId: 2 }), 400).fieldErrors).toEqual({
    ClientId: 'Client: there is no such client',
  })
  expect(await shop.stored('SELECT * FROM bills')).toEqual([])
  const { RowVersion } = await shop.save('rep', 'Bills', { ClientId: 1 })
  refusal(await shop.submit('rep', 'Bills', { Id: 1, RowVersion, ClientId: 2 }), 400)
  expect(await shop.stored('SELECT ClientId FROM bills')).toEqual([{ ClientId: 1 }])
})

test('a permit that does not hold now refuses update and delete', async () => {
  await using shop = await startObjectShop()
  await shop.save('clerk', 'Bills', { ClientId: 1 })
  await shop.act('clerk', 'Bills', 'Approve', { Id: 1, Note: 'fine' })
  const { Values, CanSubmit } = await shop.form('clerk', 'Bills', { Id: 1 })
  expect(Values).toMatchObject({ Status: 'approved', Permit__Update: false })
  expect(CanSubmit).toBe(false)
  const stamp = { Id: 1, RowVersion: Values.RowVersion }
  const update = await shop.submit('clerk', 'Bills', { ...stamp, Total: 3 })
  expect(refusal(update, 400).code).toBe('NOT_PERMITTED_NOW')
  expect(refusal(await shop.remove('clerk', 'Bills', stamp), 400).code).toBe('NOT_PERMITTED_NOW')
})

test('details are saved and deleted with their parent, all or nothing', async () => {
  await using shop = await startObjectShop()
  const lines = (Upsert: Row[], Delete: Row[] = []) => ({ Details: { lines: { Upsert, Delete } } })
  const first = { LineNo: 1, Text: 'first', Amount: 2 }
  const second = { LineNo: 2, Text: 'second', Amount: 3 }
  const bad = await shop.submit('clerk', 'Bills', { ClientId: 1 }, lines([first, { LineNo: 0 }]))
  expect(refusal(bad, 400).fieldErrors).toEqual({
    'Lines[1].LineNo': 'Line no must be at least 1',
    'Lines[1].Text': 'Text is required',
  })
  expect(await shop.stored('SELECT * FROM bills')).toEqual([])
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 }, lines([first, second]))
  const changed = { ...first, Text: 'changed', BillId: 99 }
  await shop.save('clerk', 'Bills', { Id: 1, RowVersion }, lines([changed], [{ LineNo: 2 }]))
  expect(await shop.stored('SELECT BillId, LineNo, CompanyId, Text FROM bill_lines')).toEqual([
    { BillId: 1, LineNo: 1, CompanyId: 1, Text: 'changed' },
  ])
  const { RowVersion: other } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  const foreign = { Id: 2, RowVersion: other }
  refusal(await shop.submit('clerk', 'Bills', foreign, lines([], [{ LineNo: 1 }])), 404)
  const unknown = { Details: { Nothing: { Upsert: [] } } }
  refusal(await shop.submit('clerk', 'Bills', foreign, unknown), 400)
  refusal(await shop.submit('rep', 'Bills', { ClientId: 1 }, lines([first])), 401)
})

test('a composite key is created with IsNew and taken keys are field errors', async () => {
  await using shop = await startObjectShop()
  await shop.save('clerk', 'Bills', { ClientId: 1 })
  const line = { BillId: 1, LineNo: 1, Text: 'first', Amount: 2 }
  refusal(await shop.submit('clerk', 'BillLines', line), 404)
  const created = await shop.save('clerk', 'BillLines', line, { IsNew: true })
  expect(created.Keys).toEqual({ BillId: 1, LineNo: 1 })
  const taken = refusal(await shop.submit('clerk', 'BillLines', line, { IsNew: true }), 400)
  expect(Object.keys(taken.fieldErrors ?? {})).toEqual(['BillId', 'LineNo'])
  const foreign = await shop.submit('other', 'BillLines', { ...line, LineNo: 9 }, { IsNew: true })
  expect(Object.keys(refusal(foreign, 400).fieldErrors ?? {})).toEqual(['BillId'])
})

test('deleting: restricted by references, cascaded and audited in one transaction', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  await shop.save('clerk', 'BillLines', { BillId: 1, LineNo: 1, Text: 'x' }, { IsNew: true })
  expect(refusal(await shop.remove('clerk', 'Clients', { Id: 1 }), 400).code).toBe('REFERENCE')
  const deleted = data(await shop.remove('clerk', 'Bills', { Id: 1 }, { RowVersion }))
  expect(deleted).toEqual({
    Action: 'deleted',
    Keys: { Id: 1 },
    Ignored: [],
    Dispatch: [{ Type: 'refreshTable', Target: 'Bills' }],
  } as never)
  const audit = await shop.stored(
    `SELECT a.Entity, a.RecordKey, a.Action, u.UserName, a.CompanyId, a.Source, a.Changes FROM svc_audit a
     JOIN svc_users u ON u.Id = a.UserId WHERE a.Entity IN ('Bill', 'BillLine') ORDER BY a.Id`,
  )
  const told = audit.map((row) => `${String(row.Entity)} ${String(row.Action)}`)
  expect(told.slice(0, 2)).toEqual(['Bill insert', 'BillLine insert'])
  expect(told.slice(2).sort()).toEqual(['Bill delete', 'BillLine delete'])
  expect(audit[0]).toMatchObject({
    RecordKey: '[1]',
    UserName: 'clerk',
    CompanyId: 1,
    Source: 'Bills',
  })
  const changes = JSON.parse(String(audit[0]?.Changes)) as Record<string, unknown>
  expect(changes).toMatchObject({ ClientId: [null, 1], Status: [null, 'new'] })
  expect(await shop.stored('SELECT * FROM bill_lines')).toEqual([])
  expect(await shop.stored('SELECT * FROM svc_stamps')).toEqual([])
})

test('an update’s audit tells from what to what, and nothing when nothing moved', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1, Total: 1 })
  const { RowVersion: next } = await shop.save('clerk', 'Bills', { Id: 1, RowVersion, Total: 2 })
  await shop.save('clerk', 'Bills', { Id: 1, RowVersion: next, Total: 2 })
  const audit = await shop.stored("SELECT Changes FROM svc_audit WHERE Action = 'update'")
  expect(audit.map((row) => JSON.parse(String(row.Changes)) as unknown)).toEqual([
    { Total: [1, 2] },
  ])
})

test('one stamp has one winner', async () => {
  await using shop = await startObjectShop()
  const { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      shop.submit('clerk', 'Bills', { Id: 1, RowVersion, Total: at + 1 }),
    ),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([
    200,
    ...Array<number>(19).fill(409),
  ])
  const winner = answers.find((answer) => answer.status === 200)
  expect(await shop.stored('SELECT Total FROM bills')).toEqual([
    { Total: winner?.body.data.Values.Total },
  ])
})

test('numbers are gapless under parallel submits of which some fail', async () => {
  await using shop = await startObjectShop()
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      shop.submit('clerk', 'Bills', { ClientId: at % 4 === 0 ? 99 : 1 }),
    ),
  )
  const numbers = answers.filter((a) => a.status === 200).map((a) => a.body.data.Values.Number)
  expect(numbers.sort()).toEqual(
    Array.from({ length: 30 }, (_, at) => `B-ONE-${String(at + 1).padStart(4, '0')}`),
  )
})

test('of the stamps of a record at least 50 are kept, and not many more', async () => {
  await using shop = await startObjectShop()
  let { RowVersion } = await shop.save('clerk', 'Bills', { ClientId: 1 })
  for (let at = 0; at < 75; at++)
    ({ RowVersion } = await shop.save('clerk', 'Bills', { Id: 1, RowVersion, Total: at + 1 }))
  const [kept] = await shop.stored(
    `SELECT count(*) AS Kept, max(Stamp) - min(Stamp) AS Back,
       max(Stamp) = (SELECT RowVersion FROM bills) AS IsLast FROM svc_stamps`,
  )
  expect(kept).toMatchObject({ IsLast: 1 })
  expect(Number(kept?.Back)).toBe(Number(kept?.Kept) - 1)
  expect(Number(kept?.Back)).toBeGreaterThanOrEqual(50)
  expect(Number(kept?.Back)).toBeLessThan(60)
})
