/**
 * Reports of Mail effects, attacked: values of the record are values, whatever they look like, and
 * what waits to be sent is made by the rights that its causer has by then.
 */
import { expect, test } from 'bun:test'
import { Semaphore } from '../../../src/kernel/semaphore.ts'
import { openDeliverer } from '../../../src/engine/mail/deliverer.ts'
import { planDrawing } from '../../../src/engine/printed-reports/draw-report.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../../src/engine/printed-reports/find-printed-report.ts'
import { planMailReports } from '../../../src/engine/printed-reports/mail-report.ts'
import { startApp } from '../../support/app.ts'
import { data, Objects } from '../../support/objects.ts'
import { readOutbox } from '../../support/outbox.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Ticket" Table="tickets" Company="CompanyId" Display="Number">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Required="true"/>
  <Column Name="Word" Type="Text"/>
  <Column Name="Region" Type="Text" Default="north"/>
</Entity>
<Entity Name="Secret" Table="secrets" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text"/>
</Entity>
<ObjectView Name="Tickets" Entity="Ticket" Sort="Number">
  <Field Name="Number" Searchable="true"/>
  <RowAction Name="Page"><Mail To="bo@desk.test" Subject="s" Report="sums" With="Word"/></RowAction>
  <RowAction Name="Slip"><Mail To="bo@desk.test" Subject="s" Report="slip" With="Id"/></RowAction>
  <RowAction Name="Record"><Mail To="bo@desk.test" Subject="s" Report="record" With="object='Tickets' Id=Word"/></RowAction>
  <RowAction Name="List"><Mail To="bo@desk.test" Subject="s" Report="list" With="object='Tickets' search=Word"/></RowAction>
</ObjectView>
<ObjectView Name="Secrets" Entity="Secret"/>
<Print Name="Slip" View="Tickets" Title="Slip {Number}"><Fields Names="Number Word Region"/></Print>
<Print Name="SecretSlip" View="Secrets" Title="{Number}"><Fields Names="Number"/></Print>
<Report Name="Sums">
  <Filters><Filter Name="Word" Type="Text"/></Filters>
  <DataSets><DataSet Name="All"><Sql>SELECT Number, Region, @Word AS Asked FROM tickets ORDER BY Number</Sql></DataSet></DataSets>
  <Widgets><Widget Name="All" Kind="Table" DataSet="All"/></Widgets>
</Report>
<Report Name="Secrecy">
  <DataSets><DataSet Name="All"><Sql>SELECT Number FROM secrets</Sql></DataSet></DataSets>
  <Widgets><Widget Name="All" Kind="Table" DataSet="All"/></Widgets>
</Report>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Tickets" Verbs="View List Create Update Export"/>
    <Grant Resource="Secrets" Verbs="View List Export"/>
    <Grant Resource="Sums" Verbs="List Export"/><Grant Resource="Secrecy" Verbs="List Export"/>
  </Role>
  <Role Name="Rep">
    <Grant Resource="Tickets" Verbs="View List Create Update Export"/>
    <Grant Resource="Sums" Verbs="List Export"/>
    <RowFilter Resource="Tickets">Region = 'north'</RowFilter>
    <RowFilter Resource="Sums">Region = 'north'</RowFilter>
  </Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', { clerk: 'Clerk', rep: 'Rep' }),
}

const ALL = { company: 'all', because: 'a test' } as const

