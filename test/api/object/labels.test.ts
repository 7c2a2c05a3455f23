/** Labels of references: in every answer that has the row, and nowhere that hides the field. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { type Lookups, startLookups } from '../../support/lookups.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

let all: Lookups
beforeAll(async () => {
  all = await startLookups()
  await all.save('keeper', 'Items', { Title: 'Atlas', MakerId: 3, ShelfCode: 'B', CuratorId: 2 })
  await all.save('keeper', 'Items', { Title: 'Map', MakerId: 1, PartOfId: 1 })
  await all.save('keeper', 'Items', { Title: 'Legend' })
})
afterAll(() => all[Symbol.asyncDispose]())

const pick = (row: Row | undefined, ...names: string[]) => names.map((name) => row?.[name])

test('rows carry the Display of what they refer to behind each reference', async () => {
  const { Rows } = await all.table('keeper', 'Items')
  const atlas = Rows.find((row) => row.Title === 'Atlas')
  expect(pick(atlas, 'MakerId__Label', 'ShelfCode__Label', 'OwnerId__Label')).toEqual([
    'S1 Cedar',
    'Basement',
    'keeper',
  ])
  expect(atlas).toMatchObject({ CuratorId__Label: 'Birch', PartOfId__Label: null })
  const names = Object.keys(atlas ?? {})
  expect(names.indexOf('MakerId__Label')).toBe(names.indexOf('MakerId') + 1)
})

test('a Display that is a reference itself is shown by its label', async () => {
  const { Rows } = await all.table('keeper', 'Items')
  expect(Rows.find((row) => row.Title === 'Map')?.PartOfId__Label).toBe('Atlas S1 Cedar')
  expect(Rows.find((row) => row.Title === 'Legend')).toMatchObject({
    MakerId: null,
    MakerId__Label: null,
  })
})

test('a grid and a form call a record the same', async () => {
  for (const view of ['Items', 'ItemsByMaker', 'TaggedItems']) {
    const { Rows } = await all.table('keeper', view)
    for (const row of Rows) {
      const { Values } = await all.form('keeper', view, { Id: row.Id })
      const labels = Object.keys(row).filter((name) => name.endsWith('__Label') && name in Values)
      expect(labels.length).toBeGreaterThan(0)
      expect(pick(row, ...labels)).toEqual(pick(Values, ...labels))
    }
  }
})

test('a text in a label finds the rows that show it, as do its start and its end', async () => {
  const { Rows } = await all.table('keeper', 'Items')
  const texts = ['a', 'S1', 'cedar', 'AS S1', '1 al', 'keep', 'base', 'r', 'none', 'Nr']
  for (const Field of ['MakerId', 'ShelfCode', 'OwnerId', 'PartOfId', 'CuratorId'])
    for (const Value of texts)
      for (const Operator of ['contains', 'startsWith', 'endsWith'] as const) {
        const Filters = [{ Field: `${Field}__Label`, Operator, Value }]
        const found = await all.table('keeper', 'Items', { Filters })
        const wanted = Rows.filter((row) => {
          const label = row[`${Field}__Label`]
          return typeof label === 'string' && holds(label.toLowerCase(), Operator, Value)
        })
        expect([Filters, found.Rows]).toEqual([Filters, wanted])
        expect(found.Pagination.TotalRows).toBe(wanted.length)
      }
})

const holds = (
  label: string,
  operator: 'contains' | 'startsWith' | 'endsWith',
  text: string,
): boolean => {
  const wanted = text.toLowerCase()
  if (operator === 'contains') return label.includes(wanted)
  return operator === 'startsWith' ? label.startsWith(wanted) : label.endsWith(wanted)
}

test('forms, views, submits, conflicts and new records have them too', async () => {
  const form = await all.form('keeper', 'Items', { Id: 1 })
  expect(form.Values.MakerId__Label).toBe('S1 Cedar')
  const view = data(await all.call<Row>('keeper', '/Items/view', { Parameters: { Id: 1 } }))
  expect(view.Values).toMatchObject({ MakerId__Label: 'S1 Cedar' })
  const saved = await all.save('keeper', 'Items', {
    Id: 1,
    ShelfCode: 'A',
    RowVersion: form.Values.RowVersion,
  })
  expect(saved.Values.ShelfCode__Label).toBe('Attic')
  const stale = await all.submit('keeper', 'Items', { Id: 1, RowVersion: form.Values.RowVersion })
  expect(refusal(stale, 409).conflict?.Current).toMatchObject({ ShelfCode__Label: 'Attic' })
  const fresh = await all.form('keeper', 'Items', { MakerId: 2 })
  expect(pick(fresh.Values, 'MakerId__Label', 'OwnerId__Label', 'ShelfCode__Label')).toEqual([
    'N2 Birch',
    'keeper',
    null,
  ])
})

test('a label may be what only the query of the looked-up view puts out', async () => {
  const { Rows } = await all.table('keeper', 'ItemsByMaker', {
    Filters: [{ Field: 'CuratorId__Label', Operator: 'contains', Value: '(n2)' }],
  })
  expect(Rows.map((row) => pick(row, 'Title', 'CuratorId__Label'))).toEqual([
    ['Atlas', 'Birch (N2)'],
  ])
  const { Values } = await all.form('keeper', 'ItemsByMaker', { CuratorId: 3 })
  expect(Values.CuratorId__Label).toBe('Cedar (S1)')
  expect(await all.labels('keeper', 'ItemsByMaker', 'CuratorId', { SearchText: '(s' })).toEqual([
    'Cedar (S1)',
    'Dogwood (S2)',
  ])
})

test('labels are sorted, filtered, searched and asked for like fields', async () => {
  const titles = async (request: object) =>
    (await all.table('keeper', 'Items', request)).Rows.map((row) => row.Title)
  const byLabel = { Sort: [{ Field: 'MakerId__Label', Direction: 'desc' }] }
  expect(await titles(byLabel)).toEqual(['Atlas', 'Map', 'Legend'])
  const first = await all.table('keeper', 'Items', { ...byLabel, PageSize: 1 })
  const Cursor = first.Pagination.NextCursor
  expect(await titles({ ...byLabel, PageSize: 1, Cursor })).toEqual(['Map'])
  const filter = (Operator: string, Value: unknown) => ({
    Filters: [{ Field: 'MakerId__Label', Operator, Value }],
  })
  expect(await titles(filter('contains', 'CEDAR'))).toEqual(['Atlas'])
  expect(await titles(filter('eq', 'N1 Alder'))).toEqual(['Map'])
  expect(await titles(filter('isNull', null))).toEqual(['Legend'])
  expect(await titles({ SearchText: 'alder' })).toEqual(['Map'])
  const named = await all.table('keeper', 'Items', { Fields: ['Title', 'MakerId__Label'] })
  expect(Object.keys(named.Rows[0] ?? {}).sort()).toEqual([
    'Id',
    'MakerId__Label',
    'RowVersion',
    'Title',
  ])
  const sorted = await all.table('keeper', 'ItemsByMaker')
  expect(sorted.Rows.map((row) => row.Title)).toEqual(['Atlas', 'Map', 'Legend'])
})

test('a hidden field has no label, which cannot be asked for either', async () => {
  const { Rows } = await all.table('rep', 'Items')
  expect(Object.keys(Rows[0] ?? {}).filter((name) => name.startsWith('Owner'))).toEqual([])
  for (const request of [
    { Sort: [{ Field: 'OwnerId__Label' }] },
    { Filters: [{ Field: 'OwnerId__Label', Operator: 'contains', Value: 'k' }] },
    { Fields: ['OwnerId__Label'] },
  ]) {
    const answer = await all.call('rep', '/Items/table', request)
    expect(refusal(answer, 400).error).toBe("Unknown field 'OwnerId__Label'")
  }
})

test('the label is part of the row, also of records that the caller may not list', async () => {
  const { Rows } = await all.table('rep', 'Items')
  expect(Rows.find((row) => row.Title === 'Atlas')?.MakerId__Label).toBe('S1 Cedar')
  const typed = await all.form('typist', 'Items', { Id: 1 })
  expect(typed.Values.MakerId__Label).toBe('S1 Cedar')
})

test('records that all companies share tell of the own company’s users alone', async () => {
  const [user] = await all.stored("SELECT Id FROM svc_users WHERE UserName = 'other'")
  await all.save('other', 'Shelves', { Code: 'B', KeeperId: user?.Id })
  const label = async (as: string) =>
    (await all.form(as, 'Shelves', { Code: 'B' })).Values.KeeperId__Label
  expect([await label('other'), await label('keeper')]).toEqual(['other', null])
})

test('what labels need is written by the engine: a submit drops them', async () => {
  const form = await all.form('keeper', 'Items', { Id: 2 })
  const saved = await all.save('keeper', 'Items', { ...form.Values, MakerId__Label: 'Someone' })
  expect(saved.Values).toMatchObject({ MakerId: 1, MakerId__Label: 'N1 Alder' })
})

test('the audit has labels beside ids', async () => {
  const form = await all.form('keeper', 'Items', { Id: 3 })
  await all.save('keeper', 'Items', { Id: 3, MakerId: 1, RowVersion: form.Values.RowVersion })
  await all.save('keeper', 'Items', {
    Id: 3,
    MakerId: 2,
    RowVersion: (await all.form('keeper', 'Items', { Id: 3 })).Values.RowVersion,
  })
  const [last] = await all.stored(
    "SELECT Changes FROM svc_audit WHERE Entity = 'Item' ORDER BY Id DESC LIMIT 1",
  )
  expect(JSON.parse(String(last?.Changes))).toEqual({
    MakerId: [1, 2],
    MakerId__Label: ['N1 Alder', 'N2 Birch'],
  })
})

test('metadata describes references, labels and Display', async () => {
  const metadata = data(await all.call<Row>('keeper', '/Items/metadata'))
  expect(metadata.Display).toEqual(['Title', 'MakerId'])
  const fields = metadata.Fields as Row[]
  expect(fields.map((field) => field.Name).slice(0, 4)).toEqual([
    'Title',
    'MakerId',
    'Tags',
    'CuratorId',
  ])
  expect(fields.find((field) => field.Name === 'MakerId')).toMatchObject({
    References: 'Maker',
    LabelField: 'MakerId__Label',
    Lookup: { View: 'Makers', Search: ['Code', 'Name'], DependsOn: ['Kind'] },
  })
  expect(fields.find((field) => field.Name === 'ShelfCode')).toMatchObject({
    References: 'Shelf',
    Lookup: { View: null, Search: [], Label: [], Fill: [], DependsOn: [] },
  })
  expect(fields.find((field) => field.Name === 'Tags')).toMatchObject({
    Multiple: true,
    Through: 'ItemTag',
    LabelField: 'Tags__Label',
  })
})

const NAMELESS: TestApplication = {
  files: [
    {
      name: 'boxes.xml',
      body: `<Model>
<Entity Name="Box" Table="boxes" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Part" Table="parts">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="BoxId" References="Box"/>
  <Column Name="OtherId" References="Box" Default="1"/>
</Entity>
<ObjectView Name="Boxes" Entity="Box"/>
<ObjectView Name="Parts" Entity="Part"/>
</Model>`,
    },
  ],
  ...makePeople('ONE', { root: 'System' }),
}

test('the label of a record without a name is null in a new form as in a grid', async () => {
  await using app = await startApp({ application: NAMELESS })
  const objects = new Objects(app)
  await objects.save('root', 'Boxes', {})
  await objects.save('root', 'Parts', { BoxId: 1 })
  const labels = { BoxId: 1, BoxId__Label: null, OtherId: 1, OtherId__Label: null }
  const { Rows } = await objects.table('root', 'Parts')
  expect(Rows[0]).toMatchObject(labels)
  expect((await objects.form('root', 'Parts', { BoxId: 1 })).Values).toMatchObject(labels)
})
