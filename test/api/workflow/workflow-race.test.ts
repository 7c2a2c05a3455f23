/** Two at once: whoever is second finds that it is done, and nothing happens twice. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'

const BASE = '/api/v1/svc/workflow'
const ROUNDS = 25

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: approvals() })
})
afterAll(() => app[Symbol.asyncDispose]())

const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const act = (as: string, id: number, action: string, body: object = {}) =>
  app.fetch<{ code?: string }>(`${BASE}/instances/${id}/actions/${action}`, { as, body })

/** An instance in its first task. */
async function submit(Amount: number): Promise<{ id: number; record: number }> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount } }
  const reply = await app.fetch<{ data: { Keys: { Id: number } } }>('/api/v1/svc/object/submit', {
    as: 'maker',
    body,
  })
  const record = reply.body.data.Keys.Id
  const [row] = await list(`SELECT Id FROM svc_workflow_instances WHERE RecordKey = '[${record}]'`)
  const id = Number(row?.Id)
  await act('maker', id, 'Submit')
  return { id, record }
}

const movesTo = (id: number, state: string) =>
  list(
    `SELECT UserId FROM svc_workflow_history WHERE InstanceId = ${id} AND ToState = '${state}'
     AND FromState <> ToState`,
  )

test('the only word needed, given by three at once: one move, one effect, one event', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, record } = await submit(10)
    const all = await Promise.all(
      ['ann', 'bob', 'cid'].map((as) => act(as, id, 'Approve', { Comment: as })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await movesTo(id, 'done')).toHaveLength(1)
    const [row] = await list(`SELECT Note FROM requests WHERE Id = ${record}`)
    expect(row?.Note).toMatch(/^(ann|bob|cid);heard;$/)
  }
})

test('the last word of a quorum against a refusal: one of the two, whole', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, record } = await submit(5000)
    await act('ann', id, 'Approve')
    await act('ann', id, 'Approve')
    const refusal = { Parameters: { Reason: 'too dear' } }
    const both = await Promise.all([act('bob', id, 'Approve'), act('ann', id, 'Refuse', refusal)])
    // A word of ann's that was first is hers alone: bob's Approve agrees with nobody then.
    const moves = [...(await movesTo(id, 'done')), ...(await movesTo(id, 'refused'))]
    const [row] = await list(`SELECT State, Note FROM requests WHERE Id = ${record}`)
    const isDone = row?.State === 'done'
    expect(both[0]?.status).toBe(200)
    expect(both[1]?.status).toBe(isDone ? 400 : 200)
    expect(moves).toHaveLength(isDone ? 1 : 0)
    // The event of the action is told of moves alone: to the board, and to the end.
    expect(row?.Note).toBe(isDone ? 'heard;heard;' : 'heard;')
  }
})

test('a claim and a word, a cancel and a word: one of them is second', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await submit(10)
    const [task] = await list(`SELECT Id FROM svc_workflow_tasks WHERE InstanceId = ${id}`)
    const claim = app.fetch(`${BASE}/tasks/${String(task?.Id)}/claim`, { as: 'bob', body: {} })
    const [claimed, approved] = await Promise.all([claim, act('ann', id, 'Approve')])
    expect([claimed.status, approved.status].sort()).toEqual([200, 400])
    expect(await movesTo(id, 'done')).toHaveLength(approved.status === 200 ? 1 : 0)
    const other = await submit(10)
    const [ended, done] = await Promise.all([
      app.fetch(`${BASE}/instances/${other.id}/cancel`, { as: 'des', body: {} }),
      act('ann', other.id, 'Approve'),
    ])
    expect([ended.status, done.status].sort()).toEqual([200, 400])
  }
})
