import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  builtExecutable,
  runCommand,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'

const PASSWORD = 'a long pass phrase'

const MODEL = `<?xml version="1.0" encoding="UTF-8"?>
<Model>
  <Entity Name="Book" Table="books" Display="Title">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Title" Type="Text" Required="true"/>
  </Entity>
  <ObjectView Name="Books" Entity="Book"/>
  <Rows Entity="Book" Key="Title"><Row Title="Middlemarch"/><Row Title="Emma"/></Rows>
  <Rbac>
    <Role Name="Reader"><Grant Resource="Books" Verbs="View List"/></Role>
  </Rbac>
</Model>
`

/** An empty folder with a model folder in it, as a customer would have. */
function modelFolder() {
  const folder = temporaryFolder()
  mkdirSync(join(folder.path, 'model'))
  writeFileSync(join(folder.path, 'model', 'library.xml'), MODEL)
  return folder
}

/** A data folder with the model, a company and a user, all made on the command line. */
async function prepareData(cwd: string): Promise<void> {
  const steps = [
    { args: ['deploy', 'model'] },
    { args: ['company', 'create', 'LIB', '--name', 'Library'] },
    {
      args: 'user create rhea --role Reader --company LIB --password-stdin'.split(' '),
      stdin: `${PASSWORD}\n`,
    },
  ]
  for (const { args, stdin } of steps) {
    const result = await runCommand([...args, '--data', 'data'], { cwd, stdin })
    expect({ args, ...result }).toMatchObject({ args, exitCode: 0 })
  }
}

const post = (url: string, body: unknown, token?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })

async function signIn(url: string): Promise<string> {
  const answer = await post(`${url}/api/v1/auth/login`, { UserName: 'rhea', Password: PASSWORD })
  const { data } = (await answer.json()) as { data: { AccessToken: string } }
  return data.AccessToken
}

describe('from an empty folder', () => {
  test('deploy, make a user, serve, sign in, load a table, stop', async () => {
    using folder = modelFolder()
    await prepareData(folder.path)
    await using server = await startExecutable({ dataFolder: join(folder.path, 'data'), args: [] })
    const token = await signIn(server.url)
    const answer = await post(`${server.url}/api/v1/svc/object/books/table`, {}, token)
    expect(answer.status).toBe(200)
    const { data } = (await answer.json()) as { data: { Rows: { Title: string }[] } }
    expect(data.Rows.map(({ Title }) => Title)).toEqual(['Middlemarch', 'Emma'])
    expect(await server.stop()).toBe(0)
  })

  test('a second process on the same data folder, or the same port, is refused', async () => {
    await using server = await startExecutable({ args: [] })
    const cwd = resolve(server.dataFolder, '..')
    const args = ['serve', '--port', '0', '--data', server.dataFolder]
    const second = await runCommand(args, { cwd })
    expect(second.exitCode).toBe(1)
    expect(second.stderr).toContain('Another process already uses')
    using folder = temporaryFolder()
    const { port } = new URL(server.url)
    const third = await runCommand(['serve', '--port', port], { cwd: folder.path })
    expect(third.exitCode).toBe(1)
    expect(third.stderr).toContain(port)
  })
})

describe('the command line', () => {
  test.each([['help'], ['version'], ['schema'], ['help serve'], ['openapi']])(
    '%s exits 0',
    async (words) => {
      using folder = temporaryFolder()
      const result = await runCommand(words.split(' '), { cwd: folder.path })
      expect({ ...result, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      expect(result.stdout).not.toBe('')
    },
  )

  test.each([
    ['nonsense'],
    ['serve --nonsense'],
    ['serve --port many'],
    ['deploy'],
    ['help nonsense'],
    ['user create'],
  ])('%s exits 2', async (words) => {
    using folder = temporaryFolder()
    const result = await runCommand(words.split(' '), { cwd: folder.path })
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({
      exitCode: 2,
      stdout: '',
    })
    expect(result.stderr).not.toBe('')
  })

  test('a faulty model exits 1 and names file and line', async () => {
    using folder = modelFolder()
    writeFileSync(
      join(folder.path, 'model', 'library.xml'),
      MODEL.replace('Type="Text"', 'Type="Txt"'),
    )
    const result = await runCommand(['deploy', 'model'], { cwd: folder.path })
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toMatch(/library\.xml:5/)
  })
})

test('the executable tells nothing of the folder that it was built in', async () => {
  const bytes = readFileSync(await builtExecutable())
  expect(bytes.includes(resolve(import.meta.dir, '../..'))).toBe(false)
})
