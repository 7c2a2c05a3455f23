/** Links of task mails under attack: once, by who they are for, by the rights of now. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newToken, saveLink } from '../../../src/engine/workflow/mail-links.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'
import { replaceBehind } from '../../support/model-changes.ts'

const BASE = '/api/v1/svc/workflow'
const ALL = { company: 'all', because: 'a test' } as const
const DAY = 24 * 3_600_000

interface Reply {
  code?: string
  data: Record<string, unknown>
}
const clock = { at: Date.now(), now: () => new Date(clock.at) }
let app: TestApp
beforeAll(async () => {
  const settings = { 'Svc:Mfa:RequiredRoles': 'AccessManager' }
  app = await startApp({ application: approvals(), settings, clock })
})
afterAll(() => app[Symbol.asyncDispose]())

const write = (sql: string) => app.store.write((tx) => tx.run(sql), ALL)
const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
const open = (path: 'describe' | 'use', Token: unknown) =>
  app.fetch<Reply>(`${BASE}/link/${path}`, { body: { Token } })
const told = ({ status, body, text }: Answer<Reply>) => [
  ...[status, body.code],
  text.replace(/"traceId":"[^"]*"/, ''),
]

/** A request that waits in review, and its task. */
async function review(Region = 'north'): Promise<{ id: number; task: number }> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount: 10, Region } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const [row] = await list('SELECT max(Id) AS Id FROM svc_workflow_instances')
  const id = Number(row?.Id)
  const path = `${BASE}/instances/${id}/actions/Submit`
  await app.fetch(path, { as: 'maker', body: {} })
  const [task] = await list(`SELECT Id FROM svc_workflow_tasks WHERE InstanceId = ${id}`)
  return { id, task: Number(task?.Id) }
}

async function linkFor(task: number, user: number, action = 'Approve'): Promise<string> {
  const token = newToken()
  const link = { task, user, action, now: clock.now() }
  await app.store.write((tx) => saveLink(tx, link, token), ALL)
  return token
}

const stateOf = async (id: number) =>
  (await list(`SELECT State FROM svc_workflow_instances WHERE Id = ${id}`))[0]?.State

const [ANN, BOB, CID, DEE, LOC] = [3, 4, 5, 6, 7]

/** The answer for a link that never was. */
const unknown = async (path: 'describe' | 'use') => told(await open(path, newToken()))

describe('a link that is none', () => {
  test('reads as one that never was, whatever it is', async () => {
    const { task } = await review()
    const token = await linkFor(task, ANN)
    const none = await unknown('use')
    expect(none.slice(0, 2)).toEqual([404, 'LINK_NOT_FOUND'])
    const turned = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
    for (const each of [
      '',
      'x',
      token.slice(1),
      `${token}A`,
      turned,
      `${token} `,
      '%00',
      "' OR 1=1",
    ])
      for (const path of ['describe', 'use'] as const)
        expect(told(await open(path, each))).toEqual(await unknown(path))
    for (const each of [null, 7, [token], 'x'.repeat(300)])
      expect((await open('use', each)).status).toBe(400)
    const [hash] = await list('SELECT TokenHash FROM svc_workflow_links')
    expect(told(await open('use', hash?.TokenHash))).toEqual(none)
  })

  test('nor is one that has expired, whose task is over, or that was used', async () => {
    const [old, over, twice] = [await review(), await review(), await review()]
    const expired = await linkFor(old.task, ANN)
    const late = await linkFor(over.task, ANN)
    const used = await linkFor(twice.task, ANN)
    const beside = await linkFor(over.task, BOB)
    expect((await open('use', beside)).status).toBe(200)
    expect((await open('use', used)).body.data.State).toBe('done')
    for (const token of [late, beside, used])
      for (const path of ['describe', 'use'] as const)
        expect(told(await open(path, token))).toEqual(await unknown(path))
    clock.at += 31 * DAY
    expect(told(await open('use', expired))).toEqual(await unknown('use'))
    clock.at -= 31 * DAY
    expect(await stateOf(old.id)).toBe('review')
  })
})

