/** Authored SQL that fails on the values that it meets is a 400 by every other path, too. */
import { expect, test } from 'bun:test'
import { executeDeploy } from '../../../src/model/deploy/deploy.ts'
import { prepareDeploy } from '../../../src/model/deploy/prepare.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { startExtended } from '../../support/extensions.ts'
import { data, Objects, refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const ENTITY = `<Entity Name="Sheet" Table="sheets" Display="Body">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="Big" Type="Integer"/>
  <Column Name="Twice" Type="Integer"><Compute>SELECT CASE WHEN @Big = 5 THEN abs(-9223372036854775807 - 1) END</Compute></Column>
  <Validate Field="Body" Message="No">SELECT CASE WHEN @Body = 'rule' THEN json(@Body) ELSE 1 END</Validate>
</Entity>`

const MODEL = `<Model>
${ENTITY}
<ObjectView Name="Plain" Entity="Sheet">
  <Preset Name="Broken" Where="json(Body) = '{}'"/>
</ObjectView>
<ObjectView Name="Barred" Entity="Sheet" Resource="Barred"/>
<ObjectView Name="Sheets" Entity="Sheet">
  <TableQuery>SELECT s.*, json_extract(s.Body, '$.name') AS Named FROM sheets s</TableQuery>
</ObjectView>
<StoredProcedure Name="Told"><Sql>SELECT json(Body) AS Told FROM sheets</Sql></StoredProcedure>
<StoredProcedure Name="Put" Mode="Write"><Sql>UPDATE sheets SET Body = json(Body)</Sql></StoredProcedure>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Barred" Verbs="View List Update Delete Export"/>
    <RowFilter Resource="Barred">json(Body) = '{}'</RowFilter>
  </Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'sheets.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System', clerk: 'Clerk@ONE' }),
}

async function start() {
  const settings = { 'Svc:Errors': 'false' }
  const sheets = new Objects(await startApp({ application: APPLICATION, settings }))
  await sheets.save('sys', 'Plain', { Body: 'no JSON' })
  return sheets
}

async function importSheet(app: TestApp, objectName: string, csv: string) {
  const body = new FormData()
  body.set('objectName', objectName)
  body.set('file', new File([csv], 'sheets.csv', { type: 'text/csv' }))
  const response = await app.handle(
    new Request('http://localhost/api/v1/svc/object/import-data', {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${app.tokens.sys}`, 'Accept-Language': 'de' },
    }),
  )
  return { status: response.status, text: await response.text() }
}

