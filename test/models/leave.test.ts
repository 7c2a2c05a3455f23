/** Leave requests, from the tree of employees to the decided year, over HTTP. */
import { describe, expect, test } from 'bun:test'
import { LEAVE } from './leave/leave.ts'
import { startApp } from '../support/app.ts'
import { data, Objects, refusal, type Refusal, type Row } from '../support/objects.ts'

/** MILL with a head (1), a lead (2) and two of the staff (3, 4) under them; WEIR with one (5). */
async function openOffice(): Promise<Objects> {
  const office = new Objects(await startApp({ application: LEAVE }))
  const users = await office.stored('SELECT Id, UserName FROM svc_users')
  const idOf = (name: string) => users.find((user) => user.UserName === name)?.Id
  for (const [Name, user, ManagerId] of [
    ['Head', 'head', null],
    ['Lead', 'lead', 1],
    ['First', 'first', 2],
    ['Second', 'second', 2],
  ] as const) {
    const UserId = idOf(user)
    await office.save('office', 'Employees', { Name, UserId, ManagerId, Entitlement: 10 })
  }
  await office.save('weir', 'Employees', { Name: 'Weir', UserId: idOf('weir') })
  return office
}

const ask = (office: Objects, as: string, FirstDay: string, LastDay: string, more: Row = {}) =>
  office.submit(as, 'LeaveRequests', { FirstDay, LastDay, ...more })

const approve = (office: Objects, as: string, ...ids: unknown[]) =>
  office.act(as, 'LeaveRequests', 'Approve', {}, { Keys: ids.map((Id) => ({ Id })) })

const column = (rows: readonly Row[], name: string) => rows.map((row) => row[name])

const faults = (body: Refusal) => body.fieldErrors ?? {}

describe('asking', () => {
  test('a form knows who asks; working days are counted, holidays and halves too', async () => {
    await using office = await openOffice()
    expect((await office.form('first', 'leave')).Values).toMatchObject({
      EmployeeId: 3,
      TypeCode: 'annual',
      TypeCode__Label: 'Annual leave',
      Status: 'requested',
    })
    const asked = data(await ask(office, 'first', '2031-04-28', '2031-05-04'))
    expect(asked.Values).toMatchObject({ EmployeeId: 3, EmployeeId__Label: 'First', Days: 4 })
    expect(asked.Values.Number).toMatch(/^annual-\d{4}-001$/)
    const half = data(await ask(office, 'first', '2031-06-02', '2031-06-02', { HalfDay: true }))
    expect(half.Values).toMatchObject({ Days: 0.5 })
    await office.save('office', 'Holidays', { Day: '2031-04-30', Label: 'Fair' }, { IsNew: true })
    const [stored] = await office.stored('SELECT Days FROM leave_requests WHERE Id = 1')
    expect(stored).toEqual({ Days: 3 })
  })

  test('what a rule forbids is refused at its field', async () => {
    await using office = await openOffice()
    data(await ask(office, 'first', '2031-03-03', '2031-03-07'))
    const back = refusal(await ask(office, 'first', '2031-03-20', '2031-03-18'), 400)
    expect(faults(back)).toEqual({ LastDay: 'The last day is before the first' })
    const twice = refusal(await ask(office, 'first', '2031-03-07', '2031-03-10'), 400)
    expect(faults(twice)).toEqual({ FirstDay: 'You have asked for one of these days already' })
    const long = refusal(await ask(office, 'first', '2031-09-01', '2031-09-15'), 400)
    expect(faults(long)).toEqual({ Days: 'More days than are left' })
    const special = { TypeCode: 'special', Note: ' ' }
    const why = refusal(await ask(office, 'first', '2031-07-01', '2031-07-01', special), 400)
    expect(Object.keys(faults(why))).toEqual(['Note'])
    data(await ask(office, 'first', '2031-09-01', '2031-09-15', { TypeCode: 'sick' }))
    expect((await office.stored('SELECT count(*) AS N FROM leave_requests'))[0]).toEqual({ N: 2 })
  })

  test('nobody asks for another, nor for another site', async () => {
    await using office = await openOffice()
    const other = data(await ask(office, 'first', '2031-03-03', '2031-03-03', { EmployeeId: 4 }))
    expect(other.Values).toMatchObject({ EmployeeId: 3 })
    refusal(await ask(office, 'office', '2031-03-03', '2031-03-03', { EmployeeId: 5 }), 400)
    const forged = data(
      await ask(office, 'first', '2031-04-01', '2031-04-01', { Status: 'approved' }),
    )
    expect(forged.Values).toMatchObject({ Status: 'requested' })
    refusal(await office.call('first', '/employees/table', {}), 401)
  })
})

