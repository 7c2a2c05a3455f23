/** Rights of System alone are checked again by the transaction that uses them. */
import { expect, test } from 'bun:test'
import { idOf } from '../../support/administrators.ts'
import { startAdministrators } from '../../support/user-calls.ts'

const CASES: [string, string, string, object][] = [
  ['POST', '/api/v1/svc/company', 'creates no company', { Code: 'NEW', Name: 'New' }],
  ['PUT', '/api/v1/svc/company/1', 'changes none', { Name: 'Mine' }],
  [
    'POST',
    '/api/v1/impersonation/start',
    'acts as nobody',
    { UserId: idOf('adm'), Reason: 'A test', Minutes: 5 },
  ],
  [
    'POST',
    '/api/v1/svc/auth/rbac/import',
    'imports no roles',
    { Users: [{ UserName: 'none', Roles: ['Boss@ONE'] }] },
  ],
  [
    'POST',
    '/api/v1/svc/scripts',
    'deploys nothing',
    { Files: [{ FileName: 'more.xml', Body: '<Rbac Name="More"><Role Name="Extra"/></Rbac>' }] },
  ],
]

/** How System is lost, and come by again. */
const WAYS: [string, string, string][] = [
  [
    'the role',
    "UPDATE svc_user_roles SET Role = 'Boss' WHERE UserId = 1",
    "UPDATE svc_user_roles SET Role = 'System' WHERE UserId = 1",
  ],
  [
    'the membership',
    'DELETE FROM svc_user_companies WHERE UserId = 1 AND CompanyId = 1',
    'INSERT INTO svc_user_companies (UserId, CompanyId) VALUES (1, 1)',
  ],
  [
    'the account',
    'UPDATE svc_users SET Active = 0 WHERE Id = 1',
    'UPDATE svc_users SET Active = 1 WHERE Id = 1',
  ],
]

const EACH = CASES.flatMap((each) => WAYS.map((way) => [...each, ...way] as const))

test.each(EACH)('%s %s: who was System a moment ago %s', async (method, path, _, body, ...way) => {
  const [, lose, regain] = way
  await using app = await startAdministrators()
  await app.fetch('/api/v1/auth/me', { as: 'sys' })
  const move = (sql: string) =>
    app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  // Behind the back of what is remembered of the caller: as in the moment before it is told.
  await move(lose)
  const count = { sql: 'SELECT count(*) FROM svc_audit', args: {}, runs: 'inline' } as const
  const before = await app.store.text(count)
  const refused = await app.fetch<{ code: string }>(path, { as: 'sys', method, body })
  expect([refused.status, refused.body.code]).toEqual([401, 'PERMISSION_DENIED'])
  expect(await app.store.text(count)).toBe(before)
  await move(regain)
  expect((await app.fetch(path, { as: 'sys', method, body })).status).toBe(200)
})

test.each([
  '/statistics',
  '/board/principals',
  '/explorer/users',
  '/explorer/roles',
  '/roles',
  '/users',
])('%s: who was System a moment ago is shown nothing', async (path) => {
  await using app = await startAdministrators()
  const answer = () => app.fetch(`/api/v1/svc/auth${path}`, { as: 'sys' })
  expect((await answer()).status).toBe(200)
  const [[, lose] = []] = WAYS
  await app.store.write((tx) => tx.run(lose ?? ''), { company: 'all', because: 'a test' })
  expect((await answer()).status).toBe(401)
})
