/** Every route below a base path, as behind a proxy that serves several applications. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'

let server: RunningExecutable
let origin = ''
let token = ''

const JSON_TYPE = { 'Content-Type': 'application/json' }

const post = async (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  server = await startExecutable({ args: ['--demo', '--Svc:Http:BasePath=/erp'] })
  origin = new URL(server.url).origin
  const ana = { UserName: 'ana', Password: 'ana-demo-password' }
  const answer = await post(`${server.url}/api/v1/auth/login`, ana)
  token = ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
})
afterAll(async () => server[Symbol.asyncDispose]())

test('the line that says where it listens carries the base path', () => {
  expect(server.url).toBe(`${origin}/erp`)
  expect(server.output()).toContain(`Swagger UI: ${origin}/erp/swagger`)
})

test('health answers below the base path and beside it, all else below it alone', async () => {
  const status = async (path: string): Promise<number> =>
    (await fetch(origin + path, { headers: { Authorization: `Bearer ${token}` } })).status
  const paths = ['/health/live', '/erp/health/live', '/erp/api/v1/auth/me', '/erp/swagger/json']
  for (const path of paths) expect([path, await status(path)]).toEqual([path, 200])
  for (const path of ['/api/v1/auth/me', '/swagger/json', '/erpapi/v1/auth/me', '/erp'])
    expect([path, await status(path)]).toEqual([path, 404])
})

test('what stands beside the base path is no way past the token', async () => {
  for (const path of ['/swagger/json', '/api/v1/auth/jwks', '/x/health/live', '/erp/erp/swagger'])
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 401])
})

test('the OpenAPI document names the base path as its server, and no path twice', async () => {
  const document = (await (await fetch(`${server.url}/swagger/json`)).json()) as {
    servers: unknown
    paths: Record<string, unknown>
  }
  expect(document.servers).toEqual([{ url: '/erp' }])
  expect(Object.keys(document.paths)).toContain('/api/v1/auth/login')
  expect(Object.keys(document.paths)).toContain('/health/live')
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/erp'))).toEqual([])
})

test('the address of a made file carries the base path, and leads to it', async () => {
  const answer = await post(`${server.url}/api/v1/svc/object/export-data`, {
    ObjectName: 'orders',
    Format: 'csv',
  })
  const { data } = (await answer.json()) as { data: { File: { Url: string } } }
  expect(data.File.Url).toStartWith('/erp/api/v1/svc/object/export-file/')
  const file = await fetch(origin + data.File.Url, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(file.status).toBe(200)
})

test('the link of a mail carries the base path', async () => {
  const answer = await post(`${server.url}/api/v1/auth/password/forgot`, { UserName: 'ana' })
  expect(answer.status).toBe(200)
  const outbox = join(server.dataFolder, 'outbox')
  let mails: string[] = []
  while (mails.length === 0) {
    await Bun.sleep(20)
    try {
      mails = readdirSync(outbox).filter((name) => name.endsWith('.eml'))
    } catch {
      // The folder is made with the first mail.
    }
  }
  const text = readFileSync(join(outbox, mails[0] ?? ''), 'utf8').replaceAll('=\r\n', '')
  expect(text).toContain(`${origin}/erp/reset-password?token=`)
})

test('a path that is none stops the start with a message that names the setting', async () => {
  const start = startExecutable({ args: ['--Svc:Http:BasePath=/erp/'] })
  const ended = await start.then((made) => made[Symbol.asyncDispose]()).catch(String)
  expect(ended).toContain('Svc:Http:BasePath')
})