/** Tickets T1 to T3, and mails whose reports are made as JSON, to be read. */
async function startDesk() {
  const app = await startApp({ application: APPLICATION })
  const run = (sql: string, values = {}) => app.store.write((tx) => tx.run(sql, values), ALL)
  await run(`INSERT INTO tickets (Id, CompanyId, Number, Word, Region) VALUES
    (1, 1, 'T1', 'one', 'north'), (2, 1, 'T2', 'two', 'north'), (3, 1, 'T3', 'three', 'south'),
    (9, 2, 'foreign canary', 'nine', 'north')`)
  await run(`INSERT INTO secrets (Id, CompanyId, Number) VALUES (1, 1, 'canary')`)
  const { callers, store, made } = app.context
  const make = planMailReports({
    engine: app.context,
    callers,
    reads: app.context.reads,
    reports: {
      store,
      files: made,
      semaphore: new Semaphore(1),
      draw: planDrawing(app.context),
      reading: {
        setting: 'Svc:PrintedReports:Timeout',
        timeoutMs: 60_000,
        limits: { rows: 1000, bytes: 1_000_000, milliseconds: 60_000 },
      },
    },
    require: ({ model }, key) => ({
      ...requirePrintedReport(listPrintedReports(model), key),
      formats: ['json'],
    }),
  })
  const objects = new Objects(app)
  const name = (word: string) => run('UPDATE tickets SET Word = @word WHERE Id = 1', { word })
  return {
    app,
    run,
    name,
    act: async (as: string, action: string) =>
      data(await objects.act(as, 'Tickets', action, { Id: 1 })),
    /** The mails sent so far: each one's report with the name of its file. */
    send: async () => {
      const before = readOutbox(app.folder).length
      await openDeliverer(app.context, make).run()
      return readOutbox(app.folder).slice(before).map(readAttachment)
    },
    states: async () =>
      (await app.store.all('SELECT State FROM svc_outbox ORDER BY Id')).map(({ State }) => State),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** The mail's attachment, and its name. */
function readAttachment(mail: string): { name: string; text: string } {
  const [, name = ''] = /filename="?([^"\r\n]+)/.exec(mail) ?? []
  const [, base64 = ''] =
    /Content-Disposition: attachment[^]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/.exec(mail) ?? []
  return { name, text: Buffer.from(base64.replace(/\s/g, ''), 'base64').toString() }
}

const HOSTILE = [
  '1&report=secrecy',
  'x&object=Secrets&format=csv&inline=true',
  '?report=secrecy#',
  '","report":"secrecy","object":"Secrets","format":"csv',
  "' report='secrecy' object='Secrets' format='csv",
  '%26report%3Dsecrecy%26format%3Dcsv',
  '1\r\nreport: secrecy\r\n\r\nformat=csv',
  '__proto__',
  '../secrecy?format=csv',
]

test('a value of the record names no other report, object, record or format', async () => {
  await using desk = await startDesk()
  for (const word of HOSTILE) {
    await desk.name(word)
    for (const action of ['Page', 'Slip', 'List']) await desk.act('clerk', action)
    const sent = await desk.send()
    expect([word, sent.map(({ name }) => name.replace(/ (?:T1|[\d-]+)(?=\.)/, ''))]).toEqual([
      word,
      ['Sums.json', 'Slip.json', 'Tickets.json'],
    ])
    const [page, slip, list] = sent.map(({ text }) => text)
    expect(page).toContain(`"Asked":${JSON.stringify(word)}`)
    expect(slip).toContain('"Number":"T1"')
    expect(slip).toContain(JSON.stringify(word))
    expect(list).toContain('"Rows":[]')
    for (const text of [page, slip, list]) expect(text).not.toContain('canary')
  }
})

test('a key that is taken from a text is the key of that object or none', async () => {
  await using desk = await startDesk()
  await desk.name('2')
  await desk.act('clerk', 'Record')
  const [sent] = await desk.send()
  expect(sent?.name).toBe('Tickets T2.json')
  expect(sent?.text).toContain('"Number":"T2"')
  for (const word of [...HOSTILE, '9', '2 OR 1=1', '2&Id=1']) {
    await desk.name(word)
    await desk.act('clerk', 'Record')
    expect([word, await desk.send()]).toEqual([word, []])
    expect((await desk.states()).at(-1)).toBe('parked')
  }
  expect(readOutbox(desk.app.folder).join()).not.toContain('canary')
})

test('rows that left the causer’s filter while the mail waited are not in it', async () => {
  await using desk = await startDesk()
  await desk.name('T')
  for (const action of ['Page', 'List', 'Slip']) await desk.act('rep', action)
  await desk.run(`UPDATE tickets SET Region = 'south' WHERE Id = 1`)
  const [page, list, ...others] = await desk.send()
  expect(others).toEqual([])
  for (const made of [page, list]) {
    expect(made?.text).toContain('"Number":"T2"')
    for (const hidden of ['"T1"', '"T3"', 'canary']) expect(made?.text).not.toContain(hidden)
  }
  expect(await desk.states()).toEqual(['sent', 'sent', 'parked'])
})

test('a role that was taken from the causer while the mail waited makes none', async () => {
  await using desk = await startDesk()
  await desk.name('T')
  for (const action of ['Page', 'List', 'Slip']) await desk.act('rep', action)
  await desk.run('DELETE FROM svc_user_roles')
  for (const { Id } of await desk.app.store.all('SELECT Id FROM svc_users'))
    desk.app.context.callers.forgetUser(Number(Id))
  expect(await desk.send()).toEqual([])
  expect(await desk.states()).toEqual(['parked', 'parked', 'parked'])
})
