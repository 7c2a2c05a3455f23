/** `On` of entities and views: raised by every path of writing, and followed up in its turn. */
import { expect, test } from 'bun:test'
import { listEntries, listJobs, listTold, startEventTickets } from '../../support/event-tickets.ts'
import { data, type Objects, refusal } from '../../support/objects.ts'

const titles = async (desk: Objects) => (await listTold(desk)).map(({ Title }) => Title)

const stampOf = async (desk: Objects, id: number) =>
  (await desk.stored(`SELECT RowVersion FROM tickets WHERE Id = ${id}`))[0]

test('created, updated and deleted, by form and by authored SQL', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp', Points: 5 })
  await desk.save('clerk', 'Tickets', { Title: 'Door' })
  const changes = { Status: 'done', ...(await stampOf(desk, 1)) }
  await desk.save('clerk', 'Tickets', { Id: 1, ...changes })
  data(await desk.remove('clerk', 'Tickets', { Id: 1 }, await stampOf(desk, 1)))
  data(await desk.act('clerk', 'Tickets', 'Wipe', {}))
  expect(await listEntries(desk)).toEqual([
    'created Lamp 2.5',
    'created Door -',
    'done Lamp',
    'deleted Lamp done',
    'deleted Door new',
  ])
})

test('an update that changes nothing raises nothing', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp', Status: 'done' })
  await desk.save('clerk', 'Tickets', { Id: 1, Title: 'Lamp', ...(await stampOf(desk, 1)) })
  expect(await listEntries(desk)).toEqual(['created Lamp -'])
})

test('a view’s events see its output, for the records that it shows', async () => {
  await using desk = await startEventTickets()
  const big = { Points: 20, OwnerId: 2 }
  const saved = await desk.save('clerk', 'Tickets', { Title: 'Lamp', ...big })
  expect(saved.Dispatch).toEqual([
    { Type: 'refreshTable', Target: 'Tickets' },
    { Type: 'showAlert', Message: 'New: Lamp of clerk' },
  ])
  await desk.save('clerk', 'Again', { Title: 'Door', ...big })
  await desk.save('clerk', 'Again', { Title: 'hidden', ...big })
  await desk.save('clerk', 'Tickets', { Title: 'Small', Points: 2 })
  expect(await titles(desk)).toEqual(['Lamp of clerk', 'Door of clerk'])
})

test('a deleted record is shown as it was, with what went with it', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp', OwnerId: 2 })
  await desk.save('clerk', 'Tickets', { Title: 'Door' })
  await desk.save('clerk', 'Comments', { TicketId: 1, No: 1, Text: 'a' }, { IsNew: true })
  await desk.save('clerk', 'Comments', { TicketId: 1, No: 2, Text: 'b' }, { IsNew: true })
  data(await desk.act('clerk', 'Tickets', 'Wipe', {}))
  expect(await desk.stored('SELECT * FROM comments')).toEqual([])
  expect(await listTold(desk)).toMatchObject([
    { RecordKey: '[1]', Title: 'Lamp had 2 comments', Body: 'clerk', UserId: 2 },
  ])
})

test('attack: an envelope of an event tells nothing of a hidden field', async () => {
  await using desk = await startEventTickets()
  const saved = await desk.save('temp', 'Tickets', { Title: 'Lamp', Points: 20, OwnerId: 2 })
  expect(saved.Dispatch.at(-1)).toEqual({ Type: 'showAlert', Message: 'New: Lamp of ' })
})

test('one change may bring records and take others: each has its event', async () => {
  await using desk = await startEventTickets()
  for (const Title of ['Lamp', 'Door', 'Desk']) await desk.save('clerk', 'Tickets', { Title })
  data(await desk.act('clerk', 'Tickets', 'Keep', { Id: 2 }))
  const entries = (await listEntries(desk)).slice(3)
  expect(entries.sort()).toEqual(['deleted Desk new', 'deleted Lamp new', 'done Door'])
})

