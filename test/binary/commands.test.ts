/** Commands and the server's life, as operators meet them. */
import { describe, expect, test } from 'bun:test'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  builtExecutable,
  type CommandResult,
  runCommand,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { until } from '../support/until.ts'

const MODEL = `<Model>
  <Entity Name="Book" Table="books" Display="Title">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Title" Type="Text" Required="true"/>
  </Entity>
  <ObjectView Name="Books" Entity="Book"/>
</Model>
`

interface Signed {
  success: boolean
  code?: string
  data?: { AccessToken: string; MustChangePassword?: boolean; User: { UserName: string } }
}

async function signIn(url: string, userName: string, password: string): Promise<Signed> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: userName, Password: password }),
  })
  return (await answer.json()) as Signed
}

const get = (url: string, token: string): Promise<Response> =>
  fetch(url, { headers: { Authorization: `Bearer ${token}` } })

describe('an empty data folder', () => {
  test('gets a System user, whose password is told once and must be changed', async () => {
    await using server = await startExecutable({ args: [] })
    await until(() => server.output().includes('first sign-in: '))
    const password = /first sign-in: (\S+)/.exec(server.output())?.[1] ?? ''
    const { data } = await signIn(server.url, 'system', password)
    expect(data).toMatchObject({ MustChangePassword: true, User: { UserName: 'system' } })
    const token = data?.AccessToken ?? ''
    const refused = await get(`${server.url}/api/v1/svc/object/x/metadata`, token)
    expect(await refused.json()).toMatchObject({ code: 'PASSWORD_CHANGE_REQUIRED' })
    expect(statSync(server.dataFolder).mode & 0o077).toBe(0)
    expect(server.errors()).not.toContain(password)
  })

  test('is none once it holds something: no second user, no demo', async () => {
    using home = temporaryFolder()
    const run = (...args: string[]): Promise<CommandResult> =>
      runCommand([...args, '--data', 'data'], { cwd: home.path })
    expect((await run('company', 'create', 'ONE', '--name', 'One')).exitCode).toBe(0)
    const demo = await run('serve', '--demo', '--port', '0')
    expect(demo.exitCode).toBe(1)
    expect(demo.stderr).toContain('something other than the demo')
    await using server = await startExecutable({ args: [], dataFolder: join(home.path, 'data') })
    expect(server.output()).not.toContain('One-time password')
  })
})

test('users are made, locked, unlocked and given new passwords', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  const run = (line: string, stdin?: string): Promise<CommandResult> =>
    runCommand([...line.split(' '), '--data', 'data', '--json'], { cwd: home.path, stdin })
  const oneTime = async (line: string): Promise<string> => {
    const { stdout } = await run(line)
    return (JSON.parse(stdout) as { OneTimePassword: string }).OneTimePassword
  }
  await run('company create ONE --name One')
  expect((await run('user create ann --role Nothing')).stderr).toContain('There is no role Nothing')
  const first = await oneTime('user create ann --role Admin@ONE --display-name Ann')
  expect((await run('user create ann --role Admin')).stderr).toContain(
    'This user name or email address is already taken',
  )
  expect((await run('user reset ann --password-stdin', 'short\n')).exitCode).toBe(1)
  expect((await run('user lock nobody')).stderr.trim()).toBe('There is no user nobody')
  expect((await run('user lock ann')).exitCode).toBe(0)
  {
    const args = ['--Svc:SignIn:UserFailures=1']
    await using server = await startExecutable({ args, dataFolder })
    expect((await signIn(server.url, 'ann', first)).code).toBe('SIGN_IN_FAILED')
    expect((await signIn(server.url, 'ann', first)).code).toBe('TOO_MANY_REQUESTS')
    const refused = await run('user unlock ann')
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('Stop its server')
  }
  await run('user unlock ann')
  const second = await oneTime('user reset ann')
  await run('keys rotate')
  const args = ['--Svc:SignIn:UserFailures=1']
  await using server = await startExecutable({ args, dataFolder })
  // Unlocked, they have as many tries as anybody.
  expect((await signIn(server.url, 'ann', first)).code).toBe('SIGN_IN_FAILED')
  await server.stop()
  await run('user unlock ann')
  await using again = await startExecutable({ args, dataFolder })
  expect((await signIn(again.url, 'ANN', second)).data?.MustChangePassword).toBe(true)
})

describe('serve --watch', () => {
  test('deploys as files change; a fault is printed and the model before serves on', async () => {
    using home = temporaryFolder()
    const model = join(home.path, 'model')
    const write = (text: string): void => writeFileSync(join(model, 'books.xml'), text)
    mkdirSync(model)
    write(MODEL)
    await using server = await startExecutable({ args: ['--watch', '--model', model] })
    expect(server.output()).toContain('Deployed: 2 new')
    write(MODEL.replace('Display="Title"', 'Display="Titel"'))
    await until(() => server.errors().includes('books.xml:2:'))
    write(MODEL.replace('Name="Books"', 'Name="Books" Label="Shelf"'))
    await until(() => server.output().includes('Deployed: 0 new, 1 changed'))
    expect(await server.stop()).toBe(0)
  })

  test('needs to know the folder', async () => {
    using home = temporaryFolder()
    for (const line of ['serve --watch', 'serve --model x']) {
      expect((await runCommand(line.split(' '), { cwd: home.path })).exitCode).toBe(2)
    }
  })
})

