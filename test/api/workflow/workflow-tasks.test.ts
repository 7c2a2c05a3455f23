/** Tasks: handed over, acted on together, from a mail, and what a lost right leaves behind. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { passOnTasks } from '../../../src/engine/workflow/lost-rights.ts'
import type { WorkflowInstance, WorkflowTask } from '../../../src/engine/workflow/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { APPROVAL, approvals } from '../../support/approvals.ts'
import { replaceBehind } from '../../support/model-changes.ts'
import { readOutbox, tokenIn } from '../../support/outbox.ts'
import { until } from '../../support/until.ts'

const BASE = '/api/v1/svc/workflow'
const ALL = { company: 'all', because: 'a test' } as const

interface Reply<T> {
  code?: string
  error?: string
  fieldErrors?: Record<string, string>
  data: T
}
interface Page {
  Tasks: WorkflowTask[]
  Next: string | null
}
const MAILED = approvals(APPROVAL.replace('Escalate="Chief"', 'Escalate="Chief" Mail="true"'))
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: MAILED, settings: { 'Svc:Mail:From': 'flow@desk.test' } })
  await write(`UPDATE svc_users SET Email = UserName || '@desk.test'`)
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})
const write = (sql: string) => app.store.write((tx) => tx.run(sql), ALL)
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const ask = <T>(as: string, path: string, body?: object, method?: string) =>
  app.fetch<Reply<T>>(`${BASE}${path}`, {
    as,
    ...(body && { body }),
    ...(method !== undefined && { method }),
  })
const mine = async (as: string) => (await ask<Page>(as, '/tasks?mine=true')).body.data.Tasks
const act = (as: string, id: number, action: string, body: object = {}) =>
  ask<WorkflowInstance>(as, `/instances/${id}/actions/${action}`, body)

/** A request that waits in review, with its task. */
async function review(values: object = {}): Promise<{ id: number; task: number }> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Desk', Amount: 10, ...values } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const [row] = await list('SELECT max(Id) AS Id FROM svc_workflow_instances')
  const id = Number(row?.Id)
  const moved = await act('maker', id, 'Submit')
  return { id, task: moved.body.data.Tasks[0]?.Id ?? 0 }
}

test('a task waits for who has it, claimed for one, given to another', async () => {
  const { id, task } = await review()
  expect((await mine('ann')).map(({ Id }) => Id)).toContain(task)
  expect(await mine('dee')).toEqual([])
  const claimed = await ask<WorkflowTask>('ann', `/tasks/${task}/claim`, {})
  expect(claimed.body.data).toMatchObject({ ClaimedBy: 3, Assignee: 'ann' })
  expect((await mine('bob')).map(({ Id }) => Id)).not.toContain(task)
  expect((await act('bob', id, 'Approve')).body).toMatchObject({ code: 'TASK_CLAIMED' })
  expect((await ask('ann', `/tasks/${task}/delegate`, { UserId: 10 })).body.fieldErrors).toEqual({
    UserId: 'This user cannot take the task',
  })
  expect((await ask('ann', `/tasks/${task}/delegate`, { UserId: 6 })).status).toBe(200)
  expect((await act('ann', id, 'Approve')).body).toMatchObject({ code: 'NOT_ASSIGNED' })
  expect((await mine('dee')).map(({ Id }) => Id)).toEqual([task])
  expect((await act('dee', id, 'Approve', { Comment: 'ok' })).body.data.State).toBe('done')
})

test('who is away is acted for, and the history names both', async () => {
  const { id } = await review()
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const away = { UserId: 7, Until: until }
  {
    using replacing = replaceBehind(app, 4)
    expect((await ask('cid', '/delegation', away, 'PUT')).body.data).toMatchObject({ UserId: 7 })
    expect(replacing.left).toBe(0)
  }
  await write(`UPDATE requests SET Region = 'north'`)
  expect((await mine('loc')).length).toBeGreaterThan(0)
  const done = await act('loc', id, 'Approve', { Comment: 'for cid' })
  expect(done.body.data.History.at(-1)).toMatchObject({ By: 'loc', For: 'cid', To: 'done' })
  expect((await ask('cid', '/delegation', { UserId: null }, 'PUT')).body.data).toBeNull()
  expect(await mine('loc')).toEqual([])
})