test('views, exports, searches, presets, filters, procedures and imports tell it', async () => {
  await using sheets = await start()
  const key = { Id: 1 }
  const post = (as: string, path: string, body: object) =>
    sheets.app.fetch<{ code: string }>(path, { as, body, headers: { 'Accept-Language': 'de' } })
  const object = '/api/v1/svc/object'
  const query = '/api/v1/svc/object-explorer/query'
  const export_ = `${object}/export-data`
  const calls: [string, Promise<{ status: number; text: string }>][] = [
    ['view', post('sys', `${object}/Sheets/view`, { Parameters: key })],
    ['export', post('sys', export_, { ObjectName: 'Sheets', Format: 'csv' })],
    ['explorer', post('sys', query, { ObjectName: 'Sheets', Fields: ['Named'] })],
    [
      'explorer groups',
      post('sys', query, {
        ObjectName: 'Sheets',
        GroupBy: ['Named'],
        Aggregates: [{ Function: 'count' }],
      }),
    ],
    ['search', post('sys', `${object}/Sheets/table`, { SearchText: 'JSON' })],
    ['preset', post('sys', `${object}/Plain/table`, { Preset: 'Broken' })],
    ['row filter', post('clerk', `${object}/Barred/table`, {})],
    ['row filter of a form', post('clerk', `${object}/Barred/form`, { Parameters: key })],
    ['row filter of a search', post('clerk', `${object}/Barred/table`, { SearchText: 'JSON' })],
    ['row filter of an export', post('clerk', export_, { ObjectName: 'Barred', Format: 'csv' })],
    [
      'row filter of a write',
      post('clerk', `${object}/submit`, { FormName: 'Barred', Parameters: { ...key, Big: 1 } }),
    ],
    [
      'row filter of a delete',
      post('clerk', `${object}/delete-row`, { ObjectName: 'Barred', Parameters: key }),
    ],
    ['procedure that reads', post('sys', '/api/v1/svc/rpc/Told', { Parameters: {} })],
    ['procedure that writes', post('sys', '/api/v1/svc/rpc/Put', { Parameters: {} })],
    ['rule of an import', importSheet(sheets.app, 'Plain', 'Body\nrule\n')],
    ['compute of an import', importSheet(sheets.app, 'Plain', 'Big\n5\n')],
  ]
  const told: unknown[] = []
  for (const [what, call] of calls) {
    const { status, text } = await call
    const { code } = JSON.parse(text) as { code: string }
    expect(text).not.toMatch(/malformed|overflow|sqlite|json\(/i)
    told.push([what, status, code])
  }
  expect(told).toEqual(calls.map(([what]) => [what, 400, 'STATEMENT_FAILED']))
  expect(await sheets.stored('SELECT Body, Big FROM sheets')).toEqual([
    { Body: 'no JSON', Big: null },
  ])
})

const LISTS: TestApplication = {
  files: [
    {
      name: 'lists.xml',
      body: `<Model>
<Entity Name="Sheet" Table="sheets" Display="Body">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="Kind" Type="Text" Default="x"/>
  <Column Name="Number" Type="Text" Sequence="No"/>
  <Sequence Name="No" Format="{Field:Kind}-{##}"/>
</Entity>
<Entity Name="Tag" Table="tags" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="SheetTag" Table="sheet_tags">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="SheetId" References="Sheet" Required="true"/>
  <Column Name="TagId" References="Tag" Required="true"/>
</Entity>
<ObjectView Name="Plain" Entity="Sheet">
  <Field Name="Tags" Through="SheetTag"><Lookup View="AllTags"/></Field>
  <RowAction Name="Draw"><Sql>UPDATE sheets SET Body = json(@Next_No) WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="AllTags" Entity="Tag"/>
<ObjectView Name="ToldTags" Entity="Tag">
  <TableQuery>SELECT t.*, json(t.Name) AS Told FROM tags t</TableQuery>
</ObjectView>
<ObjectView Name="Told" Entity="Sheet">
  <Field Name="Tags" Through="SheetTag" In="Grid Form View Export"><Lookup View="ToldTags" Label="Told"/></Field>
</ObjectView>
<ObjectView Name="Narrow" Entity="Sheet">
  <Field Name="Tags" Through="SheetTag" In="Form Export"><Lookup View="AllTags" Where="json(Name) = '{}'"/></Field>
</ObjectView>
<ObjectView Name="Numbered" Entity="Sheet">
  <Field Name="Kind"><Default>SELECT json(Name) FROM tags</Default></Field>
</ObjectView>
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

test('lists of keys and numbers of sequences tell it', async () => {
  const settings = { 'Svc:Errors': 'false' }
  await using sheets = new Objects(await startApp({ application: LISTS, settings }))
  await sheets.save('sys', 'AllTags', { Name: 'no JSON' })
  await sheets.save('sys', 'Plain', { Body: 'first', Tags: [1] })
  const key = { Id: 1 }
  const options = { FieldName: 'Tags', FormName: 'Told' }
  const post = (path: string, body: object) =>
    sheets.app.fetch<{ code: string }>(`/api/v1/svc/object${path}`, { as: 'sys', body })
  const calls: [string, Promise<{ status: number; text: string }>][] = [
    ['table', post('/Told/table', {})],
    ['form', post('/Told/form', { Parameters: key })],
    ['view', post('/Told/view', { Parameters: key })],
    ['export', post('/export-data', { ObjectName: 'Told', Format: 'csv' })],
    ['options', post('/field-dataset', options)],
    ['a search of options', post('/field-dataset', { ...options, SearchText: 'no' })],
    ['options by a Where', post('/field-dataset', { ...options, FormName: 'Narrow' })],
    ['submit', post('/submit', { FormName: 'Narrow', Parameters: { Tags: [1] } })],
    ['import by a Where', importSheet(sheets.app, 'Narrow', 'Body,Tags\na,[1]\n')],
    [
      'a number drawn by a statement',
      post('/execute-row-action', { ObjectName: 'Plain', ActionName: 'Draw', Parameters: key }),
    ],
    [
      'a number of a default',
      post('/submit', { FormName: 'Numbered', Parameters: { Body: 'second' } }),
    ],
  ]
  const told: unknown[] = []
  for (const [what, call] of calls) {
    const { status, text } = await call
    const { code } = JSON.parse(text) as { code: string }
    expect(text).not.toMatch(/malformed|sqlite|json\(/i)
    told.push([what, status, code])
  }
  expect(told).toEqual(calls.map(([what]) => [what, 400, 'STATEMENT_FAILED']))
  const { Values } = await sheets.save('sys', 'Plain', { Body: 'second' })
  expect(Values).toMatchObject({ Number: 'x-02' })
})

test('a query tells it to its script, and to the caller where that lets it pass', async () => {
  const script = `
export default (engine: Engine) => {
  const sql = 'SELECT json(Title) AS T FROM notes'
  engine.script({ Name: 'Pass', Resource: 'Reports', run: ({ query }) => query(sql) })
  engine.script({ Name: 'Catch', Resource: 'Reports', run: ({ query }) =>
    query(sql).catch((error) => [error.Code, error.message]) })
}`
  const settings = { 'Svc:Errors': 'false' }
  await using world = await startExtended({ 'scripts.ts': script }, settings)
  await world.save('run', 'Notes', { Title: 'no JSON' })
  const { code, error } = refusal(await world.execute('run', 'Pass'), 400)
  expect([code, error]).toEqual([
    'STATEMENT_FAILED',
    "A statement of 'Pass' failed on the values that it found",
  ])
  expect(data(await world.execute('run', 'Catch')).Result).toEqual([
    'STATEMENT_FAILED',
    "A statement of 'Catch' failed on the values that it found",
  ])
})

test('a Fill and a Migration that fail on rows are faults at their file', async () => {
  await using sheets = await start()
  const { context } = sheets.app
  const fill = ENTITY.replace(
    '<Column Name="Big"',
    '<Column Name="New" Required="true"><Fill>SELECT json(@Body)</Fill></Column>' +
      '<Column Name="Big"',
  )
  const migration = `${ENTITY}<Migration Name="M"><Sql>UPDATE sheets SET Body = json(Body)</Sql></Migration>`
  for (const changed of [fill, migration]) {
    const files = [{ name: 'sheets.xml', body: MODEL.replace(ENTITY, changed) }]
    const preparation = await prepareDeploy(context.store, files, {})
    expect(preparation.plan.faults).toEqual([])
    const { isDone, plan } = await executeDeploy(context, preparation, {})
    expect({ isDone, files: plan.faults.map(({ place }) => place.file) }).toEqual({
      isDone: false,
      files: ['sheets.xml'],
    })
  }
  refusal(await sheets.call('sys', '/Sheets/table', {}), 400)
})
