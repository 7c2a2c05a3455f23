/**
 * Rights are judged when the work is done, not when the request began: while its body comes, or
 * while it waits for the writer, its session may end and its rights may go.
 */
import { describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { startExtended } from '../../support/extensions.ts'
import { type HeldWriter, holdWriter } from '../../support/held-writer.ts'
import { makePeople } from '../../support/people.ts'
import { TEST_PASSWORD, type TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Papers" Type="File"/>
</Entity>
<ObjectView Name="Items" Entity="Item">
  <RowAction Name="Mark" Label="Mark"><Sql>UPDATE items SET Name = 'marked' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<StoredProcedure Name="Add" Mode="Write">
  <Sql Result="Made">INSERT INTO items (CompanyId, Name) VALUES (@CurrentCompanyId, 'made') RETURNING Id</Sql>
</StoredProcedure>
<Rows Entity="Item" Key="Name"><Row Name="first" CompanyId="1"/></Rows>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Items" Verbs="View List Create Update Delete Import Export"/>
    <Grant Resource="Add" Capabilities="Execute"/>
  </Role>
  <Role Name="Helper"><Grant Resource="Items" Verbs="View List"/></Role>
</Rbac>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    boss: 'System',
    ann: 'Clerk@ONE Helper@ONE in ONE TWO',
  }),
}

const WAITING_SCRIPT = `export default (engine: Engine) => {
  engine.script({
    Name: 'Wait',
    Resource: 'Reports',
    async run({ submit, query }) {
      await submit({ FormName: 'Notes', Parameters: { Title: 'begun' } })
      const told: unknown[] = []
      const tell = (error: { Code: string }) => told.push(error.Code)
      while (told.length === 0) await query('SELECT count(*) AS N FROM notes').catch(tell)
      await submit({ FormName: 'Notes', Parameters: { Title: 'late' } }).catch(tell)
      return told
    },
  })
}
`

const ANN = 3
const BOSS = 2

/** A request whose body comes when it is let go. */
function hold(app: TestApp, as: string, { path, method, type, body }: Held) {
  const rest = Promise.withResolvers<void>()
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.slice(0, 1))
      await rest.promise
      controller.enqueue(bytes.slice(1))
      controller.close()
    },
  })
  const answer = app.handle(
    new Request(`http://localhost${path}`, {
      method: method ?? 'POST',
      headers: {
        Authorization: `Bearer ${app.tokens[as]}`,
        'Content-Type': type ?? 'application/json',
        'Transfer-Encoding': 'chunked',
      },
      body: stream,
    }),
  )
  return async (): Promise<{ status: number; code: string }> => {
    rest.resolve()
    const response = await answer
    const { code } = (await response.json()) as { code: string }
    return { status: response.status, code }
  }
}

interface Held {
  path: string
  method?: string
  type?: string
  body: string
}

const json = (path: string, body: object, method?: string): Held => ({
  path,
  body: JSON.stringify(body),
  ...(method !== undefined && { method }),
})

const form = (path: string, fields: Record<string, string>, file: [string, string]): Held => {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const [fileName, content] = file
  const last =
    `--b\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n` +
    `Content-Type: text/plain\r\n\r\n${content}\r\n--b--\r\n`
  return { path, type: 'multipart/form-data; boundary=b', body: parts.join('') + last }
}

const OBJECT = '/api/v1/svc/object'

/** The changes of a clerk's requests. */
const CLERKS: [string, Held][] = [
  ['a submit', json(`${OBJECT}/submit`, { FormName: 'Items', Parameters: { Name: 'new' } })],
  [
    'an action',
    json(`${OBJECT}/execute-row-action`, {
      ObjectName: 'Items',
      ActionName: 'Mark',
      Parameters: { Id: 1 },
    }),
  ],
  ['a procedure', json('/api/v1/svc/rpc/Add', {})],
  ['an export', json(`${OBJECT}/export-data`, { ObjectName: 'Items' })],
  ['an import', form(`${OBJECT}/import-data`, { objectName: 'Items' }, ['a.csv', 'Name\nnew\n'])],
  [
    'an upload',
    form(`${OBJECT}/upload`, { objectName: 'Items', fieldName: 'Papers' }, ['a.txt', 'text']),
  ],
  // The last, since it takes the record away.
  ['a delete', json(`${OBJECT}/delete-row`, { ObjectName: 'Items', Parameters: { Id: 1 } })],
]

