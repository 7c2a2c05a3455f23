/** Field rules of several roles: a role shows a field on the rows that it reaches, on no others. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Deal" Table="deals" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="Score" Type="Integer"/>
  <Column Name="Grade" Type="Text" Default="plain"/>
  <Column Name="RefId" References="Deal"/>
</Entity>
<ObjectView Name="Deals" Entity="Deal">
  <Field Name="Name" Searchable="true"/><Field Name="Secret" Searchable="true"/>
  <Preset Name="Rich" Where="Score &gt; 10"/>
  <Preset Name="South" Where="Region = 'south'"/>
  <Permit Capability="Delete" When="Score &gt; 10"/>
  <RowAction Name="Tell" When="Score &gt; 10">
    <Sql>UPDATE deals SET Name = Name WHERE Id = @Id</Sql>
    <Dispatch Type="showAlert" Message="{Name} {Secret}"/>
  </RowAction>
</ObjectView>
<Rbac>
  <Role Name="Chief"><Grant Resource="Deals" Verbs="View List Create Update Delete"/></Role>
  <Role Name="Northerner">
    <Grant Resource="Deals" Verbs="View List Create Update Delete Export"/>
    <RowFilter Resource="Deals">Region = 'north'</RowFilter>
  </Role>
  <Role Name="Watcher">
    <Grant Resource="Deals" Verbs="View List Create Update Delete Export"/>
    <FieldRule Resource="Deals" Field="Secret" Access="Hidden"/>
    <FieldRule Resource="Deals" Field="Score" Access="Hidden"/>
    <FieldRule Resource="Deals" Field="RefId" Access="Hidden"/>
    <FieldRule Resource="Deals" Field="Grade" Access="ReadOnly"/>
  </Role>
</Rbac>
</Model>`

const DEALS: TestApplication = {
  files: [{ name: 'deals.xml', body: MODEL }],
  ...makePeople('ONE', {
    chief: 'Chief',
    both: 'Northerner Watcher',
    watcher: 'Watcher',
    boss: 'Chief Watcher',
  }),
}

let all: Objects
let north: Row
let south: Row
beforeAll(async () => {
  all = new Objects(await startApp({ application: DEALS }))
  const make = async (Name: string, Region: string, Score: number): Promise<Row> => {
    const values = { Name, Region, Score, Secret: `canary of ${Region}` }
    return { ...((await all.save('chief', 'Deals', values)).Keys as Row) }
  }
  north = await make('first', 'north', 20)
  south = await make('second', 'south', 30)
  await all.save('chief', 'Deals', {
    ...south,
    RefId: north.Id,
    RowVersion: (await all.form('chief', 'Deals', south)).Values.RowVersion,
  })
})
afterAll(() => all[Symbol.asyncDispose]())

const where = (Field: string, Operator: string, Value?: unknown) => ({
  Filters: [{ Field, Operator, Value }],
})
const names = async (as: string, request: Row) =>
  (await all.table(as, 'Deals', request)).Rows.map(({ Name }) => Name)

test('cells are empty on the rows that hide them, labels too', async () => {
  const { Rows } = await all.table('both', 'Deals', { Sort: [{ Field: 'Name' }] })
  expect(Rows).toMatchObject([
    { Name: 'first', Secret: 'canary of north', Score: 20 },
    { Name: 'second', Secret: null, Score: null, RefId: null, RefId__Label: null },
  ])
  const boss = await all.table('boss', 'Deals', { Sort: [{ Field: 'Name' }] })
  expect(boss.Rows[1]).toMatchObject({ Secret: 'canary of south', RefId__Label: expect.anything() })
})

test('filters, orders, searches, groups and exports see nothing there either', async () => {
  expect(await names('both', where('Secret', 'contains', 'canary'))).toEqual(['first'])
  expect(await names('both', where('Score', 'gt', 25))).toEqual([])
  expect(await names('both', where('Score', 'isNull'))).toEqual(['second'])
  expect(await names('both', { SearchText: 'canary' })).toEqual(['first'])
  expect(await names('both', { Sort: [{ Field: 'Score', Direction: 'desc' }] })).toEqual([
    ...['first', 'second'],
  ])
  expect(await names('both', { Parameters: { Score: 30 } })).toEqual([])
  const page = await all.table('both', 'Deals', { Sort: [{ Field: 'Score' }], PageSize: 1 })
  expect(Buffer.from(page.Pagination.NextCursor ?? '', 'base64url').toString()).not.toMatch('30')
  const query = async (body: Row) =>
    (
      await all.app.fetch('/api/v1/svc/object-explorer/query', {
        as: 'both',
        body: { ObjectName: 'Deals', ...body },
      })
    ).text
  const sum = [{ Field: 'Score', Function: 'sum', As: 'Sum' }]
  expect(await query({ Aggregates: sum })).toContain('"Sum":20')
  expect(await query({ GroupBy: ['Secret'], Aggregates: sum })).not.toContain('south')
  const made = data(
    await all.call<{ File: { Url: string } }>('both', '/export-data', { ObjectName: 'Deals' }),
  )
  const file = await all.app.fetch(made.File.Url, { as: 'both' })
  expect(file.text).toContain('canary of north')
  expect(file.text).not.toContain('canary of south')
})

test('a preset that names what is hidden on some row is none of the caller’s', async () => {
  expect(await names('chief', { Preset: 'Rich' })).toHaveLength(2)
  for (const as of ['both', 'watcher'])
    refusal(await all.call(as, '/Deals/table', { Preset: 'Rich' }), 400)
  expect(await names('watcher', { Preset: 'South' })).toEqual(['second'])
})

test('what the model judges it judges by the values themselves', async () => {
  const { Rows } = await all.table('both', 'Deals', {})
  expect(Rows.map(({ Permit__Delete, Action__Tell }) => [Permit__Delete, Action__Tell])).toEqual([
    ...[
      [true, true],
      [true, true],
    ],
  ])
  const told = async (key: Row) =>
    data(await all.act('both', 'Deals', 'Tell', key)).Dispatch.map(({ Message }) => Message)
  expect(await told(north)).toEqual(['first canary of north'])
  expect(await told(south)).toEqual(['second '])
})

test('a form says of its row which fields are whose', async () => {
  const fields = async (as: string, key: Row) =>
    (await all.form(as, 'Deals', key)).Permissions.Fields
  const hidden = { Secret: 'Hidden', Score: 'Hidden', RefId: 'Hidden' }
  expect(await fields('both', north)).toEqual({})
  expect(await fields('both', south)).toEqual({ ...hidden, Grade: 'ReadOnly' })
  expect(await fields('watcher', north)).toEqual({ ...hidden, Grade: 'ReadOnly' })
  expect((await all.table('watcher', 'Deals')).Permissions.Fields).toEqual({
    ...hidden,
    Grade: 'ReadOnly',
  })
  expect((await all.table('both', 'Deals')).Permissions.Fields).toEqual({})
  expect(await fields('chief', south)).toEqual({})
})

test('what a row hides or bars is not written there, and is named as dropped', async () => {
  const change = async (key: Row, more: Row) => {
    const { RowVersion } = (await all.form('chief', 'Deals', key)).Values
    const saved = await all.submit('both', 'Deals', { ...key, RowVersion, ...more })
    expect([saved.status, saved.text]).toEqual([200, saved.text])
    const { Secret, Grade } = (await all.form('chief', 'Deals', key)).Values
    return [Secret, Grade, ...saved.body.data.Ignored]
  }
  const given = { Secret: 'written', Grade: 'high' }
  expect(await change(north, given)).toEqual(['written', 'high'])
  expect(await change(south, given)).toEqual(['canary of south', 'plain', 'Secret', 'Grade'])
  // Moved into a region where it could be written: what counts is where the row was.
  expect(await change(south, { ...given, Region: 'north' })).toEqual([
    ...['canary of south', 'plain', 'Secret', 'Grade'],
  ])
})

test('a create drops what its new row bars, and has the default there', async () => {
  const create = async (Region: string) => {
    const values = { Name: 'new', Region, Secret: 's', Grade: 'high' }
    const saved = data(await all.submit('both', 'Deals', values))
    const { Secret, Grade } = (await all.form('chief', 'Deals', saved.Keys as Row)).Values
    return [Secret, Grade, ...saved.Ignored]
  }
  expect(await create('north')).toEqual(['s', 'high'])
  expect(await create('west')).toEqual([null, 'plain', 'Secret', 'Grade'])
})

test('a stale stamp tells of no field that the row hides', async () => {
  const { Keys } = await all.save('chief', 'Deals', { Region: 'east', Secret: 'canary' })
  const key = { ...(Keys as Row) }
  const { RowVersion } = (await all.form('both', 'Deals', key)).Values
  await all.save('chief', 'Deals', { ...key, RowVersion, Secret: 'canary2', Name: 'n' })
  const answer = await all.submit('both', 'Deals', { ...key, RowVersion, Name: 'mine' })
  expect(refusal(answer, 409).conflict?.ChangedFields).toEqual(['Name'])
  expect(answer.text).not.toContain('canary')
})
