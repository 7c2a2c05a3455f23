/** Changes of the access board, met by `deploy`, and by the end of the process amid them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoFiles } from '../../data/demo/demo.ts'
import {
  runCommand,
  type RunningExecutable,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'

/** Kills, each later in an apply than the one before. */
const KILLS = scaleCases(3)
const LATEST_MS = 210

const AUTH = '/api/v1/svc/auth'

const home = temporaryFolder()
const data = join(home.path, 'data')
const model = join(home.path, 'model')
afterAll(() => home[Symbol.dispose]())
beforeAll(() => {
  for (const folder of [data, model]) mkdirSync(folder)
  for (const { name, body } of demoFiles) writeFileSync(join(model, name), body)
})

const deploy = (...flags: string[]) =>
  runCommand(['deploy', model, '--data', data, ...flags], { cwd: home.path })

type Send = <T>(path: string, body: object) => Promise<T>

async function signIn({ url }: RunningExecutable): Promise<Send> {
  const send = async <T>(path: string, body: object, token = ''): Promise<T> => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const init = { method: 'POST', body: JSON.stringify(body), headers }
    const answer = (await (await fetch(url + path, init)).json()) as { data: T; error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.data
  }
  const { AccessToken } = await send<{ AccessToken: string }>('/api/v1/auth/login', {
    UserName: 'root',
    Password: 'root-demo-password',
  })
  return (path, body) => send(path, body, AccessToken)
}

interface Board {
  Version: string
  Cells: { Principal: string; Resource: string; Verb: string; State: string }[]
}

/** The rights of clerks on stock levels, and whether the third user is one of them. */
async function loadBoard(send: Send): Promise<{ version: string; held: string[] }> {
  const { Version, Cells } = await send<Board>(`${AUTH}/board/matrix`, {
    Principals: ['role:Clerk', 'user:3'],
    Resources: ['StockLevels', 'Role:Clerk'],
  })
  const held = Cells.filter(({ State }) => State === 'granted')
  return { version: Version, held: held.map(({ Principal, Verb }) => `${Principal} ${Verb}`) }
}

const planChanges = (Grant: boolean): object[] => [
  { Principal: 'role:Clerk', Resource: 'StockLevels', Verb: 'View', Grant },
  { Principal: 'role:Clerk', Resource: 'StockLevels', Verb: 'List', Grant },
  { Principal: 'user:3', Resource: 'Role:Clerk', Verb: 'Member', Grant },
]

const ALL = ['role:Clerk View', 'role:Clerk List', 'user:3 Member']

test('kill -9 amid an apply: all of it or nothing', async () => {
  let held: string[] = []
  let server = await startExecutable({ dataFolder: data })
  let send = await signIn(server)
  for (let round = 0; round < KILLS; round++) {
    const before = await loadBoard(send)
    expect(before.held).toEqual(held)
    const Changes = planChanges(held.length === 0)
    const applied = send<{ Applied: boolean }>(`${AUTH}/board/apply`, {
      Version: before.version,
      Changes,
    }).then(
      ({ Applied }) => Applied,
      () => false,
    )
    await Promise.race([applied, Bun.sleep((LATEST_MS * (round + 1)) / KILLS)])
    await server.kill()
    const isAcknowledged = await applied
    server = await startExecutable({ dataFolder: data })
    send = await signIn(server)
    const after = await loadBoard(send)
    const changed = held.length === 0 ? ALL : []
    expect([held, changed]).toContainEqual(after.held)
    if (isAcknowledged) expect(after.held).toEqual(changed)
    held = after.held
  }
  const { version: Version } = await loadBoard(send)
  if (held.length === 0) await send(`${AUTH}/board/apply`, { Version, Changes: planChanges(true) })
  expect(await server.stop()).toBe(0)
})

/** The output of each deploy about the demo's role Designer, whose rights mean writing SQL. */
const DESIGNER_WARNINGS = /^(?:warning: access\.xml:\d+:\d+: Designer on \w+: .*\n){2}$/

test('deploy merges with what the board changed; --overwrite replaces it', async () => {
  const dry = await deploy('--dry-run')
  expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringMatching(DESIGNER_WARNINGS)])
  const merged = dry.stdout.slice(dry.stdout.indexOf('merged '))
  expect(merged).toStartWith(
    'merged   Rbac Rbac (access.xml): changed here since its last deploy\n' +
      '  here   Role Clerk has List on StockLevels\n' +
      '  here   Role Clerk has View on StockLevels\n',
  )
  expect(merged).toContain('Planned: 0 new, 0 changed, 0 removed, ')
  expect(merged).toContain('1 merged')
  const done = await deploy('--json')
  expect(JSON.parse(done.stdout)).toMatchObject({
    Deployed: true,
    Changed: [],
    Kept: [],
    Merged: [{ Type: 'Rbac', Name: 'Rbac', FileName: 'access.xml', FromFile: [] }],
  })
  writeFileSync(
    join(model, 'access.xml'),
    readFileSync(join(model, 'access.xml'), 'utf8').replace('Label="Clerk"', 'Label="Office"'),
  )
  const newer = await deploy()
  expect(newer.stdout).toContain('  file   Role Clerk is called "Office"\n')
  const overwritten = await deploy('--overwrite')
  expect([overwritten.exitCode, overwritten.stdout.includes('merged ')]).toEqual([0, false])
  expect(overwritten.stdout).toContain('changed  Rbac Rbac (access.xml)')
  await using server = await startExecutable({ dataFolder: data })
  const { held } = await loadBoard(await signIn(server))
  expect(held).toEqual(['user:3 Member'])
})
