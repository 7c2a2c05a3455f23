/** Instances of workflows: begun by records, moved by actions, seen by who sees the record. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'

const BASE = '/api/v1/svc/workflow'

interface Reply<T> {
  code?: string
  fieldErrors?: Record<string, string>
  data: T
}
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: approvals() })
})
afterAll(() => app[Symbol.asyncDispose]())

async function create(as: string, values: object): Promise<number> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount: 10, ...values } }
  const { body: reply } = await app.fetch<Reply<{ Keys: { Id: number } }>>(
    '/api/v1/svc/object/submit',
    { as, body },
  )
  return reply.data.Keys.Id
}
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
async function instanceOf(record: number): Promise<number> {
  const [row] = await list(
    `SELECT Id FROM svc_workflow_instances WHERE RecordKey = '[${record}]' ORDER BY Id DESC`,
  )
  return Number(row?.Id)
}
const act = (as: string, id: number, action: string, body: object = {}) =>
  app.fetch<Reply<WorkflowInstance>>(`${BASE}/instances/${id}/actions/${action}`, { as, body })
const look = (as: string, id: number) =>
  app.fetch<Reply<WorkflowInstance>>(`${BASE}/instances/${id}`, { as })

describe('a record on its way', () => {
  test('begins with the record, whose state follows', async () => {
    const record = await create('maker', {})
    const id = await instanceOf(record)
    const { body } = await look('maker', id)
    expect(body.data).toMatchObject({
      Workflow: 'Approval',
      Object: 'Requests',
      Keys: { Id: record },
      State: 'draft',
      Status: 'Running',
      Version: 1,
      IsCurrent: true,
      Tasks: [],
      History: [{ By: 'maker', Action: 'start', From: null, To: 'draft' }],
      Actions: [{ Action: 'Submit', To: 'review', TaskId: null, Parameters: [] }],
    })
    expect(await list(`SELECT State FROM requests WHERE Id = ${record}`)).toEqual([
      { State: 'draft' },
    ])
  })

  test('is found by its record', async () => {
    const record = await create('maker', {})
    const find = (key: string) =>
      app.fetch<Reply<{ Keys: object }[]>>(`${BASE}/instances?object=requests&key=${key}`, {
        as: 'maker',
      })
    expect((await find(`[${record}]`)).body.data.map(({ Keys }) => Keys)).toEqual([{ Id: record }])
    expect((await find(`${record}`)).body.data).toHaveLength(1)
    expect((await find('x')).status).toBe(400)
    expect((await find('[')).status).toBe(400)
  })

  test('moves by its actions, with effects, events and history', async () => {
    const record = await create('maker', {})
    const id = await instanceOf(record)
    expect((await act('maker', id, 'submit')).body.data).toMatchObject({
      State: 'review',
      Version: 2,
      Actions: [],
      Tasks: [{ State: 'review', Assignee: 'Boss', IsOverdue: false }],
    })
    const { body, status } = await act('ann', id, 'Approve', { Comment: 'fine' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      State: 'done',
      Status: 'Finished',
      Tasks: [],
      Actions: [],
      Dispatch: [{ Type: 'refreshTable' }],
    })
    expect(body.data.History.map(({ By, Action, To }) => [By, Action, To])).toEqual([
      ['maker', 'start', 'draft'],
      ['maker', 'Submit', 'review'],
      ['ann', 'Approve', 'done'],
    ])
    expect(await list(`SELECT State, Note FROM requests WHERE Id = ${record}`)).toEqual([
      { State: 'done', Note: 'fine;heard;' },
    ])
    expect(
      await list(`SELECT UserId, Title FROM svc_notifications WHERE Kind = 'Requests'`),
    ).toEqual([{ UserId: 2, Title: 'Chair was approved' }])
  })

  test('is moved as a row action too, with its Permit cells', async () => {
    const record = await create('maker', {})
    const { body } = await app.fetch<Reply<{ Rows: Record<string, unknown>[] }>>(
      '/api/v1/svc/object/Requests/table',
      { as: 'maker', body: { Filters: [{ Field: 'Id', Operator: 'eq', Value: record }] } },
    )
    expect(body.data.Rows[0]).toMatchObject({ Action__Submit: true, Action__Refuse: false })
    const acted = await app.fetch('/api/v1/svc/object/execute-row-action', {
      as: 'maker',
      body: { ObjectName: 'Requests', ActionName: 'Submit', Parameters: { Id: record } },
    })
    expect(acted.body).toMatchObject({
      data: { Action: 'Submit', Keys: { Id: record }, Values: { State: 'review' }, Ignored: [] },
    })
  })

  test('a state is no field of a submit', async () => {
    const record = await create('maker', { State: 'done' })
    expect(await list(`SELECT State FROM requests WHERE Id = ${record}`)).toEqual([
      { State: 'draft' },
    ])
  })

  test('conditions, parameters and rules hold', async () => {
    const record = await create('maker', { Amount: 0 })
    const id = await instanceOf(record)
    expect((await act('maker', id, 'Submit')).body).toMatchObject({ code: 'NOT_PERMITTED_NOW' })
    await app.store.write((tx) => tx.run(`UPDATE requests SET Amount = 5 WHERE Id = ${record}`), {
      company: 'all',
      because: 'a test',
    })
    await act('maker', id, 'Submit')
    expect((await act('ann', id, 'Refuse')).body.fieldErrors).toEqual({
      Reason: 'Reason is required',
    })
    expect((await act('ann', id, 'Refuse', { Parameters: { Reason: 'no' } })).body).toMatchObject({
      error: 'Say more',
    })
    const refused = await act('ann', id, 'Refuse', { Parameters: { Reason: 'too dear' } })
    expect(refused.body.data).toMatchObject({ State: 'refused', Status: 'Finished' })
    expect(await list(`SELECT Note FROM requests WHERE Id = ${record}`)).toEqual([
      { Note: 'too dear' },
    ])
  })

  test('a stale version is 409', async () => {
    const id = await instanceOf(await create('maker', {}))
    expect((await act('maker', id, 'Submit', { Version: 1 })).status).toBe(200)
    expect((await act('ann', id, 'Approve', { Version: 1 })).status).toBe(409)
  })

  test('ends with its record', async () => {
    const record = await create('maker', {})
    const id = await instanceOf(record)
    const { body } = await app.fetch<Reply<{ Values: { RowVersion: string } }>>(
      '/api/v1/svc/object/Requests/form',
      { as: 'maker', body: { Parameters: { Id: record } } },
    )
    const removed = await app.fetch('/api/v1/svc/object/delete-row', {
      as: 'maker',
      body: {
        ObjectName: 'Requests',
        Parameters: { Id: record },
        RowVersion: body.data.Values.RowVersion,
      },
    })
    expect(removed.status).toBe(200)
    expect(await list(`SELECT Status FROM svc_workflow_instances WHERE Id = ${id}`)).toEqual([
      { Status: 'Cancelled' },
    ])
    expect((await look('maker', id)).status).toBe(404)
  })
})

describe('words on tasks', () => {
  async function review(values: object = {}, as = 'maker') {
    const id = await instanceOf(await create(as, values))
    await act(as, id, 'Submit')
    return id
  }

  test('four eyes: whoever began has no word', async () => {
    const id = await review({}, 'bob')
    expect((await act('bob', id, 'Approve')).body).toMatchObject({ code: 'NOT_ASSIGNED' })
    expect((await act('ann', id, 'Approve', { Comment: 'x' })).body.data.State).toBe('done')
  })

  test('a quorum decides; words may change; the last one that cannot agree refuses', async () => {
    const id = await review({ Amount: 5000 })
    expect((await act('ann', id, 'Approve')).body.data).toMatchObject({ State: 'board' })
    const reason = { Parameters: { Reason: 'too dear' } }
    expect((await act('ann', id, 'Refuse', reason)).body.data.State).toBe('board')
    expect((await act('ann', id, 'Approve')).body.data.State).toBe('board')
    expect((await act('bob', id, 'Approve')).body.data).toMatchObject({ State: 'done' })
    const other = await review({ Amount: 5000 })
    await act('ann', other, 'Approve')
    await act('ann', other, 'Refuse', reason)
    expect((await act('bob', other, 'Refuse', reason)).body.data.State).toBe('refused')
  })

  test('two last words at once: one transition', async () => {
    const id = await review({ Amount: 5000 })
    await act('cid', id, 'Approve')
    await act('cid', id, 'Approve')
    const both = await Promise.all([act('ann', id, 'Approve'), act('bob', id, 'Approve')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    const moves = await list(
      `SELECT Id FROM svc_workflow_history WHERE InstanceId = ${id} AND ToState = 'done'`,
    )
    expect(moves).toHaveLength(1)
  })
})
