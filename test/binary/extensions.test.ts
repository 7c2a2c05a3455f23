/** Extensions through the executable: loaded as they are, typed by `types`, ended with it. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoUsers } from '../../data/demo/demo.ts'
import {
  runCommand,
  type RunningExecutable,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { writeExtensions } from '../support/extensions.ts'
import { until } from '../support/until.ts'

const SCRIPTS = `import type { Engine } from './appengine.d.ts'
import { double } from './shared/numbers.ts'

export default (engine: Engine) => {
  engine.script({
    Name: 'Double',
    Parameters: [{ Name: 'Number', Type: 'Integer', Required: true }],
    async run({ Parameters, query, log }) {
      const [row] = await query<{ Orders: number }>('SELECT count(*) > 0 AS Orders FROM orders')
      log('orders', row?.Orders)
      return double(Parameters.Number)
    },
  })
  engine.script({ Name: 'Spin', run() { while (true) {} } })
}
`
const BESIDE = `import type { Engine } from './appengine.d.ts'

export default (engine: Engine) => {
  engine.job({ Name: 'Treble', run: ({ JobId, log }) => { log('trebles'); return [JobId, 3 * 2] } })
  engine.validate({ Object: 'Topics', run: ({ Values }) => (Values.Name === 'no' ? { Name: 'Not so' } : null) })
  engine.on({ Event: 'topics.created', run: ({ Values, enqueue }) => enqueue('Double', { Number: String(Values?.Name).length }) })
  engine.hostedService({ Name: 'Steady', run: ({ log, signal }) => {
    log('steady')
    return new Promise((resolve) => signal.addEventListener('abort', resolve))
  } })
}
`
const NUMBERS = 'export const double = (n: number): number => 2 * n\n'

const post = async (server: RunningExecutable, path: string, body: object, token?: string) => {
  const headers = {
    'Content-Type': 'application/json',
    ...(token && { Authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return {
    status: answer.status,
    body: (await answer.json()) as { data: Record<string, unknown>; error?: string },
  }
}

async function signIn(server: RunningExecutable): Promise<string> {
  const user = demoUsers.find(({ userName }) => userName === 'root')
  const body = { UserName: 'root', Password: user?.password }
  return String((await post(server, '/auth/login', body)).body.data.AccessToken)
}

const execute = async (server: RunningExecutable, token: string, Name: string, Parameters = {}) =>
  post(server, '/svc/execute-script', { Name, Parameters }, token)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}

/** The processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)

/** Work of extensions beside requests: a job, a check, a listener that asks for one, a service. */
async function followJobs(server: RunningExecutable, token: string): Promise<void> {
  const asked = await post(
    server,
    '/svc/execute-script',
    { Name: 'Treble', Background: true },
    token,
  )
  const headers = { Authorization: `Bearer ${token}` }
  const find = async (path: string) => {
    const answer = await fetch(`${server.url}/api/v1/hangfire/jobs${path}`, { headers })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  const id = Number(asked.body.data.JobId)
  await until(async () => (await find(`/${id}`)).State === 'Succeeded')
  expect((await find(`/${id}`)).Result).toEqual([id, 6])
  const save = (Name: string) =>
    post(
      server,
      '/svc/object/submit',
      { FormName: 'Topics', IsNew: true, Parameters: { Code: Name, Name } },
      token,
    )
  expect(await save('no')).toMatchObject({ status: 400, body: { error: 'Not so' } })
  expect((await save('seven..')).status).toBe(200)
  await until(async () => {
    const { Jobs } = (await find('?name=Double&state=Succeeded')) as { Jobs: unknown[] }
    return Jobs.length === 1
  })
  await until(() => server.errors().includes('steady'))
}

test('the demo has a script; others are loaded as TypeScript from the data folder', async () => {
  using folder = temporaryFolder()
  writeExtensions(folder.path, {
    'numbers.ts': SCRIPTS,
    'shared/numbers.ts': NUMBERS,
    'beside.ts': BESIDE,
    'bad.ts': 'oops(',
    'handler.ts': HANDLER,
  })
  await using server = await startExecutable({ dataFolder: folder.path })
  const token = await signIn(server)
  const doubled = await execute(server, token, 'double', { Number: '21' })
  expect(doubled.body.data).toMatchObject({ Result: 42, Log: ['orders 1'] })
  expect((await execute(server, token, 'OpenOrdersByCustomer')).status).toBe(200)
  await followJobs(server, token)
  const made = await post(server, '/svc/handlers/lines/export', { ObjectName: 'cities' }, token)
  const { Url, Rows } = made.body.data.File as { Url: string; Rows: number }
  const headers = { Authorization: `Bearer ${token}` }
  const text = await (await fetch(`${server.url}${Url}`, { headers })).text()
  expect(text.split('\n')).toHaveLength(Rows + 1)
  const ready = (await (await fetch(`${server.url}/health/ready`)).json()) as { data: object }
  expect(ready.data).toEqual({ Status: 'ok', FaultyExtensions: ['bad.ts'] })
  await until(() => server.errors().includes('"file":"bad.ts","line":1'))
})

test('a changed file comes in under --watch', async () => {
  using folder = temporaryFolder()
  await using server = await startExecutable({
    dataFolder: folder.path,
    args: ['--demo', '--watch'],
  })
  const token = await signIn(server)
  expect((await execute(server, token, 'Double', { Number: 4 })).status).toBe(404)
  writeExtensions(folder.path, { 'numbers.ts': SCRIPTS, 'shared/numbers.ts': NUMBERS })
  await until(async () => (await execute(server, token, 'Double', { Number: 4 })).status === 200)
  writeExtensions(folder.path, { 'shared/numbers.ts': NUMBERS.replace('2 *', '3 *') })
  expect((await execute(server, token, 'Double', { Number: 4 })).body.data.Result).toBe(12)
})

test.each(['stop', 'kill'] as const)('%s ends a script with the server', async (how) => {
  using folder = temporaryFolder()
  writeExtensions(folder.path, { 'numbers.ts': SCRIPTS, 'shared/numbers.ts': NUMBERS })
  const flags = ['--Svc:Scripts:Timeout=5s']
  const server = await startExecutable({ dataFolder: folder.path, args: ['--demo', ...flags] })
  const token = await signIn(server)
  await execute(server, token, 'Double', { Number: 1 })
  const spinning = execute(server, token, 'Spin').catch(() => ({ status: 0, body: { error: '' } }))
  let children: number[] = []
  await until(() => (children = childrenOf(server.pid)).length > 0)
  await server[how]()
  await until(() => !children.some(isAlive))
  const { status, body } = await spinning
  if (how === 'stop')
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: "'Spin' took longer than 5 seconds and was stopped",
    })
})

