/** Companies: who sees, makes and closes them, and what a switch and a lost membership do. */
import { expect, test } from 'bun:test'
import {
  addUser,
  type Answer,
  type IdentityServer,
  type Signed,
  startIdentity,
} from '../../support/identity.ts'

const BASE = '/api/v1/svc/company'

interface Company {
  Id: number
  Code: string
  Name: string
  TimeZone: string
  Language: string | null
  IsCurrent: boolean
  Active: boolean
}

const companies = (answer: Answer) => answer.body.data as Company[]
const codes = (answer: Answer) => companies(answer).map(({ Code }) => Code)

/** An answer without what every answer has of its own. */
const withoutTrace = ({ status, body }: Answer) => ({ status, body: { ...body, traceId: '' } })

const switchTo = (server: IdentityServer, token: string, CompanyId: unknown) =>
  server.post(`${BASE}/switch`, { CompanyId }, token)

test('a caller sees the companies they belong to, System every one when asked for', async () => {
  await using server = await startIdentity()
  const ana = await server.signIn('Ana')
  const bo = await server.signIn('bo')
  const root = await server.signIn('root')
  expect(companies(await server.get(BASE, ana.AccessToken))).toEqual([
    {
      Id: 1,
      Code: 'NORTH',
      Name: 'north',
      TimeZone: 'UTC',
      Language: null,
      IsCurrent: true,
      Active: true,
    },
    {
      Id: 2,
      Code: 'SOUTH',
      Name: 'south',
      TimeZone: 'UTC',
      Language: null,
      IsCurrent: false,
      Active: true,
    },
  ])
  expect(codes(await server.get(`${BASE}?all=true`, bo.AccessToken))).toEqual(['NORTH'])
  await server.put(`${BASE}/2`, { Active: false }, root.AccessToken)
  expect(codes(await server.get(`${BASE}?all=true`, root.AccessToken))).toEqual(['NORTH', 'SOUTH'])
  expect(codes(await server.get(`${BASE}?all=false`, root.AccessToken))).toEqual(['NORTH'])
  expect((await server.get(`${BASE}/current`, bo.AccessToken)).body.data).toMatchObject({
    Code: 'NORTH',
    IsCurrent: true,
  })
})

test('only System makes and changes companies', async () => {
  await using server = await startIdentity()
  await addUser(server.context, { userName: 'boss', companies: ['NORTH'] }, ['Admin'])
  const { AccessToken } = await server.signIn('boss')
  const made = await server.post(BASE, { Code: 'EAST', Name: 'East' }, AccessToken)
  const changed = await server.put(`${BASE}/1`, { Name: 'Mine' }, AccessToken)
  const missing = await server.put(`${BASE}/99`, { Name: 'Mine' }, AccessToken)
  expect([made.status, changed.status, missing.status]).toEqual([401, 401, 401])
  expect(withoutTrace(changed)).toEqual(withoutTrace(missing))
})

test('a new company takes its System users in at once', async () => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('root')
  const made = await server.post(
    BASE,
    { Code: 'EAST', Name: ' East ', TimeZone: 'europe/vienna', Language: 'de' },
    AccessToken,
  )
  expect(made.body.data).toEqual({
    Id: 3,
    Code: 'EAST',
    Name: 'East',
    TimeZone: 'Europe/Vienna',
    Language: 'de',
    IsCurrent: false,
    Active: true,
  })
  const switched = await switchTo(server, AccessToken, 3)
  expect((switched.body.data as Signed).User.Company.Code).toBe('EAST')
})

test.each([
  [{ Code: 'north', Name: 'x' }, 409, undefined],
  [{ Code: 'no blanks', Name: 'x' }, 400, 'Code'],
  [{ Code: 'EAST', Name: '  ' }, 400, 'Name'],
  [{ Code: 'EAST', Name: 'x', TimeZone: 'Mars/Olympus' }, 400, 'TimeZone'],
  [{ Code: 'EAST', Name: 'x', TimeZone: '+02:00' }, 400, 'TimeZone'],
  [{ Code: 'EAST' }, 400, 'Name'],
])('the company %j is refused', async (body, status, field) => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('root')
  const made = await server.post(BASE, body, AccessToken)
  expect(made.status).toBe(status)
  if (field !== undefined) expect(Object.keys(made.body.fieldErrors ?? {})).toEqual([field])
  const changed = await server.put(`${BASE}/2`, body, AccessToken)
  // A change may leave anything out.
  expect(changed.status).toBe('Name' in body ? status : 200)
  expect(codes(await server.get(`${BASE}?all=true`, AccessToken))).toHaveLength(2)
})

