/** Mails of Mail effects, delivered. */
import { expect, test } from 'bun:test'
import { denied, unavailable } from '../../../src/kernel/failure.ts'
import { say } from '../../../src/kernel/messages.ts'
import { type MakeReport, openDeliverer } from '../../../src/engine/mail/deliverer.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { TestClock } from '../../support/identity.ts'
import { data, Objects, type Refusal } from '../../support/objects.ts'
import { readOutbox } from '../../support/outbox.ts'
import { makePeople } from '../../support/people.ts'
import { mailBy, startSmtp } from '../../support/smtp.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Ticket" Table="tickets" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Email" Type="Text"/>
  <Column Name="Tongue" Type="Text"/>
  <Column Name="Level" Type="Text"><Option Value="high" Label="High"/></Column>
</Entity>
<ObjectView Name="Tickets" Entity="Ticket">
  <RowAction Name="Write" Label="Write"><Mail To="{Email}" Subject="About {Title}" Body="Hello &lt;b&gt;"/></RowAction>
  <RowAction Name="Role" Label="Role"><Mail Role="Clerk" Subject="To clerks"/></RowAction>
  <RowAction Name="User" Label="User"><Mail User="{Email}" Subject="To a user"/></RowAction>
  <RowAction Name="Ids" Label="Ids"><Mail Subject="By id"><Sql>SELECT Id FROM svc_users ORDER BY Id</Sql></Mail></RowAction>
  <RowAction Name="Spoken" Label="Spoken"><Mail To="{Email}" Language="{Tongue}" Role="Clerk" Subject="Ticket {Title}: {Level__Label}"/></RowAction>
  <RowAction Name="Told" Label="Told"><Notify Role="Clerk" Title="Ticket {Title}: {Level__Label}" Body="{Level__Label}"/></RowAction>
  <RowAction Name="Swiss" Label="Swiss"><Mail To="{Email}" Language="de-CH" Subject="Ticket {Title}: {Level__Label}"/></RowAction>
  <RowAction Name="Report" Label="Report"><Mail To="{Email}" Subject="With a sheet" Report="sheet"/></RowAction>
</ObjectView>
<Rbac>
  <Role Name="Clerk" Label="Clerk"><Grant Resource="Tickets" Verbs="View List Create Update"/></Role>
</Rbac>
<Texts Language="de">
  <Text Of="Tickets.Spoken.Ticket {Title}: {Level__Label}">Karte {Title}: {Level__Label}</Text>
  <Text Of="Tickets.Told.Ticket {Title}: {Level__Label}">Karte {Title}: {Level__Label}</Text>
  <Text Of="Tickets.Swiss.Ticket {Title}: {Level__Label}">Karte {Title}: {Level__Label}</Text>
  <Text Of="Ticket.Level.high">Hoch</Text>