type End = (app: TestApp) => Promise<{ status: number }>

const user = (id: number, body: object): End => {
  return (app) => app.fetch(`/api/v1/svc/auth/users/${id}`, { as: 'root', method: 'PUT', body })
}

/** Ways in which the rights of a clerk end. */
const ENDS: [string, End][] = [
  ['they were locked', user(ANN, { Active: false })],
  [
    'they signed out everywhere',
    (app) => app.fetch('/api/v1/auth/logout', { as: 'ann', body: { All: true } }),
  ],
  [
    'they changed their password elsewhere',
    async (app) => {
      const signIn = { UserName: 'ann', Password: TEST_PASSWORD }
      const path = '/api/v1/auth/login'
      const { body } = await app.fetch<{ data: { AccessToken: string } }>(path, { body: signIn })
      return app.fetch('/api/v1/auth/password/change', {
        headers: { Authorization: `Bearer ${body.data.AccessToken}` },
        body: { Password: TEST_PASSWORD, NewPassword: 'seven birds over the hill' },
      })
    },
  ],
  ['they left the company', user(ANN, { Companies: [2], Roles: [] })],
  ['they lost the role', user(ANN, { Roles: [{ Role: 'Helper', CompanyId: 1 }] })],
  [
    'the role lost its rights',
    async (app) => {
      const path = '/api/v1/svc/auth/board'
      const { body } = await app.fetch<{ data: { Version: string } }>(`${path}/matrix`, {
        as: 'root',
        body: { Scope: 'All' },
      })
      const cells = ['Create', 'Delete', 'Update', 'Export', 'Import']
        .map((Verb) => ({ Resource: 'Items', Verb }))
        .concat({ Resource: 'Add', Verb: 'Execute' })
      return app.fetch(`${path}/apply`, {
        as: 'root',
        body: {
          Version: body.data.Version,
          Changes: cells.map((cell) => ({ Principal: 'role:Clerk', ...cell, Grant: false })),
        },
      })
    },
  ],
]

const STATE = `SELECT json_array((SELECT json_group_array(Id || Name) FROM items),
  (SELECT count(*) FROM svc_audit WHERE Entity = 'Item'), (SELECT count(*) FROM svc_uploads),
  (SELECT count(*) FROM svc_imports))`

const readState = (app: TestApp): Promise<string> =>
  app.store.text({ sql: STATE, args: {}, runs: 'inline' })

/** Lets what was begun come as far as it can without its body. */
const settle = async (app: TestApp): Promise<void> => {
  await app.fetch('/api/v1/auth/me', { as: 'ann' })
  await app.fetch('/api/v1/auth/me', { as: 'root' })
}

describe('a request whose body still came when', () => {
  for (const [why, end] of ENDS)
    test(why, async () => {
      await using app = await startApp({ application: ITEMS })
      const held = CLERKS.map(([name, request]) => ({ name, finish: hold(app, 'ann', request) }))
      await settle(app)
      const before = await readState(app)
      expect((await end(app)).status).toBe(200)
      for (const { name, finish } of held)
        expect({ name, ...(await finish()) }).toMatchObject({ name, status: 401 })
      expect(await readState(app)).toBe(before)
    })

  test('nothing ended: it is done', async () => {
    await using app = await startApp({ application: ITEMS })
    for (const [name, request] of CLERKS) {
      const finish = hold(app, 'ann', request)
      await settle(app)
      // Somebody else's end casts no doubt on it.
      await app.fetch('/api/v1/auth/logout', { as: 'boss', body: {} })
      expect({ name, ...(await finish()) }).toMatchObject({ name, status: 200 })
    }
  })

  test.each([
    ['a change of a user', json(`/api/v1/svc/auth/users/${ANN}`, { DisplayName: 'A' }, 'PUT')],
    ['a company', json('/api/v1/svc/company', { Code: 'NEW', Name: 'New' })],
    [
      'a deploy',
      json('/api/v1/svc/scripts', {
        Files: [{ FileName: 'more.xml', Body: '<Rbac Name="More"><Role Name="Extra"/></Rbac>' }],
      }),
    ],
    ['a role', json('/api/v1/svc/auth/roles', { Name: 'Extra' })],
    [
      'an impersonation',
      json('/api/v1/impersonation/start', { UserId: ANN, Reason: 'A test', Minutes: 5 }),
    ],
  ])('a System user was locked: %s', async (_, request) => {
    await using app = await startApp({ application: ITEMS })
    const finish = hold(app, 'boss', request)
    await settle(app)
    expect((await user(BOSS, { Active: false })(app)).status).toBe(200)
    expect((await finish()).status).toBe(401)
  })
})

