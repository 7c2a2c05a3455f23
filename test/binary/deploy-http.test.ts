/** Deploys into a running executable: while it serves, and when it is killed amid one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  runCommand,
  type RunningExecutable,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'

/** Kills amid deploys, and amid submits, each later than the one before. */
const DEPLOYS = scaleCases(3)
const SUBMITS = scaleCases(2)

const home = temporaryFolder()
const data = join(home.path, 'data')
const model = join(home.path, 'model')
afterAll(() => home[Symbol.dispose]())
beforeAll(() => {
  for (const folder of [data, model]) mkdirSync(folder)
})

/** The application in one of two states; between them the table is rebuilt. */
function writeModel(state: string): void {
  const type = state === 'one' ? 'Text' : 'Integer'
  writeFileSync(
    join(model, 'ticket.xml'),
    `<Entity Name="Ticket" Table="tickets" Label="Ticket ${state}" Company="CompanyId">
      <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
      <Column Name="CompanyId" Type="Integer" Required="true"/>
      <Column Name="Number" Type="Text" Unique="true" Sequence="TicketNumber"/>
      <Column Name="Amount" Type="${type}"/>
      <Sequence Name="TicketNumber" Format="T{#}" PerCompany="true"/>
    </Entity>`,
  )
  const label = `<ObjectView Name="Tickets" Entity="Ticket" Label="${state}"/>`
  writeFileSync(join(model, 'tickets.xml'), `\uFEFF${label}\r\n`)
}

interface Client {
  token: string
  send: <T>(path: string, body?: object) => Promise<{ status: number; data: T }>
}

async function signIn({ url }: RunningExecutable, user = 'root'): Promise<Client> {
  const ask = async <T>(path: string, body: object | undefined, token: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { data: payload } = (await answer.json()) as { data: T }
    return { status: answer.status, data: payload }
  }
  const { data: signed } = await ask<{ AccessToken: string }>(
    '/auth/login',
    { UserName: user, Password: `${user}-demo-password` },
    '',
  )
  const token = signed.AccessToken
  return { token, send: (path, body) => ask(path, body, token) }
}

const deploy = ({ url }: RunningExecutable, { token }: Client, ...flags: string[]) =>
  runCommand(['deploy', model, '--url', url, '--token', token, ...flags], { cwd: home.path })

interface Script {
  Name: string
  VersionHash: string
  Body: string
}

/** Which of the two states is served; both scripts, the table and the hashes agree. */
async function readState({ send }: Client): Promise<string> {
  const scripts = await Promise.all(
    ['Ticket', 'Tickets'].map(async (name) => (await send<Script>(`/svc/scripts/${name}`)).data),
  )
  const states = scripts.map(({ Body }) => / ?(one|two)"/.exec(Body)?.[1] ?? '')
  for (const { Body, VersionHash } of scripts)
    expect(createHash('md5').update(Body, 'utf8').digest('hex')).toBe(VersionHash)
  const { data: label } = await send<string>('/svc/object/label/tickets')
  const { data: metadata } = await send<{ Fields: { Name: string; Type: string }[] }>(
    '/svc/object/tickets/metadata',
  )
  const type = metadata.Fields.find(({ Name }) => Name === 'Amount')?.Type
  expect({ states, label, type }).toEqual({
    states: [label, label],
    label,
    type: label === 'one' ? 'Text' : 'Integer',
  })
  return label
}

/** The output of each deploy about the demo's role Designer, whose rights mean writing SQL. */
const DESIGNER_WARNINGS = /^(?:warning: access\.xml:\d+:\d+: Designer on \w+: .*\n){2}$/

test('deploy --url while requests run: none fails, the new model serves at once', async () => {
  await using server = await startExecutable({ dataFolder: data, args: ['--demo'] })
  const root = await signIn(server)
  const ana = await signIn(server, 'ana')
  writeModel('one')
  const dry = await deploy(server, root, '--dry-run')
  expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringMatching(DESIGNER_WARNINGS)])
  expect(dry.stdout).toContain('new      Entity Ticket (ticket.xml)')
  let isDone = false
  const statuses: number[] = []
  const work = async (client: Client, path: string, body: object): Promise<void> => {
    while (!isDone) statuses.push((await client.send(path, body)).status)
  }
  const loads = [
    work(ana, '/svc/object/orders/table', { PageSize: 20 }),
    work(ana, '/svc/object/customers/table', { SearchText: 'a' }),
    work(root, '/svc/object-explorer/query', { ObjectName: 'orders', GroupBy: ['Status'] }),
  ]
  const done = await deploy(server, root, '--json')
  expect([done.exitCode, done.stderr]).toEqual([0, ''])
  expect(JSON.parse(done.stdout)).toMatchObject({ Deployed: true, New: [{}, {}] })
  expect(await readState(root)).toBe('one')
  const back = await runCommand(
    ['deploy', '--rollback', '--dry-run', '--url', server.url, '--token', root.token],
    { cwd: home.path },
  )
  expect([back.exitCode, back.stdout.split('\n').slice(0, 2)]).toEqual([
    0,
    [
      expect.stringMatching(/^Rolling back the deploy of 2\d{3}-.+Z$/),
      'removed  Entity Ticket (ticket.xml)',
    ],
  ])
  isDone = true
  await Promise.all(loads)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('faults and refusals end with 1 and say so; a held folder names --url', async () => {
  await using server = await startExecutable({ dataFolder: data, args: [] })
  const root = await signIn(server)
  const held = await runCommand(['deploy', model, '--data', data], { cwd: home.path })
  expect(held.exitCode).toBe(1)
  expect(held.stderr).toContain('--url URL --token T')
  writeFileSync(join(model, 'bad.xml'), '<ObjectView Name="Bad"\n Entity="Nothing"/>')
  const faulty = await deploy(server, root)
  expect([faulty.exitCode, faulty.stderr]).toEqual([1, expect.stringContaining('bad.xml:2:2: ')])
  writeFileSync(join(model, 'bad.xml'), '<Rbac Name="Bad"/>')
  const ana = await signIn(server, 'ana')
  const denied = await deploy(server, ana)
  expect([denied.exitCode, denied.stderr]).toEqual([1, 'You are not allowed to do this\n'])
  const nobody = await runCommand(
    ['deploy', model, '--url', 'http://127.0.0.1:1', '--token', 'x'],
    { cwd: home.path },
  )
  expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining('No server')])
  const wrong = await runCommand(['deploy', model, '--url', 'ftp://x', '--token', 'x'], {
    cwd: home.path,
  })
  expect(wrong.exitCode).toBe(2)
  const missing = await runCommand(['deploy', model, '--url', server.url], { cwd: home.path })
  expect([missing.exitCode, missing.stderr]).toEqual([2, '--token is missing\n'])
  writeFileSync(join(model, 'bad.xml'), '<Rbac Name="Bad"/>')
})

