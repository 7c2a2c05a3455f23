/** Workflows under attack: what is not seen is not there, and nobody has more than one word. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { APPROVAL, approvalModel, approvals } from '../../support/approvals.ts'
import { makePeople } from '../../support/people.ts'

const BASE = '/api/v1/svc/workflow'
const ROLES = `<Role Name="Blind"><Grant Resource="Requests" Verbs="View List Update" Capabilities="Decide"/>
  <Grant Resource="WorkflowDefinitions" Verbs="View Update"/>
  <FieldRule Resource="Requests" Field="State" Access="Hidden"/></Role>
<Role Name="Reader"><Grant Resource="Requests" Verbs="View List"/></Role></Rbac>`

const base = approvals()
/** Ids go on: blind is 11, split 12, locked 13, duo 14. */
const ATTACKED = {
  ...base,
  files: [{ name: 'approvals.xml', body: approvalModel(APPROVAL).replace('</Rbac>', ROLES) }],
  users: [
    ...base.users,
    ...makePeople('ONE', {
      blind: 'Blind@ONE',
      split: ['Reader@ONE Local@ONE', { Region: 'north' }],
      locked: 'Boss@ONE',
      duo: 'Boss@ONE Maker@ONE',
    }).users,
  ],
}

interface Reply {
  code?: string
  error?: string
  data: Record<string, unknown>
}
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: ATTACKED })
  await write('UPDATE svc_users SET Active = 0 WHERE Id = 13')
})
afterAll(() => app[Symbol.asyncDispose]())

const write = (sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const ask = (as: string, path: string, body?: object, method?: string) =>
  app.fetch<Reply>(`${BASE}${path}`, { as, body, ...(method !== undefined && { method }) })
const told = ({ status, text }: Answer<Reply>) => [
  status,
  text.replace(/"traceId":"[^"]*"/, '"traceId":""'),
]
const act = (as: string, id: number, action: string, body: object = {}) =>
  ask(as, `/instances/${id}/actions/${action}`, body)

/** A request that waits for the word of a boss. */
async function review(as = 'maker', Region = 'south'): Promise<{ id: number; task: number }> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount: 10, Region } }
  const reply = await app.fetch<{ data: { Keys: { Id: number } } }>('/api/v1/svc/object/submit', {
    as,
    body,
  })
  const key = reply.body.data.Keys.Id
  const [row] = await list(`SELECT Id FROM svc_workflow_instances WHERE RecordKey = '[${key}]'`)
  const id = Number(row?.Id)
  await act(as, id, 'Submit')
  const [task] = await list(`SELECT Id FROM svc_workflow_tasks WHERE InstanceId = ${id}`)
  return { id, task: Number(task?.Id) }
}
const stateOf = async (id: number) =>
  (await list(`SELECT State FROM svc_workflow_instances WHERE Id = ${id}`))[0]?.State

const NONE = 99_999