describe('deciding', () => {
  test('own requests and those of the reports are seen, no others', async () => {
    await using office = await openOffice()
    for (const as of ['head', 'lead', 'first', 'second']) {
      data(await ask(office, as, '2031-03-03', '2031-03-04'))
    }
    const seen = async (as: string, request: Row = {}) =>
      column((await office.table(as, 'leave', request)).Rows, 'EmployeeId__Label').toSorted()
    expect(await seen('first')).toEqual(['First'])
    expect(await seen('lead')).toEqual(['First', 'Lead', 'Second'])
    expect(await seen('head')).toEqual(['Head', 'Lead'])
    expect(await seen('weir')).toEqual([])
    expect(await seen('lead', { Preset: 'Mine' })).toEqual(['Lead'])
    expect(await seen('lead', { Preset: 'ToDecide' })).toEqual(['First', 'Second'])
    expect(await seen('office', { SearchText: 'sec' })).toEqual(['Second'])
    refusal(await office.call('second', '/leave/form', { Parameters: { Id: 3 } }), 404)
    refusal(await approve(office, 'head', 3), 404)
  })

  test('approved days are taken, stand in the calendar, and are told', async () => {
    await using office = await openOffice()
    const one = data(await ask(office, 'first', '2031-03-03', '2031-03-07'))
    const two = data(await ask(office, 'second', '2031-03-05', '2031-03-05'))
    refusal(await approve(office, 'first', one.Values.Id), 400)
    data(await approve(office, 'lead', one.Values.Id, two.Values.Id))
    const { Rows } = await office.table('office', 'employees')
    expect(Rows.map((row) => [row.Name, row.Taken, row.Left])).toEqual([
      ['First', 5, 5],
      ['Head', 0, 10],
      ['Lead', 0, 10],
      ['Second', 1, 9],
    ])
    const away = (await office.table('second', 'absences')).Rows
    expect(away.map((row) => [row.EmployeeId__Label, row.LastDay])).toEqual([
      ['First', '2031-03-07'],
      ['Second', '2031-03-05'],
    ])
    const told = await office.stored('SELECT DISTINCT Title FROM svc_notifications ORDER BY Id')
    expect(told.map(({ Title }) => Title)).toEqual([
      expect.stringMatching(/-001 is to be decided$/),
      expect.stringMatching(/-002 is to be decided$/),
      expect.stringMatching(/-001 is approved$/),
      expect.stringMatching(/-002 is approved$/),
    ])
  })

  test('what is decided is closed; a withdrawn one gives its days back', async () => {
    await using office = await openOffice()
    const Id = data(await ask(office, 'first', '2031-03-03', '2031-03-07')).Values.Id
    data(await approve(office, 'lead', Id))
    const again = refusal(await approve(office, 'lead', Id), 400)
    expect(again.code).toBe('NOT_PERMITTED_NOW')
    const [stamp] = await office.stored('SELECT RowVersion FROM leave_requests')
    const change = { Id, Note: 'longer', RowVersion: String(stamp?.RowVersion) }
    expect(refusal(await office.submit('first', 'LeaveRequests', change), 400).code).toBe(
      'NOT_PERMITTED_NOW',
    )
    refusal(await office.act('lead', 'LeaveRequests', 'Withdraw', { Id }), 400)
    data(await office.act('first', 'LeaveRequests', 'Withdraw', { Id }))
    expect(await office.stored('SELECT * FROM absences')).toEqual([])
    expect(await office.stored('SELECT Taken, "Left" FROM employees WHERE Id = 3')).toEqual([
      { Taken: 0, Left: 10 },
    ])
    data(await ask(office, 'first', '2031-03-03', '2031-03-07'))
  })

  test('a refusal needs its reason', async () => {
    await using office = await openOffice()
    const Id = data(await ask(office, 'first', '2031-03-03', '2031-03-07')).Values.Id
    const bare = refusal(await office.act('lead', 'LeaveRequests', 'Reject', { Id }), 400)
    expect(Object.keys(faults(bare))).toEqual(['Answer'])
    const Answer = 'The fair needs you'
    const done = data(await office.act('lead', 'LeaveRequests', 'Reject', { Id, Answer }))
    expect(done.Dispatch).toMatchObject([{ Message: expect.stringMatching(/is rejected$/) }])
    const form = await office.form('first', 'leave', { Id })
    expect(form.Values).toMatchObject({ Status: 'rejected', Answer })
  })
})

