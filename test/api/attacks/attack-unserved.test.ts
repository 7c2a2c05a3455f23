/** Parts that are not served (`In="None"`) are hidden: no route answers with them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { compileTexts } from '../../support/compile-text.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const entity = `<Entity Name="Card" Table="cards" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Pin" Type="Text" Default="canary-4711"/>
  <Column Name="HolderId" References="Card"/>
  <Column Name="Tag" Type="Text"/>
  <Column Name="Fixed" Type="Text" Default="std"/>
  <Column Name="Number" Type="Text" Sequence="CardNumber"/>
  <Sequence Name="CardNumber" Format="{Field:Name}/{Field:Tag}/{Field:Fixed}/{#}"/>
</Entity>`

const MODEL = `<Model>
${entity}
<ObjectView Name="Cards" Entity="Card" Sort="Name Pin">
  <Section Label="Card"><Field Name="Name" RequiredWhen="Pin eq canary-4711" Searchable="true"/><Field Name="Pin" In="None"/><Field Name="Tag" In="None"/><Field Name="Fixed" ReadOnly="true"/></Section>
  <Permit Capability="Update" When="Pin IS NOT NULL"/>
  <RowAction Name="Check" When="Pin = 'canary-4711'">
    <Parameter Name="Guess"/>
    <Sql>UPDATE cards SET Name = Name WHERE Id = @Id AND Pin IS NOT NULL</Sql>
    <Dispatch Type="showAlert" Message="{Name} {Guess}"/>
  </RowAction>
  <Validate Field="Pin" Operator="ne" Value="0000" Message="Not this one"/>
</ObjectView>
<Rbac><Role Name="Clerk"><Grant Resource="Cards" Verbs="View List Create Update Delete Export Import"/></Role></Rbac>
</Model>`

const CARDS: TestApplication = {
  files: [{ name: 'cards.xml', body: MODEL }],
  ...makePeople('ONE', { clerk: 'Clerk', sys: 'System' }),
}

let all: Objects
let key: Row
beforeAll(async () => {
  all = new Objects(await startApp({ application: CARDS }))
  key = { ...((await all.save('clerk', 'Cards', { Name: 'first' })).Keys as Row) }
})
afterAll(() => all[Symbol.asyncDispose]())

const OBJECT = '/api/v1/svc/object'
const EXPLORER = '/api/v1/svc/object-explorer'

/** Requests of every route that reads or writes the view, each trying for the field. */
const REQUESTS: [name: string, path: string, body?: () => Row][] = [
  ['metadata', `${OBJECT}/Cards/metadata`],
  ['table', `${OBJECT}/Cards/table`, () => ({})],
  ['table of its fields', `${OBJECT}/Cards/table`, () => ({ Fields: ['Pin'] })],
  ['search', `${OBJECT}/Cards/table`, () => ({ SearchText: 'canary' })],
  ['form', `${OBJECT}/Cards/form`, () => ({ Parameters: key })],
  ['new form', `${OBJECT}/Cards/form`, () => ({ Parameters: {} })],
  ['view', `${OBJECT}/Cards/view`, () => ({ Parameters: key })],
  ['options', `${OBJECT}/field-dataset`, () => ({ FormName: 'Cards', FieldName: 'Pin' })],
  [
    'default',
    `${OBJECT}/field-dataset`,
    () => ({ FormName: 'Cards', FieldName: 'Pin', Default: true }),
  ],
  ['lookup', `${OBJECT}/field-dataset`, () => ({ FormName: 'Cards', FieldName: 'HolderId' })],
  [
    'lookup by it',
    `${OBJECT}/field-dataset`,
    () => ({ FormName: 'Cards', FieldName: 'HolderId', SearchText: 'canary-4711' }),
  ],
  ['action', `${OBJECT}/execute-row-action`, () => action({ Guess: 'x' })],
  [
    'submit',
    `${OBJECT}/submit`,
    () => ({ FormName: 'Cards', Parameters: { Name: 'x', Pin: 'y' } }),
  ],
  ['stale submit', `${OBJECT}/submit`, () => ({ FormName: 'Cards', Parameters: stale() })],
  ['explorer', `${EXPLORER}/objects/Cards`],
  ['explorer query', `${EXPLORER}/query`, () => ({ ObjectName: 'Cards', Fields: ['Pin'] })],
  ['explorer groups', `${EXPLORER}/query`, () => ({ ObjectName: 'Cards', GroupBy: ['Pin'] })],
  [
    'explorer aggregates',
    `${EXPLORER}/query`,
    () => ({ ObjectName: 'Cards', Aggregates: [{ Function: 'max', Field: 'Pin' }] }),
  ],
]

