/** Authored SQL that fails on the values that it meets is a 400 that names what it belongs to. */
import { expect, test } from 'bun:test'
import { type AppOptions, startApp } from '../../support/app.ts'
import { Objects, refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Sheet" Table="sheets">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="Big" Type="Integer"/>
  <Column Name="Twice" Type="Integer"><Compute>SELECT CASE WHEN @Big = 5 THEN abs(-9223372036854775807 - 1) END</Compute></Column>
  <Validate Field="Body" Message="No">SELECT CASE WHEN @Body = 'rule' THEN json(@Body) ELSE 1 END</Validate>
</Entity>
<ObjectView Name="Plain" Entity="Sheet"/>
<ObjectView Name="Sheets" Entity="Sheet">
  <TableQuery>SELECT s.*, json_extract(s.Body, '$.name') AS Named FROM sheets s</TableQuery>
</ObjectView>
<ObjectView Name="Acts" Entity="Sheet">
  <Field Name="Body"><Default DependsOn="Big">SELECT json(coalesce(@Big, 'x'))</Default></Field>
  <Field Name="Big"><DataSet>SELECT Id AS Value, json(Body) AS Label FROM sheets</DataSet></Field>
  <RowAction Name="Break"><Sql>UPDATE sheets SET Body = json(Body) WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Named" When="json(Body) = '{}'"><Sql>UPDATE sheets SET Big = 1 WHERE Id = @Id</Sql></RowAction>
  <On Event="updated" When="Big = 7"><Sql>UPDATE sheets SET Body = json('{') WHERE Id = @Id</Sql></On>
</ObjectView>
<ObjectView Name="Written" Entity="Sheet">
  <Insert>INSERT INTO sheets (Body) VALUES (json(@Body)) RETURNING Id</Insert>
</ObjectView>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

async function start(options: AppOptions = {}) {
  const sheets = new Objects(await startApp({ application: APPLICATION, ...options }))
  await sheets.save('sys', 'Plain', { Body: 'no JSON' })
  return sheets
}

const SENTENCE = (of: string) => `A statement of '${of}' failed on the values that it found`

test('each path names what failed, and tells neither SQL nor values', async () => {
  await using sheets = await start({ settings: { 'Svc:Errors': 'false' } })
  const key = { Id: 1 }
  const options = { FormName: 'Acts', FieldName: 'Big' }
  const calls = [
    ['Sheets', sheets.call('sys', '/Sheets/table', {})],
    ['Sheets', sheets.call('sys', '/Sheets/form', { Parameters: key })],
    ['Acts.Body', sheets.call('sys', '/Acts/form', {})],
    ['Acts.Big', sheets.call('sys', '/field-dataset', options)],
    ['Acts.Big', sheets.call('sys', '/field-dataset', { ...options, SearchText: 'JSON' })],
    ['Acts.Break', sheets.act('sys', 'Acts', 'Break', key)],
    ['Acts', sheets.act('sys', 'Acts', 'Named', key)],
    ['Acts.updated', sheets.submit('sys', 'Acts', { ...key, Big: 7 })],
    ['Written', sheets.submit('sys', 'Written', { Body: '{' })],
    ['Sheet.Twice', sheets.submit('sys', 'Plain', { ...key, Big: 5 })],
    ['Sheet', sheets.submit('sys', 'Plain', { ...key, Body: 'rule' })],
  ] as const
  const told: unknown[] = []
  for (const [, call] of calls) {
    const { error, code } = refusal(await call, 400)
    told.push([error, code])
  }
  expect(told).toEqual(calls.map(([of]) => [SENTENCE(of), 'STATEMENT_FAILED']))
  expect(await sheets.stored('SELECT Body, Big FROM sheets')).toEqual([
    { Body: 'no JSON', Big: null },
  ])
})

test('Svc:Errors adds the words of the database; the log has them either way', async () => {
  await using sheets = await start({ settings: { 'Svc:Errors': 'true' } })
  const { error } = refusal(await sheets.call('sys', '/Sheets/table', {}), 400)
  expect(error).toBe(`${SENTENCE('Sheets')}: malformed JSON`)
  const logged = sheets.app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'a statement of the model failed', reason: 'malformed JSON' },
  ])
})

test('what is the engine’s own, or does not compile any more, stays a 500', async () => {
  await using sheets = await start()
  await sheets.app.store.write((tx) => tx.run('ALTER TABLE sheets RENAME TO others'), {
    company: 'all',
    because: 'a test',
  })
  refusal(await sheets.call('sys', '/Sheets/table', {}), 500)
  refusal(await sheets.call('sys', '/Plain/table', {}), 500)
})
