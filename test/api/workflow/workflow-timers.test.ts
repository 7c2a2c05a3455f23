/** Reminder, escalation and timers by a clock that the test moves, over a change of clocks. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'
import { replaceBehind } from '../../support/model-changes.ts'

const FLOW = `<Workflow Name="Approval" Object="Requests" StateField="State">
  <Calendar Days="Mon Tue Wed Thu Fri" From="09:00" To="17:00">
    <Holidays>SELECT Day FROM holidays</Holidays></Calendar>
  <States>
    <State Name="draft" Kind="Initial"/>
    <State Name="review" Kind="Task">
      <Assign Role="Boss" DueIn="12h" Remind="4h" Escalate="Chief"/></State>
    <State Name="done" Kind="Final"/><State Name="lapsed" Kind="Final"/>
  </States>
  <Transitions>
    <Transition From="draft" To="review" Action="Submit"/>
    <Transition From="review" To="done" Action="Approve" Capability="Decide"/>
    <Transition From="review" To="draft" Action="Return" Capability="Decide"/>
    <Transition From="review" To="lapsed" Action="Lapse" After="20h" When="Amount &lt; 1000">
      <Sql>UPDATE requests SET Note = coalesce(Note, '') || 'lapsed;' WHERE Id = @Id</Sql>
      <Notify User="{OwnerId}" Title="{Title} has lapsed" Kind="Lapse"/>
    </Transition>
  </Transitions>
  <Start On="created"/>
</Workflow>`

const OFFICES = approvals(FLOW)
const BASE = '/api/v1/svc/workflow'

/** A Friday at four in Berlin; the clocks change on Sunday, and Monday is a day off there. */
const FRIDAY = '2026-03-27T15:00:00.000Z'
const REMINDER = '2026-04-01T06:00:00.000Z'
const DUE = '2026-04-01T10:00:00.000Z'
const LAPSE = '2026-04-02T10:00:00.000Z'

const clock = {
  at: Date.parse(FRIDAY),
  now: () => new Date(clock.at),
}
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: OFFICES, clock })
  await write(`UPDATE svc_companies SET TimeZone = 'Europe/Berlin' WHERE Id = 1`)
  // The other company's day off is none of ours.
  await write(`INSERT INTO holidays (CompanyId, Day) VALUES (1, '2026-03-30'), (2, '2026-03-31')`)
  await app.context.jobs.start()
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})

