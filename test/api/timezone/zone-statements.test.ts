/** The caller's zone as rows in each kind of authored statement. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { Imports } from '../../support/imports.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** The local day of an instant as a scalar, whatever the instant is called. */
const dayOf = (instant: string): string =>
  `(SELECT date(${instant}, z.Shift) FROM svc_zone z WHERE ${instant} &gt;= z.FromAt AND ${instant} &lt; z.ToAt)`

const MODEL = `<Model>
<Entity Name="Visit" Table="visits" Company="CompanyId" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Required="true"/>
  <Column Name="At" Type="DateTime" Required="true"/>
  <Column Name="Kept"><Compute>SELECT ${dayOf('@At')}</Compute></Column>
  <Column Name="Given"><Default>SELECT ${dayOf('@Now')}</Default></Column>
  <Column Name="Told"/>
  <Column Name="Of"><DataSet>SELECT ${dayOf('@Now')} AS Value, 'today' AS Label</DataSet></Column>
  <Column Name="Peer" References="Visit"/>
  <Validate Field="At" Message="Not on the 13th">SELECT ${dayOf('@At')} NOT LIKE '%-13'</Validate>
</Entity>
<ObjectView Name="Visits" Entity="Visit" Sort="Id">
  <Field Name="Peer"><Lookup View="Visits" Where="${dayOf('At')} = '2026-03-02'"/></Field>
  <FormQuery>SELECT v.Id, v.Name, v.At, ${dayOf('v.At')} AS Told FROM visits v WHERE v.Id = @Id</FormQuery>
  <Preset Name="Second" Where="${dayOf('At')} = '2026-03-02'"/>
  <Permit Capability="Delete" When="${dayOf('At')} = '2026-03-02'"/>
  <Validate Field="At" Message="Not on the 14th">SELECT ${dayOf('@At')} NOT LIKE '%-14'</Validate>
  <RowAction Name="Tell" Label="Tell" For="Row"><Sql>UPDATE visits SET Told = ${dayOf('At')} WHERE Id = @Id AND EXISTS
    (SELECT 1 FROM svc_zone z WHERE visits.At &gt;= z.FromAt AND visits.At &lt; z.ToAt)</Sql></RowAction>
  <On Event="created" When="${dayOf('At')} = '2026-03-02'"><Sql>UPDATE visits SET Told = 'second' WHERE Id = @Id</Sql></On>
</ObjectView>
<ObjectView Name="Seconds" Entity="Visit"/>
<ObjectView Name="Enter" ViewType="Wizard" Entity="Visit">
  <Step Name="One"><Field Name="At" Type="DateTime" Required="true"/></Step>
  <Step Name="Two" When="${dayOf('@At')} = '2026-03-02'"><Field Name="Name" Type="Text" Required="true"/></Step>
  <Finish><Sql>INSERT INTO visits (CompanyId, Name, At) VALUES (@CurrentCompanyId, ${dayOf('@At')}, @At)</Sql></Finish>
</ObjectView>
<Report Name="Days"><Filters><Filter Name="On" Type="Text"><Default>SELECT ${dayOf('@Now')}</Default></Filter></Filters>
  <DataSets><DataSet Name="One" Mode="Single"><Sql>SELECT @On AS Today, ${dayOf('@Now')} AS Same</Sql></DataSet></DataSets>
  <Widgets><Widget Name="One" Kind="Table" DataSet="One"/></Widgets></Report>
<StoredProcedure Name="Mark" Mode="Write">
  <Sql Result="Rows">UPDATE visits SET Told = date(visits.At, z.Shift) FROM svc_zone z WHERE visits.At &gt;= z.FromAt AND visits.At &lt; z.ToAt AND visits.Name = 'b' RETURNING Told</Sql>
  <Sql>INSERT INTO visits (CompanyId, Name, At, Given) SELECT v.CompanyId, 'copy', v.At, strftime('%H', v.At, z.Shift)
    FROM visits v JOIN svc_zone z ON v.At &gt;= z.FromAt AND v.At &lt; z.ToAt WHERE v.Name = 'b'</Sql></StoredProcedure>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Visits" Verbs="View List Create Update Delete Import"/><Grant Resource="Enter" Verbs="Create"/>
    <Grant Resource="Days" Verbs="View List"/><Grant Resource="Mark" Capabilities="Execute"/><Grant Resource="Zone" Capabilities="Execute"/>
    <Grant Resource="Seconds" Verbs="View List"/><RowFilter Resource="Seconds">${dayOf('At')} = '2026-03-02'</RowFilter></Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { ana: 'Clerk' }),
}

const SCRIPT = `export default (engine: Engine) => {
  engine.script({ Name: 'Zone', run: ({ query }) =>
    query('SELECT v.Name, date(v.At, z.Shift) AS Day FROM visits v JOIN svc_zone z ON v.At >= z.FromAt AND v.At < z.ToAt ORDER BY v.Id LIMIT 2') })
}`

/** An evening in Berlin; the next morning in Auckland. */
const EVENING = '2026-03-01T20:30:00.000Z'
const NOON = '2026-03-01T08:30:00.000Z'

let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION, clock: { now: () => new Date(EVENING) } })
  writeExtensions(app.folder, { 'zone.ts': SCRIPT })
})
afterAll(() => app[Symbol.asyncDispose]())

async function ask<T>(zone: string, path: string, body?: Record<string, unknown>): Promise<T> {
  const headers = { 'X-TimeZone': zone }
  const answer = await app.fetch<{ data: T }>(`/api/v1/svc/${path}`, {
    as: 'ana',
    headers,
    ...(body && { body }),
  })
  expect({ path, status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
    path,
    status: 200,
    text: '',
  })
  return answer.body.data
}

const [BERLIN, AUCKLAND] = ['Europe/Berlin', 'Pacific/Auckland']
const create = (zone: string, Name: string, At: string) =>
  ask<{ Values: Row; Keys: Row }>(zone, 'object/submit', {
    FormName: 'Visits',
    Parameters: { Name, At },
  })
const rows = async (zone: string, name: string, more = {}) =>
  (await ask<{ Rows: Row[] }>(zone, `object/${name}/table`, more)).Rows

test('records are computed, defaulted, validated and followed by events', async () => {
  const there = await create(AUCKLAND, 'a', EVENING)
  const here = await create(BERLIN, 'b', EVENING)
  expect([there.Values, here.Values]).toMatchObject([
    { Kept: '2026-03-02', Given: '2026-03-02' },
    { Kept: '2026-03-01', Given: '2026-03-01' },
  ])
  expect((await rows(BERLIN, 'Visits')).map(({ Told }) => Told)).toEqual(['second', null])
  for (const [zone, at, message] of [
    [BERLIN, '2026-03-13T20:30:00.000Z', 'Not on the 13th'],
    [AUCKLAND, '2026-03-12T20:30:00.000Z', 'Not on the 13th'],
    [AUCKLAND, '2026-03-13T20:30:00.000Z', 'Not on the 14th'],
  ] as const) {
    const refused = await app.fetch<{ fieldErrors: Row }>('/api/v1/svc/object/submit', {
      as: 'ana',
      headers: { 'X-TimeZone': zone },
      body: { FormName: 'Visits', Parameters: { Name: 'x', At: at } },
    })
    expect(refused.body.fieldErrors).toEqual({ At: message })
  }
})

test('rows are filtered, permitted, looked up and shown', async () => {
  for (const [zone, day, found] of [
    [BERLIN, '2026-03-01', 0],
    [AUCKLAND, '2026-03-02', 2],
  ] as const) {
    expect(await rows(zone, 'Visits', { Preset: 'Second' })).toHaveLength(found)
    expect(await rows(zone, 'Seconds')).toHaveLength(found)
    const [row] = await rows(zone, 'Visits')
    expect(row?.['Permit__Delete']).toBe(found > 0)
    const form = await ask<{ Values: Row }>(zone, 'object/Visits/form', { Parameters: { Id: 1 } })
    expect(form.Values['Told']).toBe(day)
    const options = (FieldName: string) =>
      ask<Row[]>(zone, 'object/field-dataset', { FormName: 'Visits', FieldName, Parameters: {} })
    expect(await options('Of')).toMatchObject([{ Value: day }])
    expect(await options('Peer')).toHaveLength(found)
  }
})

test('actions, procedures, reports and extensions take it', async () => {
  for (const [zone, day, hour] of [
    [BERLIN, '2026-03-01', '21'],
    [AUCKLAND, '2026-03-02', '09'],
  ] as const) {
    await ask(zone, 'object/execute-row-action', {
      ObjectName: 'Visits',
      ActionName: 'Tell',
      Parameters: { Id: 1 },
    })
    expect((await rows(zone, 'Visits'))[0]?.['Told']).toBe(day)
    const marked = await ask<{ ResultSets: Record<string, { Rows: Row[] }> }>(zone, 'rpc/Mark', {})
    expect(marked.ResultSets['Rows']?.Rows).toEqual([{ Told: day }])
    expect((await rows(zone, 'Visits')).at(-1)).toMatchObject({ Name: 'copy', Given: hour })
    const data = await ask<{ DataSets: Record<string, { Rows: Row[] }> }>(
      zone,
      'reports/Days/data',
      {},
    )
    expect(data.DataSets['One']?.Rows).toEqual([{ Today: day, Same: day }])
    const { Result } = await ask<{ Result: Row[] }>(zone, 'execute-script', { Name: 'Zone' })
    expect(Result).toEqual([
      { Name: 'a', Day: day },
      { Name: 'b', Day: day },
    ])
  }
})

test('an import is judged by it, row by row and all at once', async () => {
  for (const [zone, refused] of [
    [BERLIN, 0],
    [AUCKLAND, 1],
  ] as const) {
    const answer = await new Imports(app).send('ana', {
      objectName: 'Visits',
      fields: { dryRun: 'true', onError: 'skip' },
      headers: { 'X-TimeZone': zone },
      fileName: 'visits.csv',
      file: ['Name,At', `i,${NOON}`, 'j,2026-03-12T20:30:00.000Z'].join('\n'),
    })
    expect([answer.status, answer.body.data.Import.Failed]).toEqual([200, refused])
  }
})

test('a wizard steps and ends by it', async () => {
  interface Run {
    RunId: string
    Step: string
  }
  const run = async (zone: string, more: readonly Row[]) => {
    const { RunId } = await ask<Run>(zone, 'wizard/enter/start', {})
    const steps: string[] = []
    const given = [{ At: EVENING }, ...more]
    for (const Values of given.slice(0, -1))
      steps.push((await ask<Run>(zone, `wizard/runs/${RunId}/next`, { Values })).Step)
    await ask(zone, `wizard/runs/${RunId}/finish`, { Values: given.at(-1) })
    return [...steps, (await rows(zone, 'Visits')).at(-1)?.['Name']]
  }
  expect(await run(BERLIN, [])).toEqual(['2026-03-01'])
  expect(await run(AUCKLAND, [{ Name: 'x' }])).toEqual(['Two', '2026-03-02'])
})
