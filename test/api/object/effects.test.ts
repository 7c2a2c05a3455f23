/** Effects of actions: in order, in the transaction, with what follows after the commit. */
import { expect, test } from 'bun:test'
import { listJobs, listOutbox, listTold, startEventTickets } from '../../support/event-tickets.ts'
import { data, refusal } from '../../support/objects.ts'

const TICKET = { Title: 'Lamp', Points: 5, OwnerId: 2, Email: 'lamp@desk.test' }

test('effects run in order; texts have the row as it is after the statements', async () => {
  await using desk = await startEventTickets()
  await desk.save('clerk', 'Tickets', TICKET)
  const done = data(await desk.act('clerk', 'Tickets', 'Close', { Id: 1, Reason: 'mended' }))
  expect(done.Dispatch).toEqual([{ Type: 'showAlert', Message: 'Lamp: 0' }])
  const base = { CompanyId: 1, UserId: 2, Source: 'Tickets', Entity: 'Ticket', RecordKey: '[1]' }
  const to = { Role: null, User: null, Users: null }
  const told = {
    UserId: 2,
    CompanyId: 1,
    Kind: 'Tickets',
    Object: 'Tickets',
    Entity: 'Ticket',
    RecordKey: '[1]',
    Url: null,
    FromUserId: 2,
  }
  // The owner of the second one is named and given by its query: they are told once.
  expect(await listTold(desk)).toEqual([
    { ...told, Title: 'Lamp is done', Body: 'mended, 0 others', Level: 'success' },
    { ...told, Title: 'Yours', Body: null, Level: 'info', UserId: 1 },
    { ...told, Title: 'Yours', Body: null, Level: 'info' },
    { ...told, Title: 'Yours', Body: null, Level: 'info', UserId: 4 },
    { ...told, Title: 'closed Lamp', Body: null, Level: 'info' },
  ])
  expect(await listOutbox(desk)).toEqual([
    {
      ...base,
      Kind: 'mail',
      State: 'pending',
      Attempts: 0,
      Payload: {
        ...to,
        To: 'lamp@desk.test',
        Subject: 'Ticket 1',
        Body: '0 comments',
        Report: 'ticket-sheet',
        With: { Id: 1, Kind: 'short', Points: 5 },
      },
    },
  ])
  expect(await listJobs(desk)).toEqual([
    {
      Name: 'Clean',
      State: 'Enqueued',
      Queue: 'default',
      Arguments: { TicketId: 1 },
      CompanyId: 1,
      UserId: 2,
      ImpersonatorId: null,
      Language: 'en',
      Source: 'Tickets',
    },
    expect.objectContaining({ Name: 'Archive', Arguments: { Id: 1 } }),
  ])
})

test('for many rows each row hands on its own, and all or nothing is handed on', async () => {
  await using desk = await startEventTickets()
  for (const Title of ['A', 'B', 'C']) await desk.save('clerk', 'Tickets', { ...TICKET, Title })
  const Keys = [{ Id: 1 }, { Id: 2 }]
  data(await desk.act('clerk', 'Tickets', 'Close', {}, { Keys }))
  const titles = (await listTold(desk)).map(
    ({ Title, UserId }) => `${String(Title)} ${String(UserId)}`,
  )
  const yours = ['Yours 1', 'Yours 2', 'Yours 4']
  const first = ['A is done 2', ...yours, 'B is done 2', ...yours]
  expect(titles.slice(0, 8)).toEqual(first)
  const before = [await listOutbox(desk), await listTold(desk), await listJobs(desk)]
  const mixed = { Keys: [{ Id: 3 }, { Id: 1 }] }
  const refused = refusal(await desk.act('clerk', 'Tickets', 'Close', {}, mixed), 400)
  expect(refused.error).toBe('Closed already')
  refusal(await desk.act('clerk', 'Tickets', 'Fail', { Id: 3 }), 400)
  expect([await listOutbox(desk), await listTold(desk), await listJobs(desk)]).toEqual(before)
})

test('without a row: nothing is named, and the company is the caller’s', async () => {
  await using desk = await startEventTickets()
  data(await desk.act('other', 'Tickets', 'Tell', {}))
  expect(await listTold(desk)).toMatchObject([
    {
      UserId: 3,
      Title: 'Hello',
      Kind: 'Chat',
      CompanyId: 2,
      Object: 'Tickets',
      Entity: null,
      RecordKey: null,
    },
  ])
})