</Texts>
</Model>`

const DESK: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    clerk: 'Clerk',
    second: 'Clerk',
    mute: 'Clerk',
    other: 'Clerk in TWO',
  }),
}

const ALL = { company: 'all', because: 'a test' } as const

/** The tickets, with one for an address, a deliverer that runs when it is told, and its mails. */
async function startTickets(email: string, settings: Record<string, string> = {}) {
  const clock = new TestClock()
  const app = await startApp({ application: DESK, settings, clock })
  await app.store.write(
    (tx) =>
      tx.run("UPDATE svc_users SET Email = UserName || '@desk.test' WHERE UserName <> 'mute'", {}),
    ALL,
  )
  const desk = new Objects(app)
  await desk.save('clerk', 'Tickets', { Title: 'Lamp', Email: email })
  const deliverer = openDeliverer(app.context)
  return {
    app,
    clock,
    run: () => deliverer.run(),
    act: async (name: string, headers: Record<string, string> = {}) =>
      data(
        await app.fetch<Refusal & { data: unknown }>('/api/v1/svc/object/execute-row-action', {
          as: 'clerk',
          headers,
          body: { ObjectName: 'Tickets', ActionName: name, Parameters: { Id: 1 } },
        }),
      ),
    rows: () => desk.stored('SELECT Id, State, Attempts, Payload FROM svc_outbox ORDER BY Id'),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

const recipients = (app: TestApp): string[] =>
  readOutbox(app.folder)
    .flatMap((mail) => /^To: (.*)\r$/m.exec(mail)?.[1] ?? [])
    .sort()

test('a mail leaves after the commit, once, as text and as HTML', async () => {
  await using desk = await startTickets('bo@desk.test')
  await desk.act('Write')
  expect(readOutbox(desk.app.folder)).toEqual([])
  await desk.run()
  await desk.run()
  const [mail, ...others] = readOutbox(desk.app.folder)
  expect(others).toEqual([])
  expect(mail).toContain('To: bo@desk.test')
  expect(mail).toContain('Subject: About Lamp')
  expect(mail).toContain('Hello <b>')
  expect(mail).toContain('<p>Hello &lt;b&gt;</p>')
  expect(await desk.rows()).toMatchObject([{ State: 'sent', Attempts: 1 }])
})

test.each([
  ['Role', 'x', ['clerk <clerk@desk.test>', 'second <second@desk.test>']],
  ['Ids', 'x', ['clerk <clerk@desk.test>', 'second <second@desk.test>']],
  ['User', 'second', ['second <second@desk.test>']],
  ['User', '1', ['clerk <clerk@desk.test>']],
  ['User', 'other', []],
  ['Write', 'a@desk.test; B <b@desk.test>, A@desk.test', ['A@desk.test', 'B <b@desk.test>']],
  ['Write', 'nobody', []],
  ['Write', 'a@desk.test\r\nBcc: evil@desk.test', ['a@desk.test']],
])('%s to %j goes to those of the company who can be reached', async (action, email, to) => {
  await using desk = await startTickets(email)
  await desk.act(action)
  await desk.run()
  await desk.run()
  expect(recipients(desk.app)).toEqual(to)
  const states = new Set((await desk.rows()).map(({ State }) => State))
  expect([...states]).toEqual([to.length === 0 ? 'parked' : 'sent'])
})

/** Languages of users and of the company ONE, by name; null: none. */
async function speak(app: TestApp, own: Record<string, string | null>, company: string | null) {
  await app.store.write(async (tx) => {
    for (const [name, language] of Object.entries(own))
      await tx.run('UPDATE svc_users SET Language = @language WHERE UserName = @name', {
        name,
        language,
      })
    await tx.run("UPDATE svc_companies SET Language = @company WHERE Code = 'ONE'", { company })
  }, ALL)
}

const subjects = (app: TestApp): Record<string, string> =>
  Object.fromEntries(
    readOutbox(app.folder).map((mail) => [
      /^To: .*?([a-z]+)@desk/m.exec(mail)?.[1] ?? '',
      /^Subject: (.*)\r$/m.exec(mail)?.[1] ?? '',
    ]),
  )

const [ENGLISH, GERMAN] = ['Ticket Lamp: High', 'Karte Lamp: Hoch']

test.each([
  ['of each user', { clerk: 'de', second: 'en' }, null, null, [GERMAN, ENGLISH, ENGLISH]],
  ['of a user, by a shorter tag', { clerk: 'de-CH' }, null, null, [GERMAN, ENGLISH, ENGLISH]],
  ['of the company', { second: 'en' }, 'de', null, [GERMAN, ENGLISH, GERMAN]],
  ['of a column of the row', {}, null, 'de', [ENGLISH, ENGLISH, GERMAN]],
  ['of a column, which may hold no tag', {}, 'de', 'Deutsch!', [GERMAN, GERMAN, GERMAN]],
  ['that nobody wrote, as it stands', { clerk: 'fr' }, null, 'fr', [ENGLISH, ENGLISH, ENGLISH]],
] as [string, Record<string, string>, string | null, string | null, string[]][])(
  'a mail speaks the language %s, never that of the browser',
  async (_, own, company, tongue, expected) => {
    await using desk = await startTickets('outer@desk.test')
    await speak(desk.app, own, company)
    const sql = "UPDATE tickets SET Tongue = @tongue, Level = 'high' WHERE Id = 1"
    await desk.app.store.write((tx) => tx.run(sql, { tongue }), ALL)
    await desk.act('Spoken', { 'Accept-Language': 'de' })
    await desk.run()
    await desk.run()
    const { clerk, second, outer } = subjects(desk.app)
    expect([clerk, second, outer]).toEqual(expected)
  },
)

test.each([
  ['of each user', { clerk: 'de', second: 'en' }, null, [GERMAN, ENGLISH, GERMAN]],
  ['of a user, by a shorter tag', { clerk: 'de-CH' }, null, [GERMAN, GERMAN, GERMAN]],
  ['of the company', { second: 'en' }, 'de', [GERMAN, ENGLISH, GERMAN]],
  ['as it was written, to others', { clerk: 'fr' }, 'en', [ENGLISH, ENGLISH, ENGLISH]],
] as [string, Record<string, string>, string | null, string[]][])(
  'a notification speaks the language %s, that of its cause only to who has none',
  async (_, own, company, expected) => {
    await using desk = await startTickets('outer@desk.test')
    await speak(desk.app, own, company)
    await desk.app.store.write((tx) => tx.run("UPDATE tickets SET Level = 'high'", {}), ALL)
    await desk.act('Told', { 'Accept-Language': 'de' })
    const told = await desk.app.store.all<{ Title: string; Body: string }>(
      'SELECT Title, Body FROM svc_notifications ORDER BY UserId',
    )
    expect(told.map(({ Title }) => Title)).toEqual(expected)
    const bodies = expected.map((title) => (title === GERMAN ? 'Hoch' : 'High'))
    expect(told.map(({ Body }) => Body)).toEqual(bodies)
  },
)

test('a mail speaks its literal Language at an address, else that of Svc:Language', async () => {
  await using desk = await startTickets('outer@desk.test', { 'Svc:Language': 'de' })
  await desk.app.store.write((tx) => tx.run("UPDATE tickets SET Level = 'high'", {}), ALL)
  await desk.act('Swiss', { 'Accept-Language': 'en' })
  await desk.act('Role', { 'Accept-Language': 'en' })
  await desk.act('Spoken', { 'Accept-Language': 'en' })
  await desk.run()
  await desk.run()
  expect(subjects(desk.app)).toEqual({ outer: GERMAN, clerk: GERMAN, second: GERMAN })
})

test('a mail with a report waits for who makes it, and holds up no other', async () => {
  await using desk = await startTickets('bo@desk.test')
  await desk.act('Report')
  await desk.act('Write')
  await desk.run()
  expect(await desk.rows()).toMatchObject([
    { State: 'pending', Attempts: 0 },
    { State: 'sent', Attempts: 1 },
  ])
})

/** Starts a desk with a deliverer of reports, which makes them by `make`. */
async function startReports(make: MakeReport, settings: Record<string, string> = {}) {
  const desk = await startTickets('bo@desk.test', settings)
  const reports = openDeliverer(desk.app.context, make)
  return { ...desk, runReports: () => reports.run() }
}

const SHEET = { name: 'sheet.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-') }

test('a mail with a report goes with it, made as whoever caused it', async () => {
  const orders: unknown[] = []
  await using desk = await startReports((order) => {
    orders.push(order)
    return Promise.resolve(SHEET)
  })
  await desk.act('Report')
  await desk.act('Write')
  await desk.runReports()
  expect(await desk.rows()).toMatchObject([{ State: 'sent', Attempts: 1 }, { State: 'pending' }])
  expect(orders).toEqual([
    {
      report: 'sheet',
      arguments: {},
      userId: 1,
      companyId: 1,
      language: 'en',
      bytesMax: 10 * 1024 * 1024,
    },
  ])
  const [mail] = readOutbox(desk.app.folder)
  expect(mail).toContain('filename=sheet.pdf')
  expect(mail).toContain(Buffer.from('%PDF-').toString('base64'))
})

test('a report that cannot be made now is made later, and no mail goes without it', async () => {
  let isOpen = false
  await using desk = await startReports(() =>
    isOpen ? Promise.resolve(SHEET) : Promise.reject(unavailable(say`Nobody waits for this`)),
  )
  await desk.act('Report')
  await desk.runReports()
  await desk.runReports()
  expect(readOutbox(desk.app.folder)).toEqual([])
  expect(await desk.rows()).toMatchObject([{ State: 'pending', Attempts: 1 }])
  expect(desk.app.log.join()).toContain('Its report is not made')
  isOpen = true
  desk.clock.pass(60_000)
  await desk.runReports()
  expect(await desk.rows()).toMatchObject([{ State: 'sent', Attempts: 2 }])
  expect(readOutbox(desk.app.folder)).toHaveLength(1)
})

test('a report that is refused parks its mail at once, and the log says why', async () => {
  await using desk = await startReports(() => Promise.reject(denied()))
  await desk.act('Report')
  await desk.runReports()
  expect(await desk.rows()).toMatchObject([{ State: 'parked', Attempts: 1 }])
  expect(readOutbox(desk.app.folder)).toEqual([])
  expect(desk.app.log.join()).toContain('Its report is not made')
})

test('what nobody caused has no rights to make a report by', async () => {
  await using desk = await startReports(() => Promise.resolve(SHEET))
  await desk.act('Report')
  await desk.app.store.write((tx) => tx.run('UPDATE svc_outbox SET UserId = NULL', {}), ALL)
  await desk.runReports()
  expect(await desk.rows()).toMatchObject([{ State: 'parked', Attempts: 1 }])
})

test('a server that is down: later and later, then the mail is there once', async () => {
  await using smtp = await startSmtp()
  const settings = { ...mailBy(smtp), 'Svc:Mail:RetryDelay': '10s' }
  await using desk = await startTickets('bo@desk.test', settings)
  await smtp.stop()
  await desk.act('Write')
  await desk.run()
  expect(await desk.rows()).toMatchObject([{ State: 'pending', Attempts: 1 }])
  desk.clock.pass(9999)
  await desk.run()
  expect(await desk.rows()).toMatchObject([{ Attempts: 1 }])
  desk.clock.pass(1)
  await desk.run()
  expect(await desk.rows()).toMatchObject([{ Attempts: 2 }])
  await smtp.start()
  desk.clock.pass(29_999)
  await desk.run()
  expect(smtp.mails).toEqual([])
  desk.clock.pass(1)
  await desk.run()
  await desk.run()
  expect(smtp.mails).toHaveLength(1)
  expect(await desk.rows()).toMatchObject([{ State: 'sent', Attempts: 3 }])
})

test('what fails too often is parked; the log has the reason, and nobody’s address', async () => {
  await using smtp = await startSmtp()
  const settings = { ...mailBy(smtp), 'Svc:Mail:Attempts': '2' }
  await using desk = await startTickets('bo@desk.test', settings)
  await smtp.stop()
  await desk.act('Write')
  for (let round = 0; round < 3; round += 1) {
    await desk.run()
    desk.clock.pass(3_600_000)
  }
  expect(await desk.rows()).toMatchObject([{ State: 'parked', Attempts: 2 }])
  const log = desk.app.log.join('\n')
  expect(log).toContain('a mail is a dead letter')
  expect(log).toContain('ECONNREFUSED')
  expect(log).not.toContain('bo@desk.test')
  await smtp.start()
})

test('one recipient who is refused costs no other a second mail', async () => {
  await using smtp = await startSmtp()
  await using desk = await startTickets('x', mailBy(smtp))
  smtp.refusals.set('clerk@desk.test', 550)
  await desk.act('Role')
  for (let round = 0; round < 3; round += 1) await desk.run()
  expect(smtp.mails.map(({ to }) => to)).toEqual([['second@desk.test']])
  const states = (await desk.rows()).map(({ State }) => State)
  expect(states.sort()).toEqual(['parked', 'sent'])
})

test('a mail that left as the process ended leaves again under the same id', async () => {
  await using smtp = await startSmtp()
  await using desk = await startTickets('bo@desk.test', mailBy(smtp))
  await desk.act('Write')
  await desk.run()
  await desk.app.store.write((tx) => tx.run("UPDATE svc_outbox SET State = 'pending'", {}), ALL)
  await desk.run()
  const ids = smtp.mails.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1])
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1] ?? '')
})

test('what left long ago is forgotten', async () => {
  await using desk = await startTickets('bo@desk.test', { 'Svc:Mail:Retention': '1h' })
  await desk.act('Write')
  await desk.run()
  desk.clock.pass(3_600_001)
  await desk.act('Write')
  await desk.run()
  expect(await desk.rows()).toHaveLength(1)
})
