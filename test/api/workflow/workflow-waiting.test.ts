/** Changes while an action waits for the writer: it is judged by the state at its turn. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newToken, saveLink } from '../../../src/engine/workflow/mail-links.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { APPROVAL, approvalModel, approvals } from '../../support/approvals.ts'
import { holdWriter } from '../../support/held-writer.ts'
import { makePeople } from '../../support/people.ts'

const BASE = '/api/v1/svc/workflow'
const ALL = { company: 'all', because: 'a test' } as const
/** Shows all rows, but the state on those of the other role alone. */
const VEIL = `<Role Name="Veil">
  <Grant Resource="Requests" Verbs="View List Update" Capabilities="Decide"/>
  <Grant Resource="WorkflowDefinitions" Verbs="View Update"/>
  <FieldRule Resource="Requests" Field="State" Access="Hidden"/></Role></Rbac>`
const REVIEW = '<Assign Role="Boss" Except="Starter" DueIn="2d" Remind="1d" Escalate="Chief"/>'

const base = approvals()
const APPLICATION = {
  ...base,
  files: [
    {
      name: 'approvals.xml',
      body: approvalModel(APPROVAL.replace(REVIEW, '<Assign Role="Local"/>')).replace(
        '</Rbac>',
        VEIL,
      ),
    },
  ],
  users: [
    ...base.users,
    ...makePeople('ONE', { veil: ['Veil@ONE Local@ONE', { Region: 'north' }] }).users,
  ],
}
/** Ids go by the order of the users. */
const [ANN_ID, VEIL_ID] = [3, 11]

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
})
afterAll(() => app[Symbol.asyncDispose]())

const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const ask = (as: string, path: string, body?: object) =>
  app.fetch<{ data: { Code: string }[]; code?: string }>(`${BASE}${path}`, { as, body })

let [id, task, record] = [0, 0, 0]
let token = ''
beforeEach(async () => {
  const Parameters = { Title: 'Chair', Amount: 10, Region: 'north' }
  const body = { FormName: 'Requests', Parameters }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  record = await newest('requests')
  id = await newest('svc_workflow_instances')
  await ask('maker', `/instances/${id}/actions/Submit`, {})
  task = await newest('svc_workflow_tasks')
  token = newToken()
  const link = { task, user: VEIL_ID, action: 'Approve', now: new Date() }
  await app.store.write((tx) => saveLink(tx, link, token), ALL)
})
const newest = async (table: string) =>
  Number((await list(`SELECT max(Id) AS id FROM ${table}`))[0]?.id)

/** Sends a request while the writer is at a change, which is over once its gate was passed. */
async function during<T>(change: string, send: () => Promise<T>): Promise<T> {
  const writer = await holdWriter(app.store, (tx) => tx.run(change))
  const answer = send()
  await writer.queued(1)
  await writer.release()
  return answer
}

const facts = () =>
  list(`SELECT i.State, i.Status, i.Version, t.Status AS Task, t.ClaimedBy
    FROM svc_workflow_instances i JOIN svc_workflow_tasks t ON t.InstanceId = i.Id
    WHERE i.Id = ${id}`)

/** The answer to each way of doing something with the instance. */
const WAYS: Record<string, () => Promise<unknown>> = {
  'an action': () => answered('veil', `/instances/${id}/actions/Approve`, {}),
  'an action on many': async () => {
    const wanted = { Action: 'Approve', Tasks: [task] }
    const { body } = await ask('veil', '/tasks/actions', wanted)
    return body.data.map(({ Code }) => Code)
  },
  'a link': async () => {
    const body = { Token: token }
    return (await app.fetch<{ code?: string }>(`${BASE}/link/use`, { body })).body.code
  },
  'a claim': () => answered('veil', `/tasks/${task}/claim`, {}),
  'giving it on': () => answered('veil', `/tasks/${task}/delegate`, { UserId: ANN_ID }),
  'a cancel': () => answered('veil', `/instances/${id}/cancel`, {}),
}
const answered = async (as: string, path: string, body: object) =>
  (await ask(as, path, body)).body.code
const REFUSALS: Record<string, unknown> = {
  'an action': 'INSTANCE_NOT_FOUND',
  'a cancel': 'INSTANCE_NOT_FOUND',
  'a claim': 'TASK_NOT_FOUND',
  'giving it on': 'TASK_NOT_FOUND',
  'an action on many': ['TASK_NOT_FOUND'],
  'a link': 'LINK_NOT_FOUND',
}

describe('a state that is hidden meanwhile refuses', () => {
  for (const [way, send] of Object.entries(WAYS))
    test(way, async () => {
      const before = await facts()
      const hide = `UPDATE requests SET Region = 'south' WHERE Id = ${record}`
      expect(await during(hide, send)).toEqual(REFUSALS[way])
      expect(await facts()).toEqual(before)
    })
})

test('what is not hidden meanwhile goes on', async () => {
  const change = `UPDATE requests SET Note = 'seen' WHERE Id = ${record}`
  const sent = await during(change, () => ask('veil', `/instances/${id}/actions/Approve`, {}))
  expect(sent.status).toBe(200)
  expect(await facts()).toMatchObject([{ State: 'done' }])
})