const write = (sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const act = (as: string, id: number, action: string) =>
  app.fetch(`${BASE}/instances/${id}/actions/${action}`, { as, body: {} })

async function submit(Title: string, Amount = 10): Promise<number> {
  const body = { FormName: 'Requests', Parameters: { Title, Amount } }
  const reply = await app.fetch<{ data: { Keys: { Id: number } } }>('/api/v1/svc/object/submit', {
    as: 'maker',
    body,
  })
  const [row] = await list(
    `SELECT Id FROM svc_workflow_instances WHERE RecordKey = '[${reply.body.data.Keys.Id}]'`,
  )
  await act('maker', Number(row?.Id), 'Submit')
  return Number(row?.Id)
}

/** Moves the clock, and lets all that is due then come to its end. */
async function moveTo(at: string): Promise<void> {
  clock.at = Date.parse(at)
  app.context.jobs.wake()
  const due = () =>
    list(`SELECT Id FROM svc_jobs WHERE State IN ('Enqueued', 'Scheduled', 'Processing')
      AND coalesce(DueAt, '') <= '${at}'`)
  while ((await due()).length > 0) {
    app.context.jobs.wake()
    await Bun.sleep(5)
  }
}

const historyOf = async (id: number) =>
  (await list(`SELECT Action FROM svc_workflow_history WHERE InstanceId = ${id} ORDER BY Id`)).map(
    ({ Action }) => Action,
  )
const told = async (kind: string) =>
  (
    await list(
      `SELECT n.UserId, n.Title FROM svc_notifications n WHERE n.Kind = '${kind}'
       AND n.Title NOT LIKE 'Task%' ORDER BY n.Id`,
    )
  ).map(({ UserId, Title }) => `${String(UserId)} ${String(Title)}`)

const before = (at: string): string => new Date(Date.parse(at) - 1).toISOString()

test('reminded, escalated, lapsed: each at its instant, and once', async () => {
  const id = await submit('Chair')
  const [task] = await list(`SELECT DueAt FROM svc_workflow_tasks WHERE InstanceId = ${id}`)
  expect(task?.DueAt).toBe(DUE)
  await moveTo(before(REMINDER))
  expect(await told('Task')).toEqual([])
  await moveTo(REMINDER)
  const soon = ['3', '4', '5'].map((user) => `${user} Due soon: Approval`)
  expect(await told('Task')).toEqual(soon)
  await moveTo(before(DUE))
  expect(await historyOf(id)).toEqual(['start', 'Submit'])
  await moveTo(DUE)
  expect(await historyOf(id)).toEqual(['start', 'Submit', 'escalate'])
  const overdue = ['3', '4', '5', '6'].map((user) => `${user} Overdue: Approval`)
  expect((await told('Task')).sort()).toEqual([...soon, ...overdue].sort())
  await moveTo(before(LAPSE))
  expect((await act('maker', id, 'Approve')).status).toBe(401)
  expect(await historyOf(id)).toEqual(['start', 'Submit', 'escalate'])
  await moveTo(LAPSE)
  // The same jobs, sent again, do nothing more.
  await write(`UPDATE svc_jobs SET State = 'Enqueued' WHERE Name LIKE 'workflow-%'`)
  await moveTo('2026-04-02T11:00:00.000Z')
  expect(await historyOf(id)).toEqual(['start', 'Submit', 'escalate', 'Lapse'])
  expect(await told('Lapse')).toEqual(['2 Chair has lapsed'])
  expect(await list('SELECT State, Note FROM requests')).toEqual([
    { State: 'lapsed', Note: 'lapsed;' },
  ])
  const [entry] = await list(`SELECT UserId FROM svc_workflow_history WHERE Action = 'Lapse'`)
  expect(entry?.UserId).toBeNull()
})

test('what was asked for an earlier stay, or of a state that was left, does nothing', async () => {
  clock.at = Date.parse('2026-10-23T14:00:00Z')
  const [left, again, dear] = [
    await submit('Left'),
    await submit('Again'),
    await submit('Dear', 5000),
  ]
  expect((await act('ann', left, 'Approve')).status).toBe(200)
  await moveTo('2026-10-26T14:00:00Z')
  await act('ann', again, 'Return')
  await act('maker', again, 'Submit')
  // The clocks went back: 12 hours after Friday's 16:00 is Tuesday's noon, an hour later in UTC.
  await moveTo('2026-10-27T11:00:00.000Z')
  expect(await historyOf(left)).toEqual(['start', 'Submit', 'Approve'])
  expect((await historyOf(again)).slice(2)).toEqual(['Return', 'Submit'])
  expect(await historyOf(dear)).toEqual(['start', 'Submit', 'escalate'])
  // 20 hours after Friday's 16:00 are over on Wednesday at noon; the second stay's on Thursday.
  await moveTo('2026-10-29T09:59:59.999Z')
  expect((await historyOf(again)).slice(2)).toEqual(['Return', 'Submit', 'escalate'])
  await moveTo('2026-10-29T10:00:00.000Z')
  expect((await historyOf(again)).slice(2)).toEqual(['Return', 'Submit', 'escalate', 'Lapse'])
  expect(await historyOf(dear)).toEqual(['start', 'Submit', 'escalate'])
  expect(await told('Lapse')).toEqual(['2 Chair has lapsed', '2 Again has lapsed'])
})

test('what fires while the model changes is planned anew, within its try, once', async () => {
  clock.at = Date.parse('2026-11-02T09:00:00Z')
  const id = await submit('Moved')
  for (const name of ['workflow-reminder', 'workflow-escalation', 'workflow-timer']) {
    const [job] = await list(
      `SELECT Id, DueAt FROM svc_jobs WHERE Name = '${name}' ORDER BY Id DESC LIMIT 1`,
    )
    using _ = replaceBehind(app, 40)
    await moveTo(String(job?.DueAt))
    const [row] = await list(`SELECT State, Attempts, Log FROM svc_jobs WHERE Id = ${job?.Id}`)
    expect(row).toEqual({
      State: 'Succeeded',
      Attempts: 1,
      Log: expect.stringContaining('The job starts over.'),
    })
  }
  expect(await historyOf(id)).toEqual(['start', 'Submit', 'escalate', 'Lapse'])
})