test('a change holds from the next request on, and is audited', async () => {
  await using server = await startIdentity()
  const root = await server.signIn('root')
  const bo = await server.signIn('bo')
  const zone = async () =>
    (await server.get('/api/v1/auth/me', bo.AccessToken)).body.data as { TimeZone: string }
  expect((await zone()).TimeZone).toBe('UTC')
  const change = { Code: 'north', TimeZone: 'Asia/Tokyo', Active: null }
  await server.put(`${BASE}/1`, change, root.AccessToken)
  expect((await zone()).TimeZone).toBe('Asia/Tokyo')
  const rows = await server.context.store.all({
    sql: `SELECT UserId, CompanyId, Source, RecordKey, Changes FROM svc_audit
      WHERE Entity = 'svc_companies' AND Action = 'update'`,
    args: {},
    runs: 'lane',
  })
  expect(rows).toEqual([
    {
      UserId: 1,
      CompanyId: 1,
      Source: 'company/update',
      RecordKey: '[1]',
      Changes: '{"Code":["NORTH","north"],"TimeZone":["UTC","Asia/Tokyo"]}',
    },
  ])
})

test('a company that is not there has no change', async () => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('root')
  expect((await server.put(`${BASE}/99`, { Name: 'x' }, AccessToken)).status).toBe(404)
  expect((await server.put(`${BASE}/x`, { Name: 'x' }, AccessToken)).status).toBe(400)
})

test('closing a company ends the sessions in it, and opening it gives none back', async () => {
  await using server = await startIdentity()
  const root = await server.signIn('root')
  const bo = await server.signIn('bo')
  const south = await server.signIn('Ana', undefined)
  const inSouth = (await switchTo(server, south.AccessToken, 2)).body.data as Signed
  const elsewhere = (await switchTo(server, root.AccessToken, 2)).body.data as Signed
  await server.put(`${BASE}/1`, { Active: false }, elsewhere.AccessToken)
  const refused = await server.get('/api/v1/auth/me', bo.AccessToken)
  expect([refused.status, refused.body.code]).toEqual([401, 'SESSION_ENDED'])
  expect((await server.get('/api/v1/auth/me', inSouth.AccessToken)).status).toBe(200)
  await server.put(`${BASE}/1`, { Active: true }, elsewhere.AccessToken)
  expect((await server.get('/api/v1/auth/me', bo.AccessToken)).status).toBe(401)
  const { RefreshToken } = bo
  expect((await server.post('/api/v1/auth/refresh', { RefreshToken })).status).toBe(401)
  expect((await server.signIn('bo')).User.Company.Code).toBe('NORTH')
})

test('the last open company, and the last one with a System user, stay open', async () => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('root')
  await server.remove('/api/v1/svc/auth/users/1/companies/2', AccessToken)
  const alone = await server.put(`${BASE}/1`, { Active: false }, AccessToken)
  expect([alone.status, alone.body.error]).toEqual([
    409,
    'At least one user must still be able to act as System',
  ])
  await server.put(`${BASE}/2`, { Active: false }, AccessToken)
  const last = await server.put(`${BASE}/1`, { Active: false }, AccessToken)
  expect([last.status, last.body.error]).toEqual([409, 'The last open company cannot be closed'])
  expect((await server.get('/api/v1/auth/me', AccessToken)).status).toBe(200)
})

test('a switch puts a session in the other company in the place of the old one', async () => {
  await using server = await startIdentity()
  const ana = await server.signIn('Ana')
  const other = await server.signIn('Ana')
  const switched = await switchTo(server, ana.AccessToken, 2)
  const tokens = switched.body.data as Signed
  expect(tokens.User).toMatchObject({ Roles: ['Manager'], Company: { Id: 2, Code: 'SOUTH' } })
  const me = await server.get('/api/v1/auth/me', tokens.AccessToken)
  expect(me.body.data).toMatchObject(tokens.User)
  // Neither token of the old session works, also after a way back.
  const back = (await switchTo(server, tokens.AccessToken, 1)).body.data as Signed
  expect(back.User.Roles).toEqual(['Clerk'])
  for (const old of [ana, tokens]) {
    const refused = await server.get('/api/v1/auth/me', old.AccessToken)
    expect([refused.status, refused.body.code]).toEqual([401, 'SESSION_ENDED'])
    const { RefreshToken } = old
    const refreshed = await server.post('/api/v1/auth/refresh', { RefreshToken })
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'REFRESH_INVALID'])
  }
  // Another session of the user stays, and where it is.
  const { data } = (await server.get('/api/v1/auth/me', other.AccessToken)).body
  expect(data).toMatchObject({ Company: { Code: 'NORTH' } })
  const { RefreshToken } = back
  const next = await server.post('/api/v1/auth/refresh', { RefreshToken })
  expect(next.body.data).toMatchObject({ User: { Company: { Code: 'NORTH' } } })
})

