/** A user's life through the built executable: created, let in, given a role, locked. */
import { expect, test } from 'bun:test'
import { startExecutable } from '../support/executable.ts'

interface Envelope {
  success: boolean
  code?: string
  data: Record<string, unknown>
}

interface Reply extends Envelope {
  status: number
}

function openClient(url: string) {
  return async (method: string, path: string, token = '', body?: unknown): Promise<Reply> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== '' && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, ...((await answer.json()) as Envelope) }
  }
}

test('created, signed in once, given a role, locked', async () => {
  await using server = await startExecutable()
  const call = openClient(server.url)
  const signIn = (UserName: string, Password: string) =>
    call('POST', '/auth/login', '', { UserName, Password })
  const root = String((await signIn('root', 'root-demo-password')).data.AccessToken)

  const eve = { UserName: 'eve', Email: 'eve@example.com', Companies: [1] }
  const made = await call('POST', '/svc/auth/users', root, eve)
  expect(made).toMatchObject({ status: 200, data: { UserName: 'eve', Roles: [] } })
  const id = made.data.Id
  const oneTime = String(made.data.OneTimePassword)
  expect((await call('POST', '/svc/auth/users', root, { ...eve, UserName: 'Eve2' })).status).toBe(
    409,
  )

  const first = await signIn('EVE', oneTime)
  expect(first.data.MustChangePassword).toBe(true)
  const once = String(first.data.AccessToken)
  const rows = (token: string) => call('POST', '/svc/object/orders/table', token, {})
  expect(await rows(once)).toMatchObject({ status: 401, code: 'PASSWORD_CHANGE_REQUIRED' })
  const NewPassword = 'nine stones under a bridge'
  const change = { Password: oneTime, NewPassword }
  expect((await call('POST', '/auth/password/change', once, change)).status).toBe(200)

  const token = String((await signIn('eve', NewPassword)).data.AccessToken)
  expect((await rows(token)).status).toBe(401)
  const role = { Role: 'Clerk', CompanyId: 1 }
  expect((await call('POST', `/svc/auth/users/${id}/roles`, root, role)).status).toBe(200)
  const seen = await rows(token)
  expect(seen.status).toBe(200)
  expect((seen.data.Rows as unknown[]).length).toBeGreaterThan(0)
  const why = { UserId: id, Object: 'orders', Verb: 'View', Keys: { Id: 400 } }
  expect((await call('POST', '/svc/auth/explain', root, why)).data).toMatchObject({
    Decision: 'allowed',
    RecordJudged: true,
  })

  expect((await call('POST', `/svc/auth/users/${id}/lock`, root, {})).status).toBe(200)
  expect((await rows(token)).status).toBe(401)
  expect((await signIn('eve', NewPassword)).status).toBe(401)
  expect(server.output() + server.errors()).not.toContain(oneTime)
  expect(await server.stop()).toBe(0)
})