describe('signals', () => {
  test('the first finishes what is in flight, on open connections too', async () => {
    await using server = await startExecutable()
    await fetch(`${server.url}/health/live`, { headers: { Connection: 'keep-alive' } })
    const signed = Array.from({ length: 4 }, () => signIn(server.url, 'ana', 'ana-demo-password'))
    await Promise.race(signed)
    const stopped = server.stop()
    for (const { success } of await Promise.all(signed)) expect(success).toBe(true)
    expect(await stopped).toBe(0)
  })

  test('the second ends the process at once', async () => {
    await using server = await startExecutable({ args: [] })
    const { port, hostname } = new URL(server.url)
    const answered = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: { data: () => answered.resolve(), close: () => {}, error: () => {} },
    })
    const head = 'Host: h\r\nContent-Type: application/json\r\n'
    socket.write(`GET /health/live HTTP/1.1\r\n${head}\r\n`)
    await answered.promise
    socket.write(`POST /api/v1/auth/login HTTP/1.1\r\n${head}Content-Length: 99\r\n\r\n{`)
    process.kill(server.pid, 'SIGTERM')
    // Once nobody is let in any more it waits for what it has begun.
    await until(() =>
      fetch(`${server.url}/health/live`).then(
        () => false,
        () => true,
      ),
    )
    expect(await server.stop()).not.toBe(0)
    socket.end()
  })
})

test('a setting that is unknown or malformed stops the start and is named', async () => {
  using home = temporaryFolder()
  const data = join(home.path, 'data')
  mkdirSync(data)
  writeFileSync(join(data, 'appsettings.json'), '{"Svc": {"Sql": {"Tmeout": "5s"}}}')
  const { exitCode, stderr } = await runCommand(['serve', '--port', '0'], {
    cwd: home.path,
    env: { Svc__Errors: 'perhaps' },
  })
  expect([exitCode, stderr.trim()]).toEqual([
    1,
    'Setting Svc:Errors (from environment): must be true or false',
  ])
  const file = await runCommand(['settings', '--data', 'data'], { cwd: home.path })
  expect(file.stderr).toContain('Unknown setting Svc:Sql:Tmeout')
})

describe('what a command prints', () => {
  const pipe = async (line: string): Promise<{ exitCode: number; text: string }> => {
    const executable = await builtExecutable()
    const child = Bun.spawn(['bash', '-c', `set -o pipefail; ${line}`], {
      env: { ...process.env, A: executable },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const text = await new Response(child.stdout).text()
    return { exitCode: await child.exited, text }
  }

  test('comes whole through a pipe whose reader begins late', async () => {
    const { exitCode, text } = await pipe('"$A" schema | (sleep 0.3; tail -c 13)')
    expect({ exitCode, text: text.trim() }).toEqual({ exitCode: 0, text: '</xs:schema>' })
  })

  test('may be left half read', async () => {
    const { exitCode, text } = await pipe('"$A" schema 2>&1 | (sleep 0.3; head -c 5)')
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: '<?xml' })
  })

  test('that cannot be written is a failure', async () => {
    const { exitCode, text } = await pipe('"$A" schema 2>&1 >/dev/full')
    expect(exitCode).toBe(1)
    expect(text).toContain('Standard output cannot be written: ENOSPC')
  })
})

test.each([
  [['--version', '--json'], 0, '"appengine":"'],
  [['help', 'user'], 0, 'user reset-mfa NAME'],
  [['help', 'user', 'create'], 0, '--password-stdin'],
  [['help', 'users'], 2, 'There is no command "users"'],
  [['completion', 'fish'], 0, 'complete -c appengine'],
  [['completion', 'ksh'], 2, '"ksh" is no shell of'],
  [['user', 'lock', 'x', '--data', '/dev/null/x'], 1, 'ENOTDIR'],
])('%p exits with %i', async (words, exitCode, expected) => {
  using home = temporaryFolder()
  const result = await runCommand(words, { cwd: home.path })
  expect(result.exitCode).toBe(exitCode)
  expect(result.stdout + result.stderr).toContain(expected)
  expect(result.stderr).not.toContain('    at ')
})

describe('help', () => {
  const help = async (...words: string[]): Promise<string> =>
    (await runCommand(words, { cwd: '.' })).stdout

  test('of a command of two words, however it is asked for', async () => {
    const told = await help('help', 'company', 'create')
    expect(told).toStartWith('Usage: appengine company create CODE --name NAME [FLAGS]\n')
    expect(await help('help', 'company create')).toBe(told)
    expect(await help('company', 'create', '--help')).toBe(told)
    expect(await help('company create', '-h')).toBe(told)
  })

  test('a word or flag that is missing is told with the usage', async () => {
    const usage = 'is missing. Usage: appengine company create CODE --name NAME\n'
    const refused = async (...words: string[]) => {
      const { exitCode, stderr } = await runCommand(words, { cwd: '.' })
      return [exitCode, stderr]
    }
    expect(await refused('company', 'create')).toEqual([2, `CODE ${usage}`])
    expect(await refused('company', 'create', 'ONE')).toEqual([2, `--name ${usage}`])
  })
})