test('a sign-in goes on where the user was last', async () => {
  await using server = await startIdentity()
  const ana = await server.signIn('Ana')
  await switchTo(server, ana.AccessToken, 2)
  expect((await server.signIn('Ana')).User.Company.Code).toBe('SOUTH')
})

test('a foreign, a closed and a missing company get the same answer', async () => {
  await using server = await startIdentity()
  const root = await server.signIn('root')
  const bo = await server.signIn('bo')
  const ana = await server.signIn('Ana')
  const missing = await switchTo(server, bo.AccessToken, 99)
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND'])
  expect(withoutTrace(await switchTo(server, bo.AccessToken, 2))).toEqual(withoutTrace(missing))
  await server.put(`${BASE}/2`, { Active: false }, root.AccessToken)
  expect(withoutTrace(await switchTo(server, ana.AccessToken, 2))).toEqual(withoutTrace(missing))
  // A refused switch leaves the session where it was.
  expect((await server.get('/api/v1/auth/me', bo.AccessToken)).status).toBe(200)
})

test('of two switches at once one opens a session', async () => {
  await using server = await startIdentity()
  const ana = await server.signIn('Ana')
  const both = await Promise.all([1, 2].map((id) => switchTo(server, ana.AccessToken, id)))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
})

test('who acts as somebody else does so after a switch, for no longer than before', async () => {
  await using server = await startIdentity()
  const root = await server.signIn('root')
  const ask = { UserId: 2, Reason: 'To look at it', Minutes: 10 }
  const started = await server.post('/api/v1/impersonation/start', ask, root.AccessToken)
  const asAna = started.body.data as Signed
  const moved = (await switchTo(server, asAna.AccessToken, 2)).body.data as Signed
  expect(moved.User).toMatchObject({
    UserName: 'Ana',
    Company: { Code: 'SOUTH' },
    Impersonator: { UserName: 'root' },
  })
  server.clock.pass(9 * 60_000)
  expect((await server.get('/api/v1/auth/me', moved.AccessToken)).status).toBe(200)
  server.clock.pass(2 * 60_000)
  expect((await server.get('/api/v1/auth/me', moved.AccessToken)).status).toBe(401)
  const { RefreshToken } = moved
  expect((await server.post('/api/v1/auth/refresh', { RefreshToken })).status).toBe(401)
  // Where the user was last is the user's own affair.
  expect((await server.signIn('Ana')).User.Company.Code).toBe('NORTH')
})

test('a switch of whoever acts as somebody else ends that, too', async () => {
  await using server = await startIdentity()
  const root = await server.signIn('root')
  const ask = { UserId: 2, Reason: 'To look at it', Minutes: 10 }
  const started = await server.post('/api/v1/impersonation/start', ask, root.AccessToken)
  const asAna = started.body.data as Signed
  await switchTo(server, root.AccessToken, 2)
  expect((await server.get('/api/v1/auth/me', asAna.AccessToken)).status).toBe(401)
})

test('the company comes from the token alone', async () => {
  await using server = await startIdentity()
  const { AccessToken } = await server.signIn('bo')
  const headers = { 'X-Company': '2', 'X-CompanyId': '2', 'X-Tenant': 'SOUTH', Cookie: 'cid=2' }
  for (const path of ['/api/v1/auth/me', `${BASE}/current`]) {
    const plain = await server.get(path, AccessToken)
    const asked = await server.get(`${path}?CompanyId=2&company=SOUTH`, AccessToken, headers)
    expect(asked.body).toEqual({ ...plain.body })
  }
  const body = { CompanyId: 1, companyId: 2, Company: 'SOUTH', cid: 2 }
  const switched = await server.post(`${BASE}/switch`, body, AccessToken, headers)
  expect(switched.body.data).toMatchObject({ User: { Company: { Id: 1 } } })
})
