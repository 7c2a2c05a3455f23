/** `appengine init`: the commands that it prints lead to an application that answers. */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, startExecutable, temporaryFolder } from '../support/executable.ts'

interface Answer {
  success: boolean
  data: Record<string, unknown>
  error?: string
}

/** The words of a printed command, as a shell takes them. */
const splitLine = (line: string): string[] =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

test('its five commands end in a server with a grid, a form, a report and a script', async () => {
  using home = temporaryFolder()
  const made = await runCommand(['init', 'shop', '--json'], { cwd: home.path })
  const { Next, Files } = JSON.parse(made.stdout) as { Next: string[]; Files: string[] }
  const folder = join(home.path, 'shop')
  for (const file of Files) expect(existsSync(join(folder, file))).toBe(true)
  expect(statSync(join(folder, 'data', 'local')).mode & 0o077).toBe(0)
  const [enter, check = '', ...others] = Next
  expect(enter).toBe('cd shop')
  expect(Next).toHaveLength(6)
  const run = async (line: string) => {
    const [program, ...words] = splitLine(line)
    expect(program).toBe('appengine')
    const { exitCode, stdout, stderr } = await runCommand(words, { cwd: folder })
    expect([exitCode, stderr]).toEqual([0, ''])
    return stdout
  }
  expect(await run(check)).toBe('4 files, 0 faults, 0 warnings.\n')
  const serve = others.pop() ?? ''
  const outputs = []
  for (const line of others) outputs.push(await run(line))
  const password = /first sign-in: (\S+)/.exec(outputs.at(-1) ?? '')?.[1] ?? ''
  expect(serve).toBe('appengine serve --watch --model model')
  await using server = await startExecutable({
    args: ['--watch', '--model', join(folder, 'model')],
    dataFolder: join(folder, 'data', 'local'),
  })
  let token = ''
  const call = async (path: string, body: object, language = 'en'): Promise<Answer> => {
    const headers = {
      'Content-Type': 'application/json',
      'Accept-Language': language,
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const options = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(`${server.url}/api/v1${path}`, options)).json()) as Answer
  }
  const signIn = async (Password: string) => {
    const { data } = await call('/auth/login', { UserName: 'admin', Password })
    token = String(data.AccessToken)
  }
  await signIn(password)
  const NewPassword = 'a longer password for shop'
  await call('/auth/password/change', { Password: password, NewPassword })
  await signIn(NewPassword)
  const save = (Parameters: object) =>
    call('/svc/object/submit', { FormName: 'Contacts', IsNew: true, Parameters }, 'de')
  expect(await save({ Name: 'Ida', Kind: 'customer' })).toMatchObject({
    error: 'A customer has a mail address or a phone number',
  })
  expect(await save({ Name: 'Ida', Kind: 'customer', Phone: '030 1' })).toMatchObject({
    success: true,
  })
  const page = await call('/svc/object/contacts/table', {})
  expect(page.data.Rows).toMatchObject([{ Name: 'Ida', Kind: 'customer' }])
  const report = await call('/svc/reports/ContactOverview/data', {})
  expect(JSON.stringify(report.data)).toContain('{"Contacts":"1"}')
  const script = await call('/svc/execute-script', { Name: 'ContactsWithoutEmail' })
  expect(script.data.Result).toEqual([{ Id: 1, Name: 'Ida' }])
}, 30_000)

test('a folder that holds something is left as it is', async () => {
  using home = temporaryFolder()
  mkdirSync(join(home.path, 'old', '.git'), { recursive: true })
  writeFileSync(join(home.path, 'old', 'notes.txt'), 'mine')
  const { exitCode, stderr } = await runCommand(['init', 'old'], { cwd: home.path })
  const told = `${join(home.path, 'old')} is not empty: it holds notes.txt. `
  expect([exitCode, stderr]).toEqual([1, `${told}Give a folder that is new or empty\n`])
  expect(readdirSync(join(home.path, 'old')).sort()).toEqual(['.git', 'notes.txt'])
  mkdirSync(join(home.path, 'new', '.git'), { recursive: true })
  const here = await runCommand(['init', '.'], { cwd: join(home.path, 'new') })
  expect(here.exitCode).toBe(0)
  expect(here.stdout).not.toContain('cd ')
})