const action = (more: Row) => ({
  ObjectName: 'Cards',
  ActionName: 'Check',
  Parameters: { ...key, ...more },
})
const stale = () => ({ ...key, RowVersion: '1', Name: 'x' })

test.each(REQUESTS)('%s tells neither its value nor its name', async (_, path, body) => {
  for (const as of ['clerk', 'sys']) {
    const { text } = await all.app.fetch(path, { as, ...(body && { body: body() }) })
    const { error: _error, Ignored: _ignored, ...rest } = unwrap(text)
    expect([as, JSON.stringify(rest)]).toEqual([as, expect.not.stringMatching(/canary|"Pin"/)])
  }
})

/** An answer without what only repeats the request's own words. */
function unwrap(text: string): Row {
  const envelope = JSON.parse(text) as Row & { data?: Row }
  const inner = envelope.data && !Array.isArray(envelope.data) ? { ...envelope.data } : {}
  const { data: _data, ...outer } = envelope
  return Array.isArray(envelope.data) ? { ...outer, list: envelope.data } : { ...outer, ...inner }
}

test('it is no filter, order or choice, and a write to it is dropped like an unknown', async () => {
  const same = new Set<string>()
  for (const request of [
    { Filters: [{ Field: 'Pin', Operator: 'eq', Value: 'canary-4711' }] },
    { Sort: [{ Field: 'Pin' }] },
    { Fields: ['Pin'] },
  ])
    same.add(refusal(await all.call('sys', '/Cards/table', request), 400).error)
  expect([...same]).toEqual(["Unknown field 'Pin'"])
  const all_ = await all.table('clerk', 'Cards')
  const narrowed = await all.table('clerk', 'Cards', { Parameters: { Pin: 'none' } })
  expect(narrowed.Pagination).toEqual(all_.Pagination)
  const [{ Pin } = {}] = await all.stored('SELECT Pin FROM cards WHERE Id = 1')
  expect(Pin).toBe('canary-4711')
  const saved = data(
    await all.submit('sys', 'Cards', { ...(await stamped()), Name: 'first', Pin: 'mine', None: 1 }),
  )
  expect(saved.Ignored).toEqual(['Pin', 'None'])
  expect(await all.stored('SELECT Pin FROM cards WHERE Id = 1')).toEqual([{ Pin }])
})

const stamped = async () => {
  const { RowVersion } = (await all.form('sys', 'Cards', key)).Values
  return { ...key, RowVersion }
}

test('a number’s preview is made of what the create would take, and no more', async () => {
  const Parameters = { Name: 'n', Tag: 'mine', Fixed: 'mine' }
  for (const Reserve of [false, true]) {
    const asked = { SequenceName: 'CardNumber', Parameters, Reserve }
    const answer = await all.call('clerk', '/sequence-number', asked)
    expect(data(answer)).toMatch(/^n\/\/std\/\d+$/)
  }
  const { Values } = await all.save('clerk', 'Cards', Parameters)
  expect(Values.Number).toMatch(/^n\/\/std\/\d+$/)
})

const faultsOf = async (body: string) => (await compileTexts({ 'cards.xml': body })).faults

const view = (inside: string, attributes = '') =>
  `<Model>${entity}<ObjectView Name="Cards" Entity="Card" ${attributes}>${inside}</ObjectView></Model>`
const act = (effect: string) =>
  `<Field Name="Pin" In="None"/><RowAction Name="A"><Sql>UPDATE cards SET Name = 'x' WHERE Id = @Id</Sql>${effect}</RowAction>`

test.each([
  ['Searchable', view('<Field Name="Pin" In="None" Searchable="true"/>')],
  ['Search', view('<Field Name="Pin" In="None"/><Search Title="Name" Text="Pin"/>')],
  ['the text of an alert', view(act('<Dispatch Type="showAlert" Message="{Pin}"/>'))],
  ['the title of a notice', view(act('<Notify Role="Admin" Title="{Pin}"/>'))],
  [
    'the text of an event',
    view(
      `<Field Name="Pin" In="None"/><On Event="created"><Notify Role="Admin" Title="x" Body="{Pin}"/></On>`,
    ),
  ],
])('%s with it refuses the deploy', async (_, body) => {
  expect((await faultsOf(body)).join()).toContain('is not served')
})

test('to whom something goes may be a field that nobody is served', async () => {
  expect(await faultsOf(view(act('<Mail To="{Pin}" Subject="s" Body="b"/>')))).toEqual([])
})
