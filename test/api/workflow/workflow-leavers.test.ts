/** Words on a task: those of who is left decide it, and one that only repeats changes nothing. */
import { expect, test } from 'bun:test'
import { passOnTasks } from '../../../src/engine/workflow/lost-rights.ts'
import type { WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'
import { replaceBehind } from '../../support/model-changes.ts'

const ALL = { company: 'all', because: 'a test' } as const

const flow = (rule: string) => `<Workflow Name="Approval" Object="Requests" StateField="State">
  <States>
    <State Name="draft" Kind="Initial"/>
    <State Name="board" Kind="Task"><Assign Role="Boss" ${rule}/></State>
    <State Name="done" Kind="Final"/><State Name="refused" Kind="Final"/>
  </States>
  <Transitions>
    <Transition From="draft" To="board" Action="Submit"/>
    <Transition From="board" To="done" Action="Approve" Capability="Decide"/>
    <Transition From="board" To="refused" Action="Refuse" Capability="Decide"/>
  </Transitions>
  <Start On="created"/>
</Workflow>`

/** A request before ann, bob and cid, who are 3, 4 and 5. */
async function startBoard(rule: string) {
  const app = await startApp({ application: approvals(flow(rule)) })
  const body = { FormName: 'Requests', Parameters: { Title: 'Desk', Amount: 10 } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const call = async (as: string, path: string, given?: object) =>
    (
      await app.fetch<{ data: WorkflowInstance }>(`/api/v1/svc/workflow/instances/1${path}`, {
        as,
        ...(given && { body: given }),
      })
    ).body.data
  await call('maker', '/actions/Submit', {})
  const leave = (sql: string) => app.store.write((tx) => tx.run(sql), ALL)
  return {
    app,
    leave,
    act: (as: string, action: string, given: object = {}) => call(as, `/actions/${action}`, given),
    look: () => call('maker', ''),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

const [ROLE, LOCK] = [
  `DELETE FROM svc_user_roles WHERE Role = 'Boss' AND UserId = 5`,
  'UPDATE svc_users SET Active = 0 WHERE Id = 5',
]
const GONE = 'DELETE FROM svc_user_companies WHERE UserId = 5'

test('a task that the leavers have decided goes on while the model changes', async () => {
  await using board = await startBoard('Rule="All"')
  for (const name of ['ann', 'bob']) await board.act(name, 'Approve')
  await board.leave(ROLE)
  using replacing = replaceBehind(board.app, 20)
  await passOnTasks(board.app.context)
  expect([replacing.left, (await board.look()).State]).toEqual([0, 'done'])
})

test.each([
  ['Rule="All"', ['Approve', 'Approve'], ROLE, 'done'],
  ['Rule="All"', ['Approve', 'Approve'], LOCK, 'done'],
  ['Rule="All"', ['Approve', 'Approve'], GONE, 'done'],
  ['Rule="All"', ['Approve'], ROLE, 'board'],
  ['Rule="All"', [], ROLE, 'board'],
  ['Rule="Quorum" Count="2"', ['Approve', 'Refuse'], ROLE, 'refused'],
  ['Rule="Quorum" Count="2"', ['Approve'], ROLE, 'board'],
])('%s with %j, when the one who is left leaves (%s): %s', async (rule, words, sql, state) => {
  await using board = await startBoard(rule)
  for (const [at, word] of words.entries()) {
    const said = await board.act(['ann', 'bob'][at] ?? '', word)
    expect(said.State).toBe('board')
  }
  await board.leave(sql)
  await passOnTasks(board.app.context)
  const { State, History } = await board.look()
  expect(State).toBe(state)
  if (state !== 'board')
    expect(History.at(-1)).toMatchObject({ By: null, From: 'board', To: state })
  expect(await passOnTasks(board.app.context)).toBe(0)
})

/** All that a word could write or cause. */
const TRACES = `SELECT (SELECT json_group_array(json_array(UserId, ForUserId, Action, At)) FROM
    (SELECT * FROM svc_workflow_votes ORDER BY rowid)) AS Votes,
  (SELECT count(*) FROM svc_workflow_history) AS History, (SELECT count(*) FROM svc_audit) AS Audit,
  (SELECT count(*) FROM svc_outbox) AS Mails, (SELECT count(*) FROM svc_notifications) AS Told,
  (SELECT json_array(Version, Entry, EnteredAt) FROM svc_workflow_instances) AS Instance,
  (SELECT json_array(RowVersion, Note) FROM requests) AS Record`

test('a word that is only repeated changes and stores nothing; another one counts', async () => {
  await using board = await startBoard('Rule="Quorum" Count="2"')
  const look = async () => (await board.app.store.all({ sql: TRACES, args: {}, runs: 'inline' }))[0]
  await board.act('ann', 'Approve', { Comment: 'fine' })
  const before = await look()
  for (const given of [{}, { Comment: 'fine' }, {}]) {
    const again = await board.act('ann', 'Approve', given)
    expect([again.State, again.History.length]).toEqual(['board', 3])
    expect(await look()).toEqual(before)
  }
  const more = await board.act('ann', 'Approve', { Comment: 'and soon' })
  expect(more.History.at(-1)).toMatchObject({ By: 'ann', Comment: 'and soon' })
  expect(more.History).toHaveLength(4)
  const other = await board.act('ann', 'Refuse')
  expect(other.History.at(-1)).toMatchObject({ By: 'ann', Action: 'Refuse' })
  expect((await board.act('bob', 'Approve')).State).toBe('board')
  expect((await board.act('bob', 'Approve')).History).toHaveLength(6)
  expect((await board.act('cid', 'Approve')).State).toBe('done')
})