test('one action on many tasks: a result for each', async () => {
  const [one, two] = [await review(), await review({ Amount: 5000 })]
  const { body } = await ask<object[]>('ann', '/tasks/actions', {
    Action: 'Approve',
    Tasks: [one.task, two.task, 999999],
    Comment: 'all',
  })
  expect(body.data).toEqual([
    { TaskId: one.task, Success: true, State: 'done', Code: null, Error: null },
    { TaskId: two.task, Success: true, State: 'board', Code: null, Error: null },
    {
      TaskId: 999999,
      Success: false,
      State: null,
      Code: 'TASK_NOT_FOUND',
      Error: 'There is no such task',
    },
  ])
})

test('a link of a mail says what it approves, and does it once', async () => {
  const { id } = await review({ Title: 'Lamp' })
  await app.context.jobs.start()
  const mailOf = (name: string) =>
    readOutbox(app.folder).find((mail) => mail.includes('Lamp') && mail.includes(name))
  await until(() => mailOf('<ann@'))
  await app.context.jobs.stop()
  const mail = mailOf('<ann@')
  expect(mail).toContain('Approval: Lamp is waiting for you (Review).')
  const Token = tokenIn(mail?.replaceAll('=\r\n', '').replaceAll('=3D', '='))
  const open = <T>(path: string, body: object) => app.fetch<Reply<T>>(`${BASE}${path}`, { body })
  const told = await open('/link/describe', { Token })
  expect(told.body.data).toMatchObject({
    Workflow: 'Approval',
    Action: 'Approve',
    Title: 'Lamp',
    DisplayName: 'ann',
  })
  expect((await ask<WorkflowInstance>('ann', `/instances/${id}`)).body.data.State).toBe('review')
  const { Keys } = (await ask<WorkflowInstance>('ann', `/instances/${id}`)).body.data
  const timeline = await app.fetch<Reply<Timeline>>('/api/v1/svc/timeline', {
    as: 'ann',
    body: { Object: 'Requests', Keys },
  })
  const traces = timeline.body.data.Entries.filter(({ Mail }) => Mail)
  expect(traces).toMatchObject([
    { By: null, Text: 'Task: Approval', Mail: { To: ['ann', 'bob', 'cid'], State: null } },
  ])
  const used = await open('/link/use', { Token, Comment: 'by mail' })
  expect(used.body).toMatchObject({ success: true })
  expect(used.body.data).toEqual({ State: 'done', StateLabel: 'Done' })
  expect((await open('/link/use', { Token })).body).toMatchObject({ code: 'LINK_NOT_FOUND' })
  const hashes = await list('SELECT TokenHash FROM svc_workflow_links')
  expect(JSON.stringify(hashes)).not.toContain(String(Token))
})

test('tasks of lost rights go on, and the history says to whom', async () => {
  const { id, task } = await review()
  await ask('ann', `/tasks/${task}/claim`, {})
  await write(`DELETE FROM svc_user_roles WHERE Role = 'Boss' AND UserId = 3`)
  app.context.callers.forgetUser(3)
  expect(await passOnTasks(app.context)).toBe(1)
  expect((await mine('bob')).map(({ Id }) => Id)).toContain(task)
  await write(`DELETE FROM svc_user_roles WHERE Role = 'Boss' AND CompanyId = 1`)
  for (const user of [4, 5]) app.context.callers.forgetUser(user)
  expect(await passOnTasks(app.context)).toBeGreaterThan(0)
  expect((await mine('dee')).map(({ Id }) => Id)).toContain(task)
  const { body } = await ask<WorkflowInstance>('maker', `/instances/${id}`)
  expect(body.data.History.slice(-2)).toMatchObject([
    { By: null, Action: 'reassign', Comment: null },
    { By: null, Action: 'reassign', Comment: 'Chief' },
  ])
  expect(await passOnTasks(app.context)).toBe(0)
})