test('a role that asks for a second factor came with the body: it has to be set up', async () => {
  const settings = { 'Svc:Mfa:RequiredRoles': 'Extra' }
  const [items] = ITEMS.files ?? []
  const body = (items?.body ?? '').replace('<Role Name="Helper">', '<Role Name="Extra"/>$&')
  const application = { ...ITEMS, files: [{ name: 'items.xml', body }] }
  await using app = await startApp({ application, settings })
  const [, submit] = CLERKS[0] ?? []
  if (!submit) throw new Error('There is no submit')
  const finish = hold(app, 'ann', submit)
  await settle(app)
  const before = await readState(app)
  const Roles = ['Clerk', 'Helper', 'Extra'].map((Role) => ({ Role, CompanyId: 1 }))
  expect((await user(ANN, { Roles })(app)).status).toBe(200)
  expect(await finish()).toEqual({ status: 401, code: 'MFA_SETUP_REQUIRED' })
  expect(await readState(app)).toBe(before)
})

describe('a mutation that waited for the writer', () => {
  const submitted = { FormName: 'Items', Parameters: { Name: 'late' } }
  const submitLate = (app: TestApp) =>
    app.fetch<{ code: string }>(`${OBJECT}/submit`, { as: 'ann', body: submitted })

  /** Holds the writer; what is called meanwhile waits in the order of the calls. */
  async function whileHeld<T>(app: TestApp, work: (writer: HeldWriter) => Promise<T>): Promise<T> {
    const writer = await holdWriter(app.store)
    const result = await work(writer)
    await writer.release()
    return result
  }

  test('is refused when the session ended meanwhile', async () => {
    await using app = await startApp({ application: ITEMS })
    await settle(app)
    const waiting = await whileHeld(app, async (writer) => {
      const late = submitLate(app)
      await writer.queued(1)
      await app.fetch('/api/v1/auth/logout', { as: 'ann', body: {} })
      return [late]
    })
    const { status, body } = await (waiting[0] ?? submitLate(app))
    expect([status, body.code]).toEqual([401, 'SESSION_ENDED'])
  })

  test('is refused when a lock, or the loss of a role, stood before it in the queue', async () => {
    for (const change of [{ Active: false }, { Roles: [{ Role: 'Helper', CompanyId: 1 }] }]) {
      await using app = await startApp({ application: ITEMS })
      await settle(app)
      const before = await readState(app)
      const [ended, late] = await whileHeld(app, async (writer) => {
        const lock = user(ANN, change)(app)
        await writer.queued(1)
        const submitted = submitLate(app)
        await writer.queued(2)
        return [lock, submitted] as const
      })
      expect((await ended).status).toBe(200)
      expect((await late).status).toBe(401)
      expect(await readState(app)).toBe(before)
    }
  })

  test('is planned again, and done, when other rights than its own changed', async () => {
    await using app = await startApp({ application: ITEMS })
    await settle(app)
    const [ended, late] = await whileHeld(app, async (writer) => {
      const change = user(ANN, { Roles: [{ Role: 'Clerk', CompanyId: 1 }] })(app)
      await writer.queued(1)
      const submitted = submitLate(app)
      await writer.queued(2)
      return [change, submitted] as const
    })
    expect((await ended).status).toBe(200)
    expect((await late).status).toBe(200)
  })
})

test('a script goes on without its caller: what it reads and saves later is refused', async () => {
  await using app = await startExtended({ 'wait.ts': WAITING_SCRIPT })
  const running = app.execute('run', 'Wait')
  const begun = { sql: "SELECT count(*) FROM notes WHERE Title = 'begun'", args: {} } as const
  while ((await app.app.store.text({ ...begun, runs: 'inline' })) === '0') await Bun.sleep(5)
  await app.app.fetch('/api/v1/auth/logout', { as: 'run', body: {} })
  const { body } = (await running) as unknown as { body: { data: { Result: unknown } } }
  expect(body.data.Result).toEqual(['SESSION_ENDED', 'SESSION_ENDED'])
  const late = { sql: 'SELECT json_group_array(Title) FROM notes', args: {} } as const
  expect(await app.app.store.text({ ...late, runs: 'inline' })).toBe('["begun"]')
})