describe('what is not seen is not there', () => {
  let seen: { id: number; task: number }
  beforeEach(async () => {
    seen = await review()
  })

  for (const as of ['none', 'two', 'loc', 'blind'])
    test(`${as}: by ids that are counted up`, async () => {
      const calls = (id: number, task: number): [string, object?][] => [
        [`/instances/${id}`],
        ...['Approve', 'Refuse', 'Nothing', '__proto__'].map(
          (name) => [`/instances/${id}/actions/${name}`, {}] as [string, object],
        ),
        ...['claim', 'unclaim'].map((verb) => [`/tasks/${task}/${verb}`, {}] as [string, object]),
        ...[4, 8, NONE].map(
          (UserId) => [`/tasks/${task}/delegate`, { UserId }] as [string, object],
        ),
        ...['cancel', 'migrate'].map(
          (verb) => [`/instances/${id}/${verb}`, {}] as [string, object],
        ),
      ]
      const missing = calls(NONE, NONE)
      for (const [at, [path, body]] of calls(seen.id, seen.task).entries()) {
        const [none] = missing.slice(at)
        const answer = await ask(as, path, body)
        expect(told(answer)).toEqual(told(await ask(as, none?.[0] ?? '', none?.[1])))
        expect([401, 404]).toContain(answer.status)
      }
      const bulk = { Action: 'Approve', Tasks: [seen.task, NONE] }
      const { body } = await ask(as, '/tasks/actions', bulk)
      const [first, second] = body.data as unknown as { TaskId: number }[]
      expect({ ...first, TaskId: 0 }).toEqual({ ...second, TaskId: 0 })
      expect((await ask(as, '/instances')).body.data).toEqual([] as never)
      expect((await ask(as, '/tasks')).body.data).toEqual({ Tasks: [], Next: null })
      expect((await ask(as, '/tasks?mine=true')).body.data).toEqual({ Tasks: [], Next: null })
      expect((await ask(as, '/tasks/count')).body.data).toEqual({ Count: 0, IsExact: true })
      expect(await stateOf(seen.id)).toBe('review')
    })

  test('a right that is lost between look and act is lost', async () => {
    const north = await review('maker', 'north')
    const path = `/instances/${north.id}`
    expect((await ask('loc', path)).status).toBe(200)
    await write(`UPDATE requests SET Region = 'south' WHERE '[' || Id || ']' =
      (SELECT RecordKey FROM svc_workflow_instances WHERE Id = ${north.id})`)
    expect((await act('loc', north.id, 'Approve')).status).toBe(404)
    expect((await ask('cid', `/instances/${seen.id}`)).status).toBe(200)
    await changeRole(5, undefined)
    for (const [way, body] of [
      [`/instances/${seen.id}/actions/Approve`, {}],
      [`/tasks/${seen.task}/claim`, {}],
      [`/tasks/${seen.task}/delegate`, { UserId: 3 }],
    ] as const)
      expect((await ask('cid', way, body)).status).toBe(404)
    await changeRole(5, 'Boss')
    expect([await stateOf(north.id), await stateOf(seen.id)]).toEqual(['review', 'review'])
  })
})

async function changeRole(user: number, role: string | undefined): Promise<void> {
  await write(
    role === undefined
      ? `DELETE FROM svc_user_roles WHERE UserId = ${user}`
      : `INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (${user}, '${role}', 1)`,
  )
  app.context.callers.forgetUser(user)
}