test('an action is an event: of the entity from every view, of a view from its own', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp' })
  await desk.save('clerk', 'Tickets', { Title: 'Door' })
  data(await desk.act('clerk', 'Tickets', 'Close', { Id: 1 }))
  const jobs = async () => (await listJobs(desk)).filter(({ Name }) => Name === 'Archive')
  expect(await jobs()).toMatchObject([{ State: 'Enqueued', Arguments: { Id: 1 } }])
  expect(await titles(desk)).toContain('closed Lamp')
  data(await desk.act('clerk', 'Again', 'Close', { Id: 2 }))
  expect(await jobs()).toHaveLength(2)
  expect(await titles(desk)).not.toContain('closed Door')
})

test('what events change is followed up: audit and stamp once, rules at the end', async () => {
  await using desk = await startEventTickets()
  const fixed = await desk.save('clerk', 'Tickets', { Title: 'fix', Points: 500 })
  expect(fixed.Values).toMatchObject({ Points: 1 })
  const audit = await desk.stored("SELECT Changes FROM svc_audit WHERE Entity = 'Ticket'")
  expect(audit).toHaveLength(1)
  expect(JSON.parse(String(audit[0]?.Changes))).toMatchObject({ Points: [null, 1] })
  const over = refusal(await desk.submit('clerk', 'Tickets', { Title: 'Lamp', Points: 500 }), 400)
  expect(over.fieldErrors).toEqual({ Points: 'At most 100 points' })
  expect(await listEntries(desk)).toEqual(['created fix 250.0'])
})

test('an event may delete its record', async () => {
  await using desk = await startEventTickets()
  refusal(await desk.submit('clerk', 'Tickets', { Title: 'forget' }), 400)
  expect(await desk.stored('SELECT * FROM tickets')).toEqual([])
})

test('events that raise each other without end are refused, and nothing stays', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp' })
  const loop = { Id: 1, Title: 'loop', ...(await stampOf(desk, 1)) }
  const refused = refusal(await desk.submit('clerk', 'Tickets', loop), 400)
  expect(refused.code).toBe('EVENTS_ENDLESS')
  expect(await desk.stored('SELECT Title, Points FROM tickets')).toEqual([
    { Title: 'Lamp', Points: null },
  ])
  await desk.save('clerk', 'Tickets', { Title: 'Door' })
})

test('attack: an event for all companies works in the record’s own', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp' })
  await desk.save('other', 'Tickets', { Title: 'Door' })
  data(await desk.act('sys', 'Tickets', 'Wipe', {}, { AllCompanies: true }))
  expect(await desk.stored('SELECT CompanyId, Text FROM entries ORDER BY Id')).toMatchObject([
    { CompanyId: 1, Text: 'created Lamp -' },
    { CompanyId: 2, Text: 'created Door -' },
    { CompanyId: 1, Text: 'deleted Lamp new' },
    { CompanyId: 2, Text: 'deleted Door new' },
  ])
})

test('attack: an event’s statement without a condition stays in the record’s company', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', { Title: 'Lamp' })
  await desk.save('other', 'Tickets', { Title: 'Door' })
  const flood = { Id: 2, Title: 'flood', ...(await stampOf(desk, 2)) }
  await desk.save('sys', 'Tickets', flood, { AllCompanies: true })
  expect(await listEntries(desk)).toEqual(['created Lamp -', 'flooded'])
})

test('many records: rules and conditions in few statements', async () => {
  await using desk = await startEventTickets()
  const rows = Array.from({ length: 300 }, (_, at) => `(1, 'T${at}', ${at % 50})`)
  await desk.app.store.write(
    (tx) => tx.run(`INSERT INTO tickets (CompanyId, Title, Points) VALUES ${rows.join(', ')}`),
    { company: 1 },
  )
  expect(await listEntries(desk)).toHaveLength(300)
  const before = desk.app.store.counters.reads
  const shift = refusal(await desk.act('clerk', 'Tickets', 'Shift', {}), 400)
  expect(desk.app.store.counters.reads - before).toBeLessThan(60)
  expect(shift.fieldErrors).toEqual({ Points: 'At most 100 points' })
})