describe('the tree of employees', () => {
  test('nobody is above themselves, whoever moves them', async () => {
    await using office = await openOffice()
    const rows = (await office.table('office', 'employees')).Rows
    const head = rows.find((row) => row.Id === 1)
    const circle = { Id: 1, ManagerId: 3, RowVersion: head?.RowVersion }
    const refused = refusal(await office.submit('office', 'Employees', circle), 400)
    expect(Object.keys(faults(refused))).toEqual(['ManagerId'])
    refusal(await office.submit('office', 'Employees', { ...circle, ManagerId: 1 }), 400)
    refusal(await office.submit('office', 'Employees', { ...circle, ManagerId: 5 }), 400)
    const lead = rows.find((row) => row.Id === 2)
    data(await office.remove('office', 'Employees', { Id: 2, RowVersion: lead?.RowVersion }))
    expect(
      column(await office.stored('SELECT ManagerId FROM employees WHERE Id > 2'), 'ManagerId'),
    ).toEqual([null, null, null])
  })
})

test('in German: labels, options, rules and the engine’s own words', async () => {
  await using office = await openOffice()
  const speak = <T>(path: string, body?: unknown) =>
    office.app.fetch<{ data: T; error: string; fieldErrors?: Row }>(`/api/v1/svc/object${path}`, {
      as: 'first',
      headers: { 'Accept-Language': 'de-AT, en;q=0.5' },
      ...(body !== undefined && { body }),
    })
  interface Metadata {
    Label: string
    Fields: { Name: string; Label: string; Options?: Row[] }[]
    RowActions: { Name: string; Label: string; Confirm?: string }[]
  }
  const metadata = (await speak<Metadata>('/leave/metadata')).body.data
  const labelOf = (name: string) => metadata.Fields.find((field) => field.Name === name)?.Label
  expect(metadata.Label).toBe('Urlaubsanträge')
  expect([labelOf('FirstDay'), labelOf('Status')]).toEqual(['Erster Tag', 'Stand'])
  const status = metadata.Fields.find((field) => field.Name === 'Status')
  expect(column(status?.Options ?? [], 'Label')).toContain('Zurückgezogen')
  expect(metadata.RowActions.find((action) => action.Name === 'Approve')).toMatchObject({
    Label: 'Genehmigen',
    Confirm: 'Die gewählten Anträge genehmigen?',
  })
  const Parameters = { FirstDay: '2031-03-20', LastDay: '2031-03-18' }
  const back = await speak('/submit', { FormName: 'LeaveRequests', Parameters })
  expect(back.body.fieldErrors).toEqual({ LastDay: 'Der letzte Tag liegt vor dem ersten' })
  const none = await speak('/submit', { FormName: 'LeaveRequests', Parameters: {} })
  expect(String(none.body.fieldErrors?.FirstDay)).toContain('Erster Tag')
  expect(none.headers.get('Content-Language')).toBe('de')
  const english = refusal(await office.submit('first', 'LeaveRequests', Parameters), 400)
  expect(faults(english)).toEqual({ LastDay: 'The last day is before the first' })
})
