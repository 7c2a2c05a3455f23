/** Effects of actions: in order, in the transaction, and handed on by the outbox. */
import { expect, test } from 'bun:test'
import { listJobs, listOutbox, startDesk } from '../support/desk.ts'
import { data, refusal } from '../support/objects.ts'

const TICKET = { Title: 'Lamp', Points: 5, OwnerId: 2, Email: 'lamp@desk.test' }

test('effects run in order; texts have the row as it is after the statements', async () => {
  await using desk = await startDesk()
  await desk.save('clerk', 'Tickets', TICKET)
  const done = data(await desk.act('clerk', 'Tickets', 'Close', { Id: 1, Reason: 'mended' }))
  expect(done.Dispatch).toEqual([{ Type: 'showAlert', Message: 'Lamp: 0' }])
  const base = { CompanyId: 1, UserId: 2, Source: 'Tickets', Entity: 'Ticket', RecordKey: '[1]' }
  const to = { Role: null, User: null, Users: null }
  const notify = { Body: null, Level: 'info', Url: null, Kind: 'Tickets', ...to }
  expect((await listOutbox(desk)).slice(0, 3)).toEqual([
    {
      ...base,
      Kind: 'notify',
      State: 'pending',
      Attempts: 0,
      Payload: {
        ...notify,
        Title: 'Lamp is done',
        Body: 'mended, 0 others',
        Level: 'success',
        Role: 'Clerk',
      },
    },
    {
      ...base,
      Kind: 'notify',
      State: 'pending',
      Attempts: 0,
      Payload: { ...notify, Title: 'Yours', User: '2', Users: [1, 2, 4] },
    },
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
        Language: 'en',
        With: { Id: 1, Kind: 'short', Points: 5 },
      },
    },
  ])
  expect(await listJobs(desk)).toEqual([
    {
      ...{ Name: 'Clean', State: 'Enqueued', Queue: 'default', Arguments: { TicketId: 1 } },
      ...{ CompanyId: 1, UserId: 2, ImpersonatorId: null, Language: 'en', Source: 'Tickets' },
    },
    expect.objectContaining({ Name: 'Archive', Arguments: { Id: 1 } }),
  ])
})

test('for many rows each row hands on its own, and all or nothing is handed on', async () => {
  await using desk = await startDesk()
  for (const Title of ['A', 'B', 'C']) await desk.save('clerk', 'Tickets', { ...TICKET, Title })
  const Keys = [{ Id: 1 }, { Id: 2 }]
  data(await desk.act('clerk', 'Tickets', 'Close', {}, { Keys }))
  const titles = (await listOutbox(desk)).flatMap(({ Kind, Payload }) =>
    Kind === 'notify' ? [Payload.Title] : [],
  )
  expect(titles.slice(0, 4)).toEqual(['A is done', 'Yours', 'B is done', 'Yours'])
  const before = await listOutbox(desk)
  const mixed = { Keys: [{ Id: 3 }, { Id: 1 }] }
  const refused = refusal(await desk.act('clerk', 'Tickets', 'Close', {}, mixed), 400)
  expect(refused.error).toBe('Closed already')
  refusal(await desk.act('clerk', 'Tickets', 'Fail', { Id: 3 }), 400)
  expect(await listOutbox(desk)).toEqual(before)
})

test('without a row: nothing is named, and the company is the caller’s', async () => {
  await using desk = await startDesk()
  data(await desk.act('other', 'Tickets', 'Tell', {}))
  expect(await listOutbox(desk)).toMatchObject([
    {
      Kind: 'notify',
      CompanyId: 2,
      Entity: null,
      RecordKey: null,
      Payload: { Title: 'Hello', Kind: 'Chat' },
    },
  ])
})
