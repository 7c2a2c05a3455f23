/** A Text without MaxLength holds 65,536 characters, by whatever path it is written. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MOST = 'x'.repeat(65_536)
const MORE = `${MOST}x`
const HALF = 'x'.repeat(40_000)

const LETTERS: TestApplication = {
  files: [
    {
      name: 'letters.xml',
      body: `<Model>
<Entity Name="Letter" Table="letters" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Body"/><Column Name="Short" MaxLength="3"/><Column Name="Long" MaxLength="70000"/>
  <Column Name="Notes" Type="Json"/>
</Entity>
<ObjectView Name="Letters" Entity="Letter">
  <RowAction Name="Double"><Parameter Name="Text"/>
    <Sql>UPDATE letters SET Body = @Text || @Text WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Copy"><Sql>UPDATE letters SET Short = Long WHERE Id = @Id</Sql></RowAction>
  <RowAction Name="Spread"><Parameter Name="Text"/>
    <Sql>INSERT INTO letters (CompanyId, Body) VALUES (@CurrentCompanyId, @Text || 'yy')</Sql>
  </RowAction>
</ObjectView>
<Rbac><Role Name="Clerk">
  <Grant Resource="Letters" Verbs="View List Create Update Delete Import Export"/></Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { clerk: 'Clerk' }),
}

let app: Imports
beforeAll(async () => {
  app = new Imports(await startApp({ application: LETTERS }))
})
afterAll(() => app[Symbol.asyncDispose]())

const TOO_LONG = 'Body is longer than 65536 characters'

test('a form and an import: up to it, and refused beyond', async () => {
  const { Values } = await app.save('clerk', 'Letters', { Body: MOST, Long: MORE })
  expect([String(Values.Body).length, String(Values.Long).length]).toEqual([65_536, 65_537])
  const beyond = refusal(await app.submit('clerk', 'Letters', { Body: MORE }), 400)
  expect(beyond.fieldErrors).toEqual({ Body: TOO_LONG })
  const file = (text: string) => ({ objectName: 'Letters', file: `Body\n${text}\n` })
  expect(await app.take('clerk', file(MOST))).toMatchObject({ Inserted: 1 })
  const imported = refusal(await app.send('clerk', file(MORE)), 400)
  expect(imported.fieldErrors).toEqual({ 'Rows[2].Body': TOO_LONG })
  const notes = await app.save('clerk', 'Letters', { Notes: [MORE] })
  expect(notes.Values.Notes).toEqual([MORE])
})

test('authored SQL, by its parameters and by what it writes', async () => {
  const { Keys } = await app.save('clerk', 'Letters', { Body: 'old', Long: 'four', Short: 'abc' })
  const key = Keys as Row
  const parameter = await app.act('clerk', 'Letters', 'Double', { ...key, Text: MORE })
  expect(refusal(parameter, 400).fieldErrors).toEqual({
    Text: 'Text is longer than 65536 characters',
  })
  const written = await app.act('clerk', 'Letters', 'Double', { ...key, Text: HALF })
  expect(refusal(written, 400).fieldErrors).toEqual({ Body: TOO_LONG })
  const copied = await app.act('clerk', 'Letters', 'Copy', key)
  expect(refusal(copied, 400).fieldErrors).toEqual({ Short: 'Short is longer than 3 characters' })
  const spread = await app.act('clerk', 'Letters', 'Spread', { ...key, Text: MOST })
  expect(refusal(spread, 400).error).toContain('65536')
  expect((await app.form('clerk', 'Letters', key)).Values).toMatchObject({
    Body: 'old',
    Short: 'abc',
  })
})

test('what is stored and longer is read, and stays while others change', async () => {
  const { Keys } = await app.save('clerk', 'Letters', { Short: 'abc' })
  const { Id } = Keys as { Id: number }
  await app.app.store.write(
    (tx) => tx.silently(() => tx.run(`UPDATE letters SET Body = '${MORE}' WHERE Id = ${Id}`)),
    { company: 'all', because: 'a test' },
  )
  const saved = await app.save('clerk', 'Letters', { Id, Short: 'd' })
  expect(saved.Values).toMatchObject({ Body: MORE, Short: 'd' })
  expect(data(await app.act('clerk', 'Letters', 'Copy', { Id }))).toBeDefined()
})

test('metadata tells it', async () => {
  const { Fields } = data(await app.call<{ Fields: Row[] }>('clerk', '/Letters/metadata'))
  const told = Fields.map(({ Name, MaxLength }) => [Name, MaxLength])
  expect(Object.fromEntries(told)).toMatchObject({
    Body: 65_536,
    Short: 3,
    Long: 70_000,
    Notes: null,
  })
})
