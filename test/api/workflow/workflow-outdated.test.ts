/** Instances whose version does not fit the application any more: seen, migrated, cancelled. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { DeployResult } from '../../../src/model/deploy/schema.ts'
import type { MigrateResult, WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { APPROVAL, approvalModel, approvals } from '../../support/approvals.ts'

const BASE = '/api/v1/svc/workflow'
const SCRIPTS = '/api/v1/svc/scripts'

/** Without the column that statements of the version before name. */
const FLOW = APPROVAL.replace(/ *<Sql>UPDATE.*<\/Sql>\n/g, '')
const MODEL = approvalModel(FLOW)
  .replace(/ *<Column Name="Note".*\n/, '')
  .replace(/ *<On Event="Approve">.*\n/, '')

interface Reply<T> {
  code?: string
  data: T
}
let app: TestApp
let [first, second] = [0, 0]
const plans: DeployResult[] = []
beforeAll(async () => {
  app = await startApp({ application: approvals() })
  first = await start()
  second = await start()
  const Files = [{ FileName: 'approvals.xml', Body: MODEL }]
  for (const body of [{ Files, DryRun: true }, { Files }, { Files }]) {
    const answer = await app.fetch<Reply<DeployResult>>(SCRIPTS, { as: 'sys', body })
    expect(answer.status).toBe(200)
    plans.push(answer.body.data)
  }
})
afterAll(() => app[Symbol.asyncDispose]())

const ask = <T>(as: string, path: string, body?: object) =>
  app.fetch<Reply<T>>(`${BASE}${path}`, { as, ...(body && { body }) })

/** An instance that waits for the boss. */
async function start(): Promise<number> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Desk', Amount: 10 } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const { data } = (await ask<{ Id: number }[]>('maker', '/instances')).body
  const id = Math.max(...data.map(({ Id }) => Id))
  await ask('maker', `/instances/${id}/actions/Submit`, {})
  return id
}

test('the plan of the deploy says how many it outdates, and to migrate them', () => {
  const told = plans.map(({ Outdated }) => Outdated)
  const sentence =
    '2 open instances of the workflow Approval cannot continue with the version they began with, ' +
    'which no longer fits the model: migrate each ' +
    '(POST /api/v1/svc/workflow/instances/{id}/migrate) or cancel it'
  // The last of them changes nothing.
  expect(told).toEqual([[sentence], [sentence], []])
})

test('it is shown and listed, without actions', async () => {
  const { body } = await ask<WorkflowInstance>('ann', `/instances/${first}`)
  expect(body.data).toMatchObject({ State: 'review', IsCurrent: false, Actions: [] })
  const tasks = await ask<{ Tasks: { InstanceId: number }[] }>('ann', '/tasks?mine=true')
  expect(tasks.body.data.Tasks.map(({ InstanceId }) => InstanceId).toSorted()).toEqual([
    first,
    second,
  ])
})

test('nothing moves it, and who does not see it learns nothing of that', async () => {
  const { body } = await ask<WorkflowInstance>('ann', `/instances/${first}`)
  const task = body.data.Tasks[0]?.Id
  const calls: [string, object][] = [
    [`/instances/${first}/actions/Approve`, {}],
    [`/tasks/${task}/claim`, {}],
    [`/tasks/${task}/delegate`, { UserId: 4 }],
  ]
  for (const [path, sent] of calls) {
    const refused = await ask('ann', path, sent)
    expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'WORKFLOW_OUTDATED'])
    expect([path, (await ask('two', path, sent)).status]).toEqual([path, 404])
  }
  expect((await ask('two', `/instances/${first}`)).status).toBe(404)
})

test('it is taken to the published version, and goes on', async () => {
  const { body } = await ask<MigrateResult>('des', `/instances/${first}/migrate`, {})
  expect(body.data).toMatchObject({ Applied: true, Instance: { State: 'review', IsCurrent: true } })
  const done = await ask<WorkflowInstance>('ann', `/instances/${first}/actions/Approve`, {})
  expect(done.body.data).toMatchObject({ State: 'done', Status: 'Finished' })
})

test('it is cancelled', async () => {
  const { body } = await ask<WorkflowInstance>('des', `/instances/${second}/cancel`, {})
  expect(body.data).toMatchObject({ Status: 'Cancelled', Tasks: [], Actions: [] })
})
