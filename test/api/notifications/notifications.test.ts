/** Notifications: who is told, by what channel, and what each may do with theirs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { until } from '../../support/until.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <On Event="created"><Notify Role="Clerk" Title="New: {Title}" Kind="NewCase"/></On>
  <On Event="deleted"><Notify Role="Guest" Title="Gone: {Title}"/></On>
</Entity>
<Texts Language="de"><Text Of="Entity.Case">Vorgang</Text></Texts>
<ObjectView Name="Cases" Entity="Case"/>
<ObjectView Name="AllCases" Entity="Case"/>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Cases" Verbs="View List Create"/>
    <RowFilter Resource="Cases">Title &lt;&gt; 'hidden'</RowFilter></Role>
  <Role Name="Guest"/>
  <Role Name="Herald"><Grant Resource="Notifications" Capabilities="Send"/></Role>
</Rbac>
</Model>`

const CASES: TestApplication = {
  files: [{ name: 'cases.xml', body: MODEL }],
  ...makePeople(
    'ONE TWO',
    {
      sys: 'System in ONE TWO',
      clerk: 'Clerk Herald',
      second: 'Clerk',
      guest: 'Guest',
      far: 'Clerk Herald in TWO',
    },
    'cases.test',
  ),
}

interface Told {
  Id: number
  Seq: number
  Kind: string
  Title: string
  Object: string | null
  Keys: Record<string, unknown> | null
  Url: string | null
  From: { DisplayName: string } | null
  ReadAt: string | null
}
interface Reply<T> {
  code?: string
  error?: string
  fieldErrors?: Record<string, string>
  data: T
}

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: CASES })
})
afterAll(() => app[Symbol.asyncDispose]())

const OWN = '/api/v1/notification'
const list = async (as: string, query = ''): Promise<Told[]> =>
  (await app.fetch<Reply<Told[]>>(`${OWN}${query}`, { as })).body.data
const unread = async (as: string): Promise<number> =>
  (await app.fetch<Reply<{ Count: number }>>(`${OWN}/unread-count`, { as })).body.data.Count
const send = (as: string, body: object) =>
  app.fetch<Reply<{ Recipients: number }>>('/api/v1/notifications', {
    as,
    body: { Title: 'Hello', ...body },
  })
const faultsOf = async (body: object) =>
  Object.keys((await send('clerk', body)).body.fieldErrors ?? {})
const save = (as: string, Title: string) =>
  app.fetch<Reply<{ Values: { Id: number } }>>('/api/v1/svc/object/submit', {
    as,
    body: { FormName: 'Cases', Parameters: { Title } },
  })
const write = (sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

test('an effect tells the role of the record’s company, in its transaction', async () => {
  const { Values } = (await save('clerk', 'Lamp')).body.data
  expect(await list('second')).toMatchObject([
    {
      Kind: 'NewCase',
      Title: 'New: Lamp',
      Level: 'info',
      Body: null,
      Url: null,
      Object: 'Cases',
      Keys: { Id: Values.Id },
      ReadAt: null,
      From: { Id: 2, DisplayName: 'clerk' },
    },
  ])
  expect([await unread('clerk'), await unread('second'), await unread('far')]).toEqual([1, 1, 0])
  expect((await app.fetch('/api/v1/svc/object/submit', { as: 'clerk', body: {} })).status).toBe(400)
  expect(await unread('second')).toBe(1)
})

test('each reads and removes their own: another’s is as one that is not there', async () => {
  const [told] = await list('second')
  const missing = `${OWN}/${(told?.Id ?? 0) + 1000}`
  for (const as of ['clerk', 'far', 'sys']) {
    for (const [method, tail] of [
      ['POST', '/read'],
      ['DELETE', ''],
    ] as const) {
      const ask = (path: string) =>
        app.fetch<Reply<null> & { traceId?: string }>(`${path}${tail}`, { as, method })
      const [other, none] = [await ask(`${OWN}/${told?.Id}`), await ask(missing)]
      expect(other.status).toBe(404)
      expect({ ...other.body, traceId: '' }).toEqual({ ...none.body, traceId: '' })
    }
  }
  expect((await list('second'))[0]?.ReadAt).toBeNull()
  const read = await app.fetch<Reply<Told>>(`${OWN}/${told?.Id}/read`, { as: 'second', body: {} })
  expect(read.body.data.ReadAt).toEqual(expect.any(String))
  expect([await unread('second'), await unread('clerk')]).toEqual([0, 1])
  const gone = await app.fetch(`${OWN}/${told?.Id}`, { as: 'second', method: 'DELETE' })
  expect([gone.status, await list('second')]).toEqual([200, []])
})

test('sends to users by name or id, to roles, to the company', async () => {
  expect((await send('clerk', { Users: ['SECOND', 4, 4] })).body.data).toEqual({ Recipients: 2 })
  expect((await send('clerk', { Roles: ['clerk'] })).body.data).toEqual({ Recipients: 2 })
  expect((await send('clerk', { Company: true })).body.data).toEqual({ Recipients: 4 })
  expect((await send('sys', { All: true })).body.data).toEqual({ Recipients: 5 })
  expect((await list('far')).map(({ Title }) => Title)).toEqual(['Hello'])
  expect((await list('guest')).map(({ Kind }) => Kind)).toEqual(['Message', 'Message', 'Message'])
})

test('attack: users of other companies and nobody at all are equally unknown', async () => {
  const before = await app.store.all('SELECT max(Id) AS Id FROM svc_notifications')
  const [far, none] = [
    await send('clerk', { Users: ['far'] }),
    await send('clerk', { Users: ['x'] }),
  ]
  expect(far.status).toBe(400)
  expect(far.body.fieldErrors).toEqual(none.body.fieldErrors)
  expect(far.text).not.toContain('far')
  expect(await faultsOf({ Users: ['second', 5] })).toEqual(['Users[1]'])
  expect(await faultsOf({ Roles: ['Nothing'] })).toEqual(['Roles[0]'])
  expect((await send('clerk', {})).status).toBe(400)
  expect((await send('clerk', { All: true })).status).toBe(401)
  expect((await send('second', { Users: ['clerk'] })).status).toBe(401)
  for (const Url of [
    'javascript:alert(1)',
    '//evil.test',
    '/\\evil.test',
    'data:text/html,x',
    ' https://a',
  ])
    expect((await send('clerk', { Users: ['second'], Url })).status).toBe(400)
  expect(await app.store.all('SELECT max(Id) AS Id FROM svc_notifications')).toEqual(before)
})

test('attack: a record that the sender does not see is as one that is not there', async () => {
  await write(`INSERT INTO cases (Id, CompanyId, Title) VALUES (70, 1, 'hidden'), (71, 2, 'other')`)
  const about = async (Id: number) => {
    const { status, body } = await send('clerk', {
      Users: ['guest'],
      Object: 'cases',
      Keys: { Id },
    })
    return [status, body.error]
  }
  expect(await about(70)).toEqual(await about(999))
  expect(await about(71)).toEqual(await about(999))
  expect(await about(1)).toEqual([200, undefined])
  // Who may not View the object is told without it.
  expect((await list('guest'))[0]).toMatchObject({ Title: 'Hello', Object: null, Keys: null })
  expect((await send('clerk', { Users: ['second'], Object: 'AllCases' })).status).toBe(401)
})

test('attack: what it is about is named to who sees the record when they read', async () => {
  const { Id } = (await save('clerk', 'Vase')).body.data.Values
  const about = { Users: ['second'], Object: 'Cases', Keys: { Id }, Url: `/cases/${Id}` }
  await send('clerk', about)
  await send('clerk', { ...about, Keys: undefined, Url: '/cases' })
  const [latest] = await list('second')
  const since = `?since=${(latest?.Seq ?? 0) - 3}`
  const read = async () => {
    const found = [
      ...(await list('second', '?limit=3')).reverse(),
      ...(await list('second', since)),
    ]
    const path = `${OWN}/${found[1]?.Id}/read`
    found.push((await app.fetch<Reply<Told>>(path, { as: 'second', body: {} })).body.data)
    return found.map(({ Object: name, Keys, Url }) => [name, Keys, Url])
  }
  const [caused, sent, view] = [
    ['Cases', { Id }, null],
    ['Cases', { Id }, `/cases/${Id}`],
    ['Cases', null, '/cases'],
  ]
  const none = [null, null, null]
  const shown = [caused, sent, view, caused, sent, view, sent]
  const hidden = [none, none, view, none, none, view, none]
  expect(await read()).toEqual(shown)
  await write(`UPDATE cases SET Title = 'hidden' WHERE Id = ${Id}`)
  expect(await read()).toEqual(hidden)
  await write(`UPDATE cases SET Title = 'Vase' WHERE Id = ${Id}`)
  expect(await read()).toEqual(shown)
  await write(`DELETE FROM cases WHERE Id = ${Id}`)
  expect(await read()).toEqual(hidden)
  await write(`UPDATE svc_user_roles SET Role = 'Guest' WHERE UserId = 3`)
  app.context.callers.forgetUser(3)
  expect(await read()).toEqual(hidden.map(() => none))
  await write(`UPDATE svc_user_roles SET Role = 'Clerk' WHERE UserId = 3`)
  app.context.callers.forgetUser(3)
  await write(`DELETE FROM svc_notifications WHERE Id > ${(latest?.Id ?? 0) - 3}`)
})

test('pages: before, since and unread', async () => {
  const all = await list('clerk')
  const seqs = all.map(({ Seq }) => Seq)
  expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
  expect(await list('clerk', `?before=${seqs[0]}&limit=1`)).toEqual(all.slice(1, 2))
  expect(await list('clerk', `?since=${seqs.at(-1)}`)).toEqual(all.slice(0, -1).reverse())
  expect((await app.fetch(`${OWN}?limit=501`, { as: 'clerk' })).status).toBe(400)
  await app.fetch(`${OWN}/read-all`, { as: 'clerk', body: {} })
  expect([await unread('clerk'), await list('clerk', '?unread=true')]).toEqual([0, []])
})

test('what a user wants of a kind: read at once, and by mail', async () => {
  const path = '/api/v1/notifications/preferences'
  const put = (as: string, Preferences: object[]) =>
    app.fetch<Reply<object[]>>(path, { as, method: 'PUT', body: { Preferences } })
  expect((await put('second', [{ Kind: 'Nothing', Mail: true }])).status).toBe(400)
  const wanted = await put('second', [{ Kind: 'newcase', Hub: false, Mail: true }])
  expect(wanted.body.data).toContainEqual({
    Kind: 'NewCase',
    Hub: false,
    Push: true,
    Mail: true,
    Digest: false,
  })
  const before = await unread('second')
  await save('clerk', 'Desk')
  expect(await unread('second')).toBe(before)
  expect((await list('second'))[0]).toMatchObject({
    Title: 'New: Desk',
    ReadAt: expect.any(String),
  })
  const mails = await app.store.all('SELECT CompanyId, Payload FROM svc_outbox')
  expect(mails.map(({ Payload }) => JSON.parse(String(Payload)))).toEqual([
    expect.objectContaining({ Users: [3], Subject: 'New: Desk' }),
  ])
})

test('kinds have labels in the language of the reader', async () => {
  const read = async (language: string) => {
    const headers = { 'Accept-Language': language }
    const path = '/api/v1/notifications/kinds'
    type Kinds = Reply<{ Kind: string; Label: string }[]>
    const { body } = await app.fetch<Kinds>(path, { as: 'guest', headers })
    return Object.fromEntries(body.data.map(({ Kind, Label }) => [Kind, Label]))
  }
  const own = { Import: 'Imports', Message: 'Messages', Report: 'Reports', Task: 'Tasks' }
  const others = {
    Export: 'Exports',
    Followed: 'Followed records',
    Mention: 'Mentions',
    Webhook: 'Webhooks',
    Wizard: 'Wizards',
  }
  expect(await read('en')).toEqual({ ...own, ...others, Case: 'Case', NewCase: 'New case' })
  expect(await read('de')).toMatchObject({
    Export: 'Exporte',
    Task: 'Aufgaben',
    Case: 'Vorgang',
    NewCase: 'New case',
  })
})

test('a digest has what is unread, once, for those who want it, in their language', async () => {
  const path = '/api/v1/notifications/preferences'
  const Preferences = [{ Kind: 'NewCase', Hub: true, Mail: false, Digest: true }]
  await app.fetch(path, { as: 'second', method: 'PUT', body: { Preferences } })
  await app.fetch(`${OWN}/read-all`, { as: 'second', body: {} })
  await write('DELETE FROM svc_outbox')
  await write(`UPDATE svc_users SET Language = 'de' WHERE Id = 3`)
  for (const title of ['Chair', 'Table']) await save('clerk', title)
  const { jobs, recurring } = app.context
  const [digest] = (await recurring.list()).filter(({ name }) => name.endsWith('@ONE'))
  expect(digest).toMatchObject({ name: 'NotificationDigest@ONE', timeZone: 'UTC' })
  await jobs.start()
  const mails = () => app.store.all('SELECT CompanyId, Payload FROM svc_outbox')
  for (let round = 0; round < 2; round++) {
    const done = `SELECT 1 AS n FROM svc_jobs WHERE Name = 'notification-digest'
      AND State = 'Succeeded'`
    await app.store.write((tx) => recurring.trigger(tx, digest ?? (null as never)), {
      company: 'all',
      because: 'a test',
    })
    await until(async () => (await app.store.all(done)).length > round)
    expect((await mails()).map(({ Payload }) => JSON.parse(String(Payload)))).toEqual([
      expect.objectContaining({
        Users: [3],
        Subject: 'Ungelesene Benachrichtigungen: 2',
        Body: '- New: Chair\n- New: Table',
      }),
    ])
  }
  await jobs.stop()
})

test('whoever is locked or has left the company is told nothing more', async () => {
  await write('UPDATE svc_users SET Active = 0 WHERE Id = 3')
  const before = await app.store.all('SELECT count(*) AS n FROM svc_notifications WHERE UserId = 3')
  await save('clerk', 'Door')
  expect((await send('clerk', { Users: ['second'] })).status).toBe(400)
  expect(
    await app.store.all('SELECT count(*) AS n FROM svc_notifications WHERE UserId = 3'),
  ).toEqual(before)
})