describe('a link is its user’s, by the rights of now', () => {
  test('a user who is locked does nothing by it', async () => {
    const { id, task } = await review()
    const token = await linkFor(task, CID)
    await write(`UPDATE svc_users SET Active = 0 WHERE Id = ${CID}`)
    app.context.callers.forgetUser(CID)
    for (const path of ['describe', 'use'] as const) {
      const answer = await open(path, token)
      expect(told(answer)).toEqual(await unknown(path))
    }
    await write(`UPDATE svc_users SET Active = 1 WHERE Id = ${CID}`)
    app.context.callers.forgetUser(CID)
    expect(await stateOf(id)).toBe('review')
    expect((await open('describe', token)).body.data).toMatchObject({ Title: 'Chair' })
  })

  const users = '/api/v1/svc/auth/users'
  for (const [what, ...changes] of [
    ['a lock, also one that is over', `POST ${CID}/lock`, `POST ${CID}/unlock`],
    ['another password', `POST ${CID}/reset-password`],
    ['another address', `PUT ${CID}`],
  ] as const)
    test(`ends with ${what}`, async () => {
      const { id, task } = await review()
      const [token, other] = [await linkFor(task, CID), await linkFor(task, ANN)]
      expect((await open('describe', token)).status).toBe(200)
      for (const change of changes) {
        const [method = '', path = ''] = change.split(' ')
        const body = { Email: `cid${task}@example.com` }
        const changed = await app.fetch<Reply>(`${users}/${path}`, { as: 'sys', method, body })
        expect([change, changed.status]).toEqual([change, 200])
        for (const step of ['describe', 'use'] as const)
          expect(told(await open(step, token))).toEqual(await unknown(step))
      }
      await write(`UPDATE svc_users SET MustChangePassword = 0 WHERE Id = ${CID}`)
      app.context.callers.forgetUser(CID)
      expect(told(await open('use', token))).toEqual(await unknown('use'))
      expect(await stateOf(id)).toBe('review')
      expect((await open('use', other)).status).toBe(200)
    })

  test('is none for who has to change a password or set up a second factor first', async () => {
    const { id, task } = await review()
    const token = await linkFor(task, BOB)
    const requireRefused = async (sql: string) => {
      await write(sql)
      app.context.callers.forgetUser(BOB)
      for (const path of ['describe', 'use'] as const)
        expect(told(await open(path, token))).toEqual(await unknown(path))
    }
    await requireRefused(`UPDATE svc_users SET MustChangePassword = 1 WHERE Id = ${BOB}`)
    await write(`UPDATE svc_users SET MustChangePassword = 0 WHERE Id = ${BOB}`)
    await requireRefused(
      `INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (${BOB}, 'AccessManager', 1)`,
    )
    expect(await stateOf(id)).toBe('review')
    await write(`INSERT INTO svc_mfa (UserId, Secret, CreatedAt, ConfirmedAt)
      VALUES (${BOB}, 'x', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`)
    app.context.callers.forgetUser(BOB)
    expect((await open('use', token)).status).toBe(200)
    await write(`DELETE FROM svc_mfa`)
    await write(`DELETE FROM svc_user_roles WHERE Role = 'AccessManager'`)
    app.context.callers.forgetUser(BOB)
  })

  test('a right that was lost takes the link along', async () => {
    const { id, task } = await review()
    const token = await linkFor(task, CID)
    await write(`UPDATE svc_user_roles SET Role = 'Maker' WHERE UserId = ${CID}`)
    app.context.callers.forgetUser(CID)
    expect((await open('use', token)).status).toBe(401)
    await write(`DELETE FROM svc_user_roles WHERE UserId = ${CID}`)
    app.context.callers.forgetUser(CID)
    for (const path of ['describe', 'use'] as const)
      expect(told(await open(path, token))).toEqual(await unknown(path))
    await write(`INSERT INTO svc_user_roles (UserId, Role, CompanyId) VALUES (${CID}, 'Boss', 1)`)
    app.context.callers.forgetUser(CID)
    expect(await stateOf(id)).toBe('review')
  })

  test('a record that they see no more is not told of', async () => {
    const { id, task } = await review('north')
    const token = await linkFor(task, LOC)
    expect((await open('describe', token)).status).toBe(200)
    await write(`UPDATE requests SET Region = 'south'`)
    for (const path of ['describe', 'use'] as const)
      expect(told(await open(path, token))).toEqual(await unknown(path))
    expect(await stateOf(id)).toBe('review')
  })

  test('who does not have the task has no word by a link either', async () => {
    const { id, task } = await review()
    expect((await open('use', await linkFor(task, DEE))).body.code).toBe('NOT_ASSIGNED')
    expect(await stateOf(id)).toBe('review')
  })
})

describe('a link acts once', () => {
  test('by POST of use alone: looking at it, or fetching it, does nothing', async () => {
    const { id, task } = await review()
    const token = await linkFor(task, ANN)
    for (let look = 0; look < 3; look++)
      expect((await open('describe', token)).body.data).toMatchObject({ Action: 'Approve' })
    for (const path of [`use?token=${token}`, `describe?token=${token}`, `use/${token}`]) {
      const answer = await app.fetch<Reply>(`${BASE}/link/${path}`)
      expect([400, 401, 404, 405]).toContain(answer.status)
    }
    expect(await stateOf(id)).toBe('review')
    expect((await open('use', token)).body.data.State).toBe('done')
  })

  test('also while the model changes', async () => {
    const { id, task } = await review()
    const token = await linkFor(task, ANN)
    using replacing = replaceBehind(app, 5)
    expect((await open('use', token)).body.data.State).toBe('done')
    expect([replacing.left, await stateOf(id)]).toEqual([0, 'done'])
  })

  test('even where ten hands press at once', async () => {
    const { id, task } = await review()
    const tokens = [await linkFor(task, ANN), await linkFor(task, BOB)]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => open('use', tokens[at % 2])),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const words = await list(
      `SELECT count(*) AS n FROM svc_workflow_history
        WHERE InstanceId = ${id} AND ToState = 'done'`,
    )
    expect(words).toEqual([{ n: 1 }])
  })
})