const TSC = join(import.meta.dir, '../../node_modules/.bin/tsc')

/** The faults of tsc for extensions beside the declarations that `types` prints. */
async function typeCheck(folder: string, flags: readonly string[]): Promise<string> {
  const names = ['numbers.ts', 'handler.ts', 'wrong.ts'].map((name) =>
    join(folder, 'extensions', name),
  )
  const child = Bun.spawn(
    [TSC, '--noEmit', '--allowImportingTsExtensions', '--types', '', ...flags, ...names],
    {
      cwd: folder,
      stdout: 'pipe',
    },
  )
  return new Response(child.stdout).text()
}

const HANDLER = `import type { Engine } from './appengine.d.ts'
export default (engine: Engine) => {
  engine.handler({
    Name: 'Lines',
    Formats: ['lines'],
    Parameters: [{ Name: 'Mark', Default: '|' }],
    async *export({ Columns, rows, Parameters }) {
      yield Columns.map(({ Label }) => Label).join(Parameters.Mark)
      for await (const row of rows) yield '\\n' + row.join(Parameters.Mark.toUpperCase())
    },
    async *import({ lines, Parameters }) {
      for await (const line of lines) yield line.split(Parameters.Mark)
    },
  })
}
`

/** Each line is wrong, and nothing else. */
const WRONG = `import type { Engine } from './appengine.d.ts'
export default (engine: Engine) => {
  engine.script({ Name: 1, run() {} })
  engine.script({ Name: 'A' })
  engine.script({ Name: 'B', Parameters: [{ Name: 'P', Type: 'Money' }], run() {} })
  engine.script({ Name: 'C', Parameters: [{ Name: 'P' }], run: ({ Parameters }) => Parameters.Q })
  engine.script({ Name: 'D', Parameters: [{ Name: 'P' }], run: ({ Parameters }) => Parameters.P.length })
  engine.script({ Name: 'E', run: ({ query }) => query(1) })
  engine.script({ Name: 'F', run: ({ submit }) => submit({ Parameters: {} }) })
  engine.job({ Name: 'G' })
  engine.setting('Svc:Jobs:Workers')
}
`

test('types prints declarations that tsc checks extensions by', async () => {
  using folder = temporaryFolder()
  const { stdout, exitCode } = await runCommand(['types'], { cwd: folder.path })
  expect(exitCode).toBe(0)
  expect(stdout).toBe(
    readFileSync(join(import.meta.dir, '../../data/demo/extensions/appengine.d.ts'), 'utf8'),
  )
  writeExtensions(folder.path, {
    'appengine.d.ts': stdout,
    'numbers.ts': SCRIPTS,
    'shared/numbers.ts': NUMBERS,
    'handler.ts': HANDLER,
    'wrong.ts': WRONG,
  })
  for (const flags of [
    ['--strict', '--module', 'preserve', '--target', 'esnext', '--lib', 'esnext,dom'],
  ]) {
    const told = await typeCheck(folder.path, flags)
    const lines = [...told.matchAll(/(\w+\.ts)\((\d+),/g)].map(
      ([, file, line]) => `${file}:${line}`,
    )
    expect({ told, lines: [...new Set(lines)] }).toMatchObject({
      lines: [3, 4, 5, 6, 7, 8, 9, 10, 11].map((line) => `wrong.ts:${line}`),
    })
  }
})