describe('one word each', () => {
  test('TaskId is a task of that instance, and open', async () => {
    const [mine, other] = [await review(), await review()]
    for (const TaskId of [other.task, NONE, -1])
      expect((await act('ann', mine.id, 'Approve', { TaskId })).body.code).toBe('NOT_PERMITTED_NOW')
    const draft = await review()
    await write(`UPDATE svc_workflow_instances SET State = 'draft' WHERE Id = ${draft.id}`)
    const old = { TaskId: draft.task }
    expect((await act('maker', draft.id, 'Submit', old)).body.code).toBe('NOT_PERMITTED_NOW')
    expect(await stateOf(mine.id)).toBe('review')
  })

  test('a task goes to nobody who cannot do it, and all are refused alike', async () => {
    const { id, task } = await review('duo')
    const refused = new Set<string>()
    // Themselves, the other company, no rights, who began, hidden state, reach, locked, nobody.
    for (const UserId of [3, 8, 10, 14, 11, 12, 13, NONE, -1, 0]) {
      const answer = await ask('ann', `/tasks/${task}/delegate`, { UserId })
      expect([UserId, answer.status]).toEqual([UserId, 400])
      refused.add(String(told(answer)[1]))
    }
    expect(refused.size).toBe(1)
    expect((await ask('ann', `/tasks/${task}/delegate`, { UserId: 6 })).status).toBe(200)
    expect((await act('ann', id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    // It goes on, and ann does not have it again by her role.
    expect((await ask('dee', `/tasks/${task}/delegate`, { UserId: 5 })).status).toBe(200)
    for (const as of ['ann', 'dee'])
      expect((await act(as, id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    expect((await act('cid', id, 'Approve')).body.data).toMatchObject({ State: 'done' })
  })

  test('four eyes: not as somebody else, and not by who is away', async () => {
    const { id } = await review('sys')
    const start = await app.fetch<{ data: { AccessToken: string } }>(
      '/api/v1/impersonation/start',
      { as: 'sys', body: { UserId: 3, Reason: 'A test', Minutes: 10 } },
    )
    const headers = { Authorization: `Bearer ${start.body.data.AccessToken}` }
    const acting = <T>(path: string, body?: object) =>
      app.fetch<T>(`${BASE}${path}`, { headers, ...(body && { body }) })
    const acted = await acting<Reply>(`/instances/${id}/actions/Approve`, {})
    expect(acted.body.code).toBe('NOT_ASSIGNED')
    const mine = await acting<{ data: { Tasks: { InstanceId: number }[] } }>('/tasks?mine=true')
    expect(mine.body.data.Tasks.map(({ InstanceId }) => InstanceId)).not.toContain(id)
    const own = await review('duo')
    await away('duo', 6)
    expect((await act('dee', own.id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    await away('ann', 14)
    expect((await act('duo', own.id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    for (const as of ['duo', 'ann']) await away(as, null)
  })

  test('what somebody keeps is theirs, for the engine too', async () => {
    const { id, task } = await review()
    await ask('ann', `/tasks/${task}/claim`, {})
    for (const as of ['cid', 'sys']) {
      expect((await act(as, id, 'Approve')).body.code).toBe('TASK_CLAIMED')
      for (const verb of ['claim', 'unclaim', 'delegate'])
        expect((await ask(as, `/tasks/${task}/${verb}`, { UserId: 4 })).body.code).toBe(
          'TASK_CLAIMED',
        )
    }
    expect((await act('sys', (await review()).id, 'Approve')).body.data).toMatchObject({
      State: 'done',
    })
  })

  test('who acts for somebody has no more than that one has now', async () => {
    const { id, task } = await review()
    await away('cid', 6)
    await changeRole(5, undefined)
    expect((await act('dee', id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    await changeRole(5, 'Boss')
    await write('UPDATE svc_users SET Active = 0 WHERE Id = 5')
    expect((await act('dee', id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    await write('UPDATE svc_users SET Active = 1 WHERE Id = 5')
    // Given on by who acts for them, it is theirs no more: one seat stays one.
    expect((await ask('dee', `/tasks/${task}/delegate`, { UserId: 3 })).status).toBe(200)
    app.context.callers.forgetUser(5)
    expect((await act('cid', id, 'Approve')).body.code).toBe('NOT_ASSIGNED')
    await away('cid', null)
  })

  test('an API key has the tasks of its roles alone', async () => {
    const { id } = await review()
    const made = await app.fetch<{ data: { Key: string } }>('/api/v1/auth/api-keys', {
      as: 'duo',
      body: { Name: 'Key', Roles: ['Maker'], Companies: [1] },
    })
    const headers = { Authorization: `Bearer ${made.body.data.Key}` }
    const path = `${BASE}/instances/${id}/actions/Approve`
    expect((await app.fetch(path, { headers, body: {} })).status).toBe(401)
    const count = await app.fetch<Reply>(`${BASE}/tasks/count`, { headers })
    expect(count.body.data).toEqual({ Count: 0, IsExact: true })
    expect(await stateOf(id)).toBe('review')
  })
})

const away = (as: string, UserId: number | null) =>
  ask(as, '/delegation', { UserId, Until: '2999-01-01T00:00:00Z' }, 'PUT')

describe('what is asked for', () => {
  test('is bounded', async () => {
    const { id, task } = await review()
    const Comment = 'x'.repeat(4001)
    const record = { Workflow: 'Approval', Keys: { Id: 1 }, Comment }
    const until = { UserId: 3, Until: '2999-01-01T00:00:00Z', Comment }
    for (const [as, path, body, method] of [
      ['ann', `/instances/${id}/actions/Approve`, { Comment }, 'POST'],
      ['des', `/instances/${id}/cancel`, { Comment }, 'POST'],
      ['des', `/instances/${id}/migrate`, { Comment }, 'POST'],
      ['ann', `/tasks/${task}/delegate`, { UserId: 6, Comment }, 'POST'],
      ['bob', '/delegation', until, 'PUT'],
      ['ann', '/tasks/actions', { Action: 'Approve', Tasks: [] }, 'POST'],
      ['ann', '/tasks/actions', { Action: 'Approve', Tasks: Array(501).fill(task) }, 'POST'],
    ] as const)
      expect([path, (await ask(as, path, body, method)).status]).toEqual([path, 400])
    await write(`DELETE FROM svc_workflow_instances WHERE RecordKey = '[1]'`)
    expect((await ask('maker', '/instances', record)).status).toBe(400)
    const names = Array.from({ length: 5000 }, (_, nth) => [`P${nth}`, 'x'.repeat(50)])
    const Parameters = { ...Object.fromEntries(names), Reason: 'y'.repeat(1_000_000) }
    expect((await act('ann', id, 'Refuse', { Parameters })).status).toBeLessThan(500)
  })

  test('has no names that every object has', async () => {
    const { id, task } = await review()
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      const States = JSON.parse(`{"${name}": "${name}"}`) as object
      const answers = [
        await act('ann', id, name),
        await ask('ann', '/tasks/actions', { Action: name, Tasks: [task] }),
        await ask('maker', '/instances', { Workflow: name, Keys: { Id: 1 } }),
        await ask('maker', '/instances', { Workflow: 'Approval', Keys: States }),
        await ask('des', `/instances/${id}/migrate`, { States, DryRun: true }),
        await ask('des', `/instances/${id}/migrate`, { VersionHash: name }),
        await act('ann', id, 'Refuse', { Parameters: States }),
        await ask('ann', `/instances?workflow=${name}&state=${name}`),
        await ask('ann', `/tasks?mine=true&workflow=${name}&state=${name}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([
        ...[400, 200, 404, 400, 200, 400, 400, 200, 200],
      ])
      expect(answers[1]?.body.data).toMatchObject([{ Code: 'ACTION_NOT_FOUND' }])
    }
    expect(await stateOf(id)).toBe('review')
  })

  test('ids that are none name nothing', async () => {
    for (const id of ['0', '-1', '1.5', '1e1', '0x1', '9'.repeat(20), '1 OR 1=1', '%00'])
      for (const path of [`/instances/${id}`, `/instances/${id}/actions/Approve`])
        expect(
          [400, 404].includes((await ask('ann', path, path.endsWith('e') ? {} : undefined)).status),
        ).toBe(true)
  })

  test('is done once under its key', async () => {
    const { id, task } = await review()
    const send = (path: string, body: object, key: string) =>
      app.fetch<Reply>(`${BASE}${path}`, { as: 'ann', body, headers: { 'Idempotency-Key': key } })
    for (const [path, body, action] of [
      [`/tasks/${task}/claim`, {}, 'claim'],
      [`/instances/${id}/actions/Approve`, { Comment: 'fine' }, 'Approve'],
    ] as const) {
      const [first, second] = [await send(path, body, path), await send(path, body, path)]
      expect([second.status, second.text]).toEqual([200, first.text])
      const entries = await list(
        `SELECT Id FROM svc_workflow_history WHERE InstanceId = ${id} AND Action = '${action}'`,
      )
      expect(entries).toHaveLength(1)
      const other = await send(path, { Comment: 'other' }, path)
      expect(other.status).toBeGreaterThanOrEqual(400)
    }
    // A key is its user's, and is not answered to one who has lost the right.
    await changeRole(3, undefined)
    const path = `/instances/${id}/actions/Approve`
    expect((await send(path, { Comment: 'fine' }, path)).status).toBe(404)
    await changeRole(3, 'Boss')
  })
})
