/** Second factors through the executable: its libraries are inside, no restart forgets. */
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeAt, wrongCodeAt } from '../support/authenticator.ts'
import { runCommand, startExecutable, temporaryFolder } from '../support/executable.ts'

const ANA = { UserName: 'ana', Password: 'ana-demo-password' }

interface Answer {
  status: number
  code?: string
  data: Record<string, unknown>
}

async function post(url: string, path: string, body: object, token = ''): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${url}/api/v1/auth${path}`, init)
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) }
}

const verify = async (url: string, Code: string): Promise<Answer> => {
  const { data } = await post(url, '/login', ANA)
  return post(url, '/mfa/verify', { ChallengeId: data['ChallengeId'], Code })
}

test('Liferay CVE-2025-43798, Vaultwarden CVE-2026-27801: across kill -9 and rescue', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const now = (steps: number, secret: string) => codeAt(secret, new Date(), steps)
  let secret = ''
  let used = ''
  let recovery: string[] = []
  {
    await using server = await startExecutable({ dataFolder })
    const token = String((await post(server.url, '/login', ANA)).data['AccessToken'])
    const setup = await post(server.url, '/mfa/setup', { Password: ANA.Password }, token)
    secret = String(setup.data['Secret'])
    expect(String(setup.data['QrSvg'])).toStartWith('<svg ')
    const confirmed = await post(server.url, '/mfa/confirm', { Code: now(0, secret) }, token)
    recovery = confirmed.data['RecoveryCodes'] as string[]
    expect(recovery).toHaveLength(10)
    used = now(1, secret)
    expect((await verify(server.url, used)).status).toBe(200)
    await server.kill()
  }
  {
    await using server = await startExecutable({ dataFolder, args: [] })
    expect((await verify(server.url, used)).status).toBe(401)
    const wrong = wrongCodeAt(secret, new Date())
    for (const _ of [1, 2, 3, 4, 5]) expect((await verify(server.url, wrong)).status).toBe(401)
    await server.kill()
  }
  {
    await using server = await startExecutable({ dataFolder, args: [] })
    expect(await verify(server.url, recovery[0] ?? '')).toMatchObject({
      status: 401,
      code: 'MFA_LOCKED',
    })
    for (const stream of [server.output(), server.errors()]) {
      expect(stream).not.toContain(secret)
      expect(stream).not.toContain(recovery[0] ?? secret)
    }
  }
  const reset = () =>
    runCommand(['user', 'reset-mfa', 'ana', '--data', dataFolder], { cwd: home.path })
  expect(await reset()).toMatchObject({ exitCode: 0 })
  expect(await reset()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('ana has no second factor'),
  })
  await using server = await startExecutable({ dataFolder, args: [] })
  expect(await post(server.url, '/login', ANA)).toMatchObject({
    status: 200,
    data: { TokenType: 'Bearer', User: { UserName: 'ana' } },
  })
})
