/** Mails of the executable: a forgotten password from end to end, and a server that is down. */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, startExecutable, temporaryFolder } from '../support/executable.ts'
import { readOutbox, tokenIn } from '../support/outbox.ts'
import { mailBy, startSmtp } from '../support/smtp.ts'

const PASSWORD = 'a long pass phrase'
const NEW = 'seven birds over the hill'

const MODEL = `<Model>
  <Entity Name="Book" Table="books" Display="Title">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Title" Type="Text" Required="true"/>
  </Entity>
  <ObjectView Name="Books" Entity="Book">
    <RowAction Name="Lend" Label="Lend"><Mail Role="Reader" Subject="Lent: {Title}" Body="Until Monday"/></RowAction>
  </ObjectView>
  <Rows Entity="Book" Key="Title"><Row Title="Emma"/></Rows>
  <Rbac><Role Name="Reader"><Grant Resource="Books" Verbs="View List Update"/></Role></Rbac>
</Model>
`

/** A data folder with the model and the reader rhea, who has a mail address. */
async function prepareFolder() {
  const folder = temporaryFolder()
  mkdirSync(join(folder.path, 'model'))
  writeFileSync(join(folder.path, 'model', 'library.xml'), MODEL)
  const user = 'user create rhea --email rhea@example.test --role Reader --password-stdin'
  for (const { words, stdin } of [
    { words: 'deploy model' },
    { words: 'company create LIB --name Library' },
    { words: user, stdin: `${PASSWORD}\n` },
  ]) {
    const args = [...words.split(' '), '--data', 'data']
    const { exitCode, stderr } = await runCommand(args, { cwd: folder.path, stdin })
    expect({ words, exitCode, stderr }).toMatchObject({ words, exitCode: 0 })
  }
  return { data: join(folder.path, 'data'), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

async function post<T = unknown>(
  url: string,
  body: unknown,
  more: { token?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; data: T }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(more.token !== undefined && { Authorization: `Bearer ${more.token}` }),
      ...more.headers,
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, data: ((await answer.json()) as { data: T }).data }
}

const signIn = (url: string, Password: string) =>
  post<{ AccessToken: string; RefreshToken: string }>(`${url}/api/v1/auth/login`, {
    UserName: 'rhea',
    Password,
  })

/** Until something is there; the test's own limit ends the wait. */
async function waitFor<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    await Bun.sleep(20)
  }
}

const findMail = (folder: string, text: string) =>
  readOutbox(folder).find((mail) => mail.includes(text))

test('forgot, the mail in outbox/, reset, sign in: all on the first start', async () => {
  using folder = await prepareFolder()
  await using server = await startExecutable({ dataFolder: folder.data, args: [] })
  const auth = `${server.url}/api/v1/auth`
  const before = (await signIn(server.url, PASSWORD)).data
  const evil = { 'X-Forwarded-Host': 'evil.example', Host: 'evil.example' }
  const name = { UserName: 'RHEA@example.test' }
  expect((await post(`${auth}/password/forgot`, name, { headers: evil })).status).toBe(200)
  const mail = await waitFor(() => findMail(folder.data, 'Set a new password'))
  expect(mail).toContain(`${server.url}/reset-password?token=`)
  expect(mail).not.toContain('evil')
  const reset = { Token: tokenIn(mail), NewPassword: NEW }
  expect((await post(`${auth}/password/reset`, reset)).status).toBe(200)
  expect((await post(`${auth}/password/reset`, reset)).status).toBe(400)
  expect((await signIn(server.url, PASSWORD)).status).toBe(401)
  expect((await post(`${auth}/refresh`, before)).status).toBe(401)
  expect((await signIn(server.url, NEW)).status).toBe(200)
  await waitFor(() => findMail(folder.data, 'Your password was changed'))
  expect(readdirSync(join(folder.data, 'outbox')).every((file) => file.endsWith('.eml'))).toBe(true)
  expect(await server.stop()).toBe(0)
  expect(server.errors()).not.toContain(reset.Token)
  const changed = () =>
    readOutbox(folder.data).filter((mail) => mail.includes('Your password was changed'))
  expect(changed()).toHaveLength(1)
  // By a command it is told by the next server.
  const words = ['user', 'reset', 'rhea', '--data', folder.data]
  expect((await runCommand(words, { cwd: folder.data })).exitCode).toBe(0)
  await using again = await startExecutable({ dataFolder: folder.data, args: [] })
  await waitFor(() => changed()[1])
  expect(changed()[1]).toContain('An administrator of this application did this.')
  expect(await again.stop()).toBe(0)
})

test('a Mail effect leaves after the answer, by SMTP, also after a kill', async () => {
  await using smtp = await startSmtp()
  using folder = await prepareFolder()
  const args = Object.entries(mailBy(smtp)).map(([name, value]) => `--${name}=${value}`)
  const act = async (url: string) => {
    const { data } = await signIn(url, PASSWORD)
    const body = { ObjectName: 'books', ActionName: 'Lend', Parameters: { Id: 1 } }
    const route = `${url}/api/v1/svc/object/execute-row-action`
    expect((await post(route, body, { token: data.AccessToken })).status).toBe(200)
  }
  {
    await using server = await startExecutable({ dataFolder: folder.data, args })
    await act(server.url)
    await server.kill()
  }
  await using server = await startExecutable({ dataFolder: folder.data, args })
  const mail = await waitFor(() => smtp.mails[0])
  expect(mail.to).toEqual(['rhea@example.test'])
  expect(mail.text).toContain('Subject: Lent: Emma')
  expect(existsSync(join(folder.data, 'outbox'))).toBe(false)
  expect(await server.stop()).toBe(0)
})

test('an SMTP server that is down holds up no request and no stop', async () => {
  using folder = await prepareFolder()
  const settings = { ...mailBy({ port: 9 }), 'Svc:Mail:RetryDelay': '5m' }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  await using server = await startExecutable({ dataFolder: folder.data, args })
  const body = { UserName: 'rhea' }
  expect((await post(`${server.url}/api/v1/auth/password/forgot`, body)).status).toBe(200)
  await waitFor(() => server.errors().includes('a mail waits for another try') || undefined)
  expect((await signIn(server.url, PASSWORD)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

test('settings print no password', async () => {
  using folder = temporaryFolder()
  const env = { Svc__Mail__Password: 'a mail secret' }
  for (const args of [['settings'], ['settings', '--json']]) {
    const result = await runCommand(args, { cwd: folder.path, env })
    expect(result.exitCode).toBe(0)
    expect(result.stdout).toContain('Svc:Mail:Password')
    expect(result.stdout + result.stderr).not.toContain('a mail secret')
  }
})
