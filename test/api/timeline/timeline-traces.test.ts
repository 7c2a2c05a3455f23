/** Actions and mails in the timeline of a record (src/server/README.md, Timeline): to whom. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDeliverer } from '../../../src/engine/mail/deliverer.ts'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { Objects, type Refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Bill" Table="bills" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Email" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="State" Type="Text" Default="new"/>
  <Column Name="ClientId" References="Client"/>
  <On Event="created"><Mail User="ana" Subject="Bill {Name}"/></On>
</Entity>
<Entity Name="Slip" Table="slips" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Slips" Entity="Slip">
  <RowAction Name="Send" Label="Send"><Mail User="ana" Subject="Slip"/></RowAction>
</ObjectView>
<ObjectView Name="Bills" Entity="Bill">
  <RowAction Name="Pay" Label="Pay the bill" When="State = 'new'">
    <Parameter Name="Word" Type="Text" Required="true"/>
    <Sql Rows="1">UPDATE bills SET State = 'paid', Secret = @Word WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Hide" Label="Hide"><Sql>UPDATE bills SET Secret = 'h' WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Look" Label="Look"><Dispatch Type="refreshTable"/></RowAction>
  <RowAction Name="Fail" Label="Fail">
    <Mail User="ana" Subject="Never"/>
    <Sql Rows="1">UPDATE bills SET State = 'x' WHERE Id = -1</Sql>
  </RowAction>
  <RowAction Name="All" Label="All of them" For="Rows">
    <Sql Rows="1">UPDATE bills SET State = 'all' WHERE Id = @Id</Sql>
  </RowAction>
  <RowAction Name="Write" Label="Write">
    <Mail To="{Email}; canary@else.test" Subject="About {Name} of {ClientId__Label}" Body="Canary body"/>
  </RowAction>
  <RowAction Name="Warn" Label="Warn"><Mail Role="Clerk" User="nora" Subject="It is {Secret}"/></RowAction>
</ObjectView>
<ObjectView Name="Desk" Entity="Bill">
  <RowAction Name="Stamp" Label="Stamp"><Sql>UPDATE bills SET State = 'stamped', Secret = 's' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<Rbac>
  <Role Name="Clerk" Label="Office">
    <Grant Resource="Bills" Verbs="View List Create Update Delete"/>
    <Grant Resource="Desk" Verbs="View List Update"/>
    <Grant Resource="Slips" Verbs="View Create Update"/>
    <Grant Resource="Clients" Verbs="View List Create"/>
  </Role>
  <Role Name="Blind" Label="Blind">
    <Grant Resource="Bills" Verbs="View List"/>
    <FieldRule Resource="Bills" Field="Secret" Access="Hidden"/>
    <FieldRule Resource="Bills" Field="Email" Access="Hidden"/>
    <Grant Resource="Clients" Verbs="View List"/>
    <RowFilter Resource="Clients">Name &lt;&gt; 'Canary'</RowFilter>
  </Role>
</Rbac>
<Texts Language="de">
  <Text Of="Bills.Pay">Rechnung zahlen</Text>
  <Text Of="Bill.Bill {Name}">Rechnung {Name}</Text>
</Texts>
</Model>`

let app: TestApp
let desk: Objects
beforeAll(async () => {
  app = await startApp({
    application: {
      files: [{ name: 'bills.xml', body: MODEL }],
      ...makePeople('ONE TWO', {
        root: 'System in ONE TWO',
        ana: 'Clerk',
        bo: 'Blind',
        nora: 'Clerk',
        cy: 'Clerk in TWO',
      }),
    },
  })
  desk = new Objects(app)
  const sql = "UPDATE svc_users SET Email = UserName || '@desk.test'"
  await app.store.write((tx) => tx.run(sql), ALL)
})
afterAll(() => app[Symbol.asyncDispose]())

const ALL = { company: 'all', because: 'a test' } as const

type Reply<T> = { data: T } & Partial<Refusal>

async function load(as: string, Id: number, more: object = {}, language = 'en') {
  const answer = await app.fetch<Reply<Timeline>>('/api/v1/svc/timeline', {
    as,
    headers: { 'Accept-Language': language },
    body: { Object: 'Bills', Keys: { Id }, ...more },
  })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body.data
}

const create = async (values: object): Promise<number> => {
  const { Keys } = await desk.save('ana', 'Bills', { Name: 'One', ...values })
  return Number((Keys as { Id: number }).Id)
}

interface ActOptions {
  as?: string
  view?: string
  Keys?: object[]
}

const act = (
  action: string,
  parameters: object,
  { as = 'ana', view = 'Bills', ...more }: ActOptions = {},
) =>
  app.fetch<Reply<unknown>>('/api/v1/svc/object/execute-row-action', {
    as,
    body: { ObjectName: view, ActionName: action, Parameters: parameters, ...more },
  })

const kindsOf = ({ Entries }: Timeline): string[] => Entries.map(({ Kind }) => Kind)
const BORN = ['mail', 'created']

describe('an action', () => {
  test('stands there once, with its label, its user and what it changed', async () => {
    const id = await create({})
    expect((await act('Pay', { Id: id, Word: 'w' })).status).toBe(200)
    const timeline = await load('ana', id)
    expect(kindsOf(timeline)).toEqual(['action', ...BORN])
    expect(timeline.Entries[0]).toMatchObject({
      Text: 'Pay the bill',
      By: { DisplayName: 'ana' },
      Fields: [
        { Field: 'Secret', To: 'w' },
        { Field: 'State', From: 'new', To: 'paid' },
      ],
    })
    expect((await load('ana', id, {}, 'de')).Entries[0]?.Text).toBe('Rechnung zahlen')
    const [entry] = (await load('bo', id)).Entries
    expect(entry?.Fields.map(({ Field }) => Field)).toEqual(['State'])
  })

  test('is there without a change, and after one that its reader does not see', async () => {
    const id = await create({})
    for (const name of ['Look', 'Hide']) await act(name, { Id: id })
    for (const as of ['ana', 'bo'])
      expect((await load(as, id)).Entries.map(({ Text }) => Text)).toEqual([
        'Hide',
        'Look',
        'Bill One',
        null,
      ])
  })

  test('of a view that its reader does not see is told as the change that it made', async () => {
    const id = await create({})
    await act('Stamp', { Id: id }, { view: 'Desk' })
    expect(kindsOf(await load('ana', id))).toEqual(['action', ...BORN])
    const seen = await load('bo', id)
    expect(kindsOf(seen)).toEqual(['changed', ...BORN])
    expect(JSON.stringify(seen)).not.toMatch(/Stamp"|Desk|Secret/)
  })

  test('leaves nothing where it was refused, and stands at each record of many', async () => {
    const [one, two] = [await create({}), await create({})]
    expect((await act('Fail', { Id: one })).status).toBe(400)
    expect((await act('Pay', { Id: one })).status).toBe(400)
    expect(kindsOf(await load('ana', one))).toEqual(BORN)
    const Keys = [{ Id: one }, { Id: two }]
    expect((await act('All', {}, { Keys })).status).toBe(200)
    for (const id of [one, two])
      expect((await load('ana', id)).Entries[0]).toMatchObject({
        Kind: 'action',
        Text: 'All of them',
      })
  })

  test('is one entry however the pages are cut', async () => {
    const id = await create({})
    for (let n = 0; n < 3; n++) await act('Stamp', { Id: id }, { view: 'Desk' })
    await act('Hide', { Id: id })
    for (const as of ['ana', 'bo']) {
      const whole = (await load(as, id)).Entries
      const found: Timeline['Entries'] = []
      let Before: string | null = null
      do {
        const page: Timeline = await load(as, id, { Limit: 1, ...(Before !== null && { Before }) })
        found.push(...page.Entries)
        Before = page.Next
      } while (Before !== null)
      expect(found).toEqual(whole)
    }
  })

  test('is an entry of the audit log, with the view that has it', async () => {
    const id = await create({})
    await act('Look', { Id: id })
    const log = await app.fetch<Reply<{ Entries: object[] }>>(
      `/api/v1/svc/audit?object=Bill&key=${id}&action=action`,
      { as: 'root' },
    )
    expect(log.body.data.Entries).toMatchObject([
      { User: { UserName: 'ana' }, Source: 'Bills', Changes: [{ To: 'Look' }, { To: 'Bills' }] },
    ])
  })
})

describe('a mail', () => {
  test('is told with its subject in the language of its reader, and to whom', async () => {
    const id = await create({})
    const [mail] = (await load('bo', id)).Entries
    expect(mail).toMatchObject({
      Kind: 'mail',
      By: { DisplayName: 'ana' },
      Text: 'Bill One',
      Fields: [],
      Mail: { To: ['ana'], HasOthers: false, HasReport: false, State: 'waiting' },
    })
    expect((await load('bo', id, {}, 'de')).Entries[0]?.Text).toBe('Rechnung One')
  })

  test('tells no hidden field, record or address, and no body', async () => {
    const client = await desk.save('ana', 'Clients', { Name: 'Canary' })
    const ClientId = Number((client.Keys as { Id: number }).Id)
    const id = await create({ Email: 'out@else.test', Secret: 'Canary', ClientId })
    for (const name of ['Write', 'Warn']) expect((await act(name, { Id: id })).status).toBe(200)
    const mailsOf = async (as: string) => {
      const timeline = await load(as, id)
      const mails = timeline.Entries.filter(({ Kind }) => Kind === 'mail')
      return {
        text: JSON.stringify(timeline),
        mails: mails.map(({ Text, Mail }) => ({ Text, Mail })),
      }
    }
    const ana = await mailsOf('ana')
    expect(ana.mails).toMatchObject([
      { Text: 'It is Canary', Mail: { To: ['Office', 'nora'], HasOthers: false } },
      { Text: 'About One of Canary', Mail: { To: ['out@else.test'], HasOthers: true } },
      {},
    ])
    const bo = await mailsOf('bo')
    expect(bo.mails).toMatchObject([
      { Text: null, Mail: { To: ['Office', 'nora'], HasOthers: false } },
      { Text: null, Mail: { To: [], HasOthers: true } },
      {},
    ])
    expect(bo.text).not.toMatch(/Canary|else\.test/)
    expect(ana.text).not.toMatch(/Canary body|canary@else/)
  })

  test('is told with what has become of it, and of all its parts', async () => {
    const deliverer = openDeliverer(app.context)
    const id = await create({})
    await act('Warn', { Id: id })
    await act('Write', { Id: id })
    const statesOf = async () =>
      (await load('ana', id)).Entries.flatMap(({ Mail }) => (Mail ? [Mail.State] : []))
    expect(await statesOf()).toEqual(['waiting', 'waiting', 'waiting'])
    for (let run = 0; run < 3; run++) await deliverer.run()
    expect(await statesOf()).toEqual(['sent', 'sent', 'sent'])
    const park = "UPDATE svc_outbox SET State = 'parked' WHERE PartOf IS NOT NULL AND Id % 2"
    await app.store.write((tx) => tx.run(park), ALL)
    expect(await statesOf()).toEqual(['sent', 'failed', 'sent'])
    await app.store.write((tx) => tx.run('DELETE FROM svc_outbox'), ALL)
    expect(await statesOf()).toEqual([null, null, null])
  })

  test('is not told of a record without audit, nor of another with its key', async () => {
    const { Keys } = await desk.save('ana', 'Slips', { Name: 'One' })
    expect((await act('Send', Keys ?? {}, { view: 'Slips' })).status).toBe(200)
    expect((await load('ana', 0, { Object: 'Slips', Keys })).Entries).toEqual([])
  })
})
