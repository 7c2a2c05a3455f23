import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtExecutable, startExecutable } from '../support/executable.ts'

const ROOT = join(import.meta.dir, '../..')

test('the stack of a 500 in the log names files and lines of the sources', async () => {
  await using server = await startExecutable({ env: { Svc__Log__Level: 'error' } })
  const exports = join(server.dataFolder, 'exports')
  rmSync(exports, { recursive: true, force: true })
  writeFileSync(exports, 'no folder')
  const post = (path: string, body: unknown, token = ''): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const signIn = await post('/auth/login', { UserName: 'ana', Password: 'ana-demo-password' })
  const { data } = (await signIn.json()) as { data: { AccessToken: string } }
  const answer = await post('/svc/object/export-data', { ObjectName: 'orders' }, data.AccessToken)
  expect(answer.status).toBe(503)
  await server.stop()
  const lines = server.errors().trimEnd().split('\n')
  const records = lines.map(
    (line) => JSON.parse(line) as Record<'level' | 'message' | 'stack', string>,
  )
  expect(new Set(records.map(({ level }) => level))).toEqual(new Set(['error']))
  const stack = records.find(({ message }) => message === 'request failed')?.stack
  const [, called = '', at = '0'] =
    /\n    at makeFolder \((\S+):(\d+):\d+\)/.exec(stack ?? '') ?? []
  expect(called).toBe('src/kernel/durable.ts')
  const source = readFileSync(join(ROOT, called), 'utf8').split('\n')
  expect(source[Number(at) - 1]).toContain('mkdirSync(')
  expect(stack).not.toContain(ROOT)
})

test('no path of the machine that built it is in the executable', async () => {
  const bytes = readFileSync(await builtExecutable())
  expect(bytes.includes('src/kernel/durable.ts')).toBe(true)
  for (const folder of ['src', 'node_modules'])
    expect({ folder, isTold: bytes.includes(join(ROOT, folder)) }).toEqual({
      folder,
      isTold: false,
    })
})
