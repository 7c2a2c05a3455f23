/** The commands at the end of the report, pasted into a shell, end in a server that answers. */
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter } from 'node:path'
import { CommandHome } from './command.ts'
import { makeSource } from './sources.ts'
import { builtExecutable } from '../support/executable.ts'

/** Starts a line as it stands, in a shell that finds the executable. */
async function paste(home: CommandHome, line: string) {
  const env = { ...process.env, PATH: `${home.path('bin')}${delimiter}${process.env.PATH}` }
  const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
  return Bun.spawn(['sh', '-c', line], { cwd: home.path(), env, stdio })
}

async function readUntil(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const piece of stream) {
    text += Buffer.from(piece).toString()
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`It ended without ${pattern}: ${text}`)
}

test('company, user and serve, also for a folder with a blank in its name', async () => {
  using home = new CommandHome()
  mkdirSync(home.path('bin'))
  symlinkSync(await builtExecutable(), home.path('bin', 'appengine'))
  makeSource(
    home.path('small shop.db'),
    `CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things VALUES (1, 'Pen');`,
  )
  const dry = await home.run('adopt', 'small shop.db', '--dry-run', '--data', 'my data')
  const [again = ''] = dry.lines.slice(dry.lines.indexOf('Next:') + 1)
  expect(again.trim()).toBe(`appengine adopt 'small shop.db' --data 'my data'`)
  const adopting = await paste(home, again)
  const lines = (await new Response(adopting.stdout).text()).trimEnd().split('\n')
  const next = lines.slice(lines.indexOf('Next:') + 1).map((line) => line.trim())
  expect(next).toEqual([
    `appengine company create MAIN --name "Main company" --data 'my data'`,
    `appengine user create admin --role System --role Manager --company MAIN --data 'my data'`,
    `appengine serve --data 'my data'`,
  ])
  const report = readFileSync(home.path('small shop-model', 'adopted.md'), 'utf8')
  expect(report).toEndWith(`## Next\n\n${next.map((line) => `    ${line}\n`).join('')}`)
  const [company = '', user = '', serve = ''] = next
  expect(await (await paste(home, company)).exited).toBe(0)
  const made = await paste(home, user)
  const password = await readUntil(made.stdout, /first sign-in: (\S+)/)
  const server = await paste(home, `exec ${serve} --port 0`)
  try {
    const url = await readUntil(server.stdout, /listening on (http:\S+)/)
    const login = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ UserName: 'admin', Password: password }),
    })
    expect(login.status).toBe(200)
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
  // A folder that has a company and this user already goes on with them.
  makeSource(home.path('more.db'), 'CREATE TABLE parts (id INTEGER PRIMARY KEY, name TEXT);')
  const more = await home.run('adopt', 'more.db', '--data', 'my data', '--json')
  expect((JSON.parse(more.out) as { Next: string[] }).Next).toEqual([
    `appengine user create admin2 --role System --role MoreManager --company MAIN --data 'my data'`,
    `appengine serve --data 'my data'`,
  ])
})
