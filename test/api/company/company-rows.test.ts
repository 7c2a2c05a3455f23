/** Rows of a new company: the model's reference rows and its own sequences. */
import { expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { Objects, type Refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Currency" Table="currencies" Display="Code">
  <Column Name="Code" Key="true"/>
</Entity>
<Rows Entity="Currency" Key="Code"><Row Code="EUR"/><Row Code="CHF"/></Rows>
<Entity Name="Shelf" Table="shelves" Display="Code" Company="CompanyId" Audit="Enabled"
    Tracking="true" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Required="true" Unique="true"/>
  <Column Name="CurrencyCode" References="Currency"/>
  <Column Name="Label"><Compute>SELECT 'Shelf ' || @Code || ' of ' || @CurrentCompanyId</Compute></Column>
  <Column Name="Since" Type="Date" Default="@Today"/>
  <On Event="created"><Sql>INSERT INTO tickets (CompanyId, Note) VALUES (@CompanyId, @Code)</Sql></On>
</Entity>
<Rows Entity="Shelf" Key="Code"><Row Code="A" CurrencyCode="EUR"/><Row Code="B"/></Rows>
<Entity Name="Seed" Table="seeds" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name"/>
</Entity>
<Rows Entity="Seed" Key="Name" Once="true"><Row Name="oak"/></Rows>
<Entity Name="Note" Table="notes" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text"/>
</Entity>
<Rows Entity="Note" Key="Id"><Row Id="1" CompanyId="1" Text="the first company's own"/></Rows>
<Entity Name="Ticket" Table="tickets" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Sequence="TicketNumber"/>
  <Column Name="Note"/>
  <Sequence Name="TicketNumber" Format="{Company}-{yyyy}-{##}" Reset="Yearly" PerCompany="true"/>
</Entity>
<ObjectView Name="Currencies" Entity="Currency"/>
<ObjectView Name="Shelves" Entity="Shelf" Sort="Code"/>
<ObjectView Name="Seeds" Entity="Seed"/>
<ObjectView Name="Notes" Entity="Note"/>
<ObjectView Name="Tickets" Entity="Ticket"/>
<ObjectView Name="Firms"><TableQuery>SELECT Code, Name, TimeZone, @Today AS Today FROM svc_companies</TableQuery></ObjectView>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

const NOW = new Date('2026-01-01T04:00:00Z')

interface Reply extends Refusal {
  data: Row
}

const create = (app: TestApp) =>
  app.fetch<Reply>('/api/v1/svc/company', {
    as: 'sys',
    body: { Code: 'WEST', Name: 'West', TimeZone: 'America/New_York' },
  })

const start = () => startApp({ application: APPLICATION, clock: { now: () => NOW } })

/** The object API in the new company. */
async function switchTo(app: TestApp, CompanyId: unknown) {
  const switched = await app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/svc/company/switch',
    { as: 'sys', body: { CompanyId } },
  )
  const headers = { Authorization: `Bearer ${switched.body.data.AccessToken}` }
  return <T = { data: Row }>(path: string, body: unknown) =>
    app.fetch<T>(`/api/v1/svc/object${path}`, { body, headers })
}

test('a new company has its reference rows at once, as a deploy would write them', async () => {
  await using app = await start()
  const { body } = await create(app)
  const call = await switchTo(app, body.data['Id'])
  const rows = async (name: string) =>
    (await call<{ data: { Rows: Row[] } }>(`/${name}/table`, {})).body.data.Rows
  expect(await rows('Shelves')).toMatchObject([
    { Code: 'A', CurrencyCode: 'EUR', Label: 'Shelf A of 2', Since: '2025-12-31' },
    { Code: 'B', CurrencyCode: null, Label: 'Shelf B of 2', CreatedAt: NOW.toISOString() },
  ])
  expect(await rows('Seeds')).toMatchObject([{ Name: 'oak' }])
  expect(await rows('Notes')).toEqual([])
  // As at a deploy, they raise no events.
  expect(await rows('Tickets')).toEqual([])
  const stored = await app.store.all({
    sql: `SELECT CompanyId, count(*) AS N, max(RowVersion) AS V FROM shelves GROUP BY CompanyId`,
    args: {},
    runs: 'lane',
  })
  expect(stored).toEqual([
    { CompanyId: 1, N: 2, V: 1 },
    { CompanyId: 2, N: 2, V: 1 },
  ])
  // The next deploy finds them.
  const { store, models, clock } = app.context
  const again = await deployModel(store, models, APPLICATION.files, {}, clock)
  expect([again.isDone, again.recordsWritten]).toEqual([true, 0])
  const audit = await app.store.all({
    sql: `SELECT UserId, CompanyId, Source, Entity, Action FROM svc_audit
      WHERE Source = 'company/create' ORDER BY Id`,
    args: {},
    runs: 'lane',
  })
  const made = { UserId: 1, Source: 'company/create' }
  expect(audit).toEqual([
    { ...made, CompanyId: 1, Entity: 'svc_companies', Action: 'create' },
    { ...made, CompanyId: 2, Entity: 'Shelf', Action: 'insert' },
    { ...made, CompanyId: 2, Entity: 'Shelf', Action: 'insert' },
  ])
})

test('its sequences begin at one, with its code and in its zone', async () => {
  await using app = await start()
  const own = new Objects(app)
  expect((await own.save('sys', 'Tickets', {})).Values['Number']).toBe('ONE-2026-01')
  const { body } = await create(app)
  const call = await switchTo(app, body.data['Id'])
  const numbers = []
  for (let at = 0; at < 2; at++) {
    const saved = await call<{ data: { Values: Row } }>('/submit', {
      FormName: 'Tickets',
      Parameters: {},
    })
    numbers.push(saved.body.data.Values['Number'])
  }
  expect(numbers).toEqual(['WEST-2025-01', 'WEST-2025-02'])
})

test('rows that the stored records do not let in leave no company behind', async () => {
  await using app = await start()
  await app.store.write((tx) => tx.run(`UPDATE shelves SET CurrencyCode = NULL`), {
    company: 'all',
    because: 'a test',
  })
  await new Objects(app).remove('sys', 'Currencies', { Code: 'EUR' })
  const { status, body } = await create(app)
  expect([status, body.error]).toEqual([
    409,
    'The reference rows in model.xml, line 16, do not fit the new company',
  ])
  const left = await app.store.all({
    sql: 'SELECT Code FROM svc_companies',
    args: {},
    runs: 'lane',
  })
  expect(left).toEqual([{ Code: 'ONE' }])
})

test('what views say of the company is what it is now', async () => {
  await using app = await start()
  const rows = async () => (await new Objects(app).table('sys', 'Firms')).Rows
  const first = { Code: 'ONE', Name: 'ONE', TimeZone: 'UTC', Today: '2026-01-01' }
  expect(await rows()).toEqual([first])
  expect(await rows()).toEqual([first])
  await app.fetch('/api/v1/svc/company/1', {
    as: 'sys',
    method: 'PUT',
    body: { Name: 'First', TimeZone: 'America/New_York' },
  })
  const then = { Name: 'First', TimeZone: 'America/New_York', Today: '2025-12-31' }
  expect(await rows()).toEqual([{ Code: 'ONE', ...then }])
})