test('kill -9 amid a deploy over HTTP: the old model or the new, never a mixture', async () => {
  let state = 'one'
  let server = await startExecutable({ dataFolder: data, args: [] })
  let root = await signIn(server)
  for (let round = 0; round < DEPLOYS; round++) {
    expect(await readState(root)).toBe(state)
    const wanted = state === 'one' ? 'two' : 'one'
    writeModel(wanted)
    const files = await Promise.all(
      ['ticket.xml', 'tickets.xml'].map(async (name) => ({
        FileName: name,
        Body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(
          await Bun.file(join(model, name)).bytes(),
        ),
      })),
    )
    const deployed = root.send('/svc/scripts', { Files: files }).then(
      ({ status }) => status === 200,
      () => false,
    )
    await Promise.race([deployed, Bun.sleep(5 + (125 * round) / (DEPLOYS - 1))])
    await server.kill()
    const isAcknowledged = await deployed
    server = await startExecutable({ dataFolder: data, args: [] })
    root = await signIn(server)
    const after = await readState(root)
    if (isAcknowledged) expect(after).toBe(wanted)
    state = after
  }
  expect(await server.stop()).toBe(0)
})

test('kill -9 amid submits: no number is lost or given twice, a reserved one is kept', async () => {
  const SEQUENCE = '/svc/object/sequence-number'
  const submit = (client: Client, parameters: object) =>
    client.send<{ Values: { Number: string } }>('/svc/object/submit', {
      FormName: 'Tickets',
      Parameters: parameters,
    })
  const acknowledged = new Set<string>()
  let reserved = ''
  for (let round = 0; round < SUBMITS; round++) {
    const server = await startExecutable({ dataFolder: data, args: [] })
    const root = await signIn(server)
    if (round === 0) {
      reserved = (
        await root.send<string>(SEQUENCE, { SequenceName: 'TicketNumber', Reserve: true })
      ).data
    }
    const submits = Array.from({ length: 40 }, () =>
      submit(root, {}).then(
        ({ status, data: saved }) => void (status === 200 && acknowledged.add(saved.Values.Number)),
        () => undefined,
      ),
    )
    await Promise.race([Promise.all(submits), Bun.sleep(2 + (18 * round) / (SUBMITS - 1))])
    await server.kill()
    await Promise.all(submits)
  }
  await using server = await startExecutable({ dataFolder: data, args: [] })
  const root = await signIn(server)
  const used = await submit(root, { Number: reserved })
  expect(used.data.Values.Number).toBe(reserved)
  const { data: page } = await root.send<{ Rows: { Number: string }[] }>(
    '/svc/object/tickets/table',
    { PageSize: 1000 },
  )
  const numbers = page.Rows.map((row) => row.Number)
  const wanted = Array.from({ length: numbers.length }, (_, at) => `T${at + 1}`)
  expect(numbers.toSorted()).toEqual(wanted.toSorted())
  for (const number of acknowledged) expect(numbers).toContain(number)
})
