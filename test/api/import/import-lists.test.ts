/** Lists of keys (`Through`) in imports: set, judged, audited and taken back as by a submit. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const VERBS = 'View List Create Update Delete Import Export'

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'songs.xml',
      body: `<Model>
<Entity Name="Tag" Table="tags" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Level" Type="Integer" Default="1"/>
</Entity>
<Entity Name="Song" Table="songs" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  <Column Name="Kind" Type="Text"/>
</Entity>
<Entity Name="SongTag" Table="song_tags" Company="CompanyId" Audit="Enabled">
  <Column Name="SongId" References="Song" Key="true"/>
  <Column Name="TagId" References="Tag" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Weight" Type="Integer" Required="true" Default="7"/>
  <Validate Field="Weight" Message="A heavy tag">SELECT @TagId &lt;&gt; 5</Validate>
</Entity>
<ObjectView Name="Tags" Entity="Tag"/>
<ObjectView Name="Songs" Entity="Song" Sort="Code">
  <Field Name="Code"/><Field Name="Kind"/>
  <Field Name="Tags" Through="SongTag" In="Grid Form Export" ReadOnlyWhen="Kind eq fixed"><Lookup View="Tags" Where="Level &lt; 5"/></Field>
</ObjectView>
<ObjectView Name="TaggedSongs" Entity="Song" Resource="Songs" Only="true">
  <Field Name="Code"/><Field Name="Marks" Through="SongTag" In="Grid Form Export" Required="true"/>
</ObjectView>
<ObjectView Name="SongTags" Entity="SongTag"/>
<Rbac>
  <Role Name="Keeper">
    <Grant Resource="Songs" Verbs="${VERBS}"/>
    <Grant Resource="Tags" Verbs="${VERBS}"/>
    <Grant Resource="SongTags" Verbs="${VERBS}"/>
  </Role>
  <Role Name="Reader">
    <Grant Resource="Songs" Verbs="${VERBS}"/>
    <Grant Resource="Tags" Verbs="View List"/>
    <FieldRule Resource="Songs" Field="Tags" Access="ReadOnly"/>
  </Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE TWO', { keeper: 'Keeper', reader: 'Reader', other: 'Keeper in TWO' }),
}

let app: TestApp
let songs: Imports

/** Tags 1 and 2, 3 that nobody may choose, 4 of the other company. */
async function startSongs(application: TestApplication): Promise<void> {
  app = await startApp({ application })
  songs = new Imports(app)
  for (const [as, Name, Level] of [
    ['keeper', 'old', 1],
    ['keeper', 'rare', 1],
    ['keeper', 'secret', 9],
    ['other', 'foreign', 1],
  ] as const) {
    await songs.save(as, 'Tags', { Name, Level })
  }
}

beforeEach(() => startSongs(APPLICATION))
afterEach(() => app[Symbol.asyncDispose]())

const BY_CODE = { mode: 'upsert', keyFields: 'Code' }

const take = (file: string, fields: Readonly<Record<string, string>> = {}, as = 'keeper') =>
  songs.take(as, { objectName: 'Songs', file, fields })

const faultsOf = async (sending: { file: string; objectName?: string; fields?: object }) => {
  const { objectName = 'Songs', file, fields } = sending
  const { status, body } = await songs.send('keeper', {
    objectName,
    file,
    fields: { ...fields },
  })
  expect(status).toBe(400)
  return body.fieldErrors
}

const listTags = async (): Promise<[unknown, unknown][]> =>
  (await songs.table('keeper', 'Songs')).Rows.map(({ Code, Tags }) => [Code, Tags])

const undo = (id: string | null) => songs.call<Row>('keeper', `/import-data/${id}/undo`, {})

/** Rows of the entity between, with all that somebody gave them. */
const between = () =>
  songs.stored('SELECT SongId, TagId, CompanyId, Weight FROM song_tags ORDER BY SongId, TagId')

test('a list in a cell is the list of its record; a blank cell is an empty one', async () => {
  const made = await take('Code,Tags\na,"[2, 1, 2]"\nb,\nc,[]\n')
  expect(made).toMatchObject({ Inserted: 3, Failed: 0 })
  expect(await listTags()).toEqual([
    ['a', [1, 2]],
    ['b', []],
    ['c', []],
  ])
  expect(await between()).toMatchObject([
    { SongId: 1, TagId: 1, CompanyId: 1, Weight: 7 },
    { SongId: 1, TagId: 2, CompanyId: 1, Weight: 7 },
  ])
  const changed = await take('Code,Tags\na,[2]\nb,[1]\nc,[]\nd,[1]\n', BY_CODE)
  expect(changed).toMatchObject({ Inserted: 1, Updated: 2, Skipped: 1 })
  await take('Code,Tags\nb,\n', BY_CODE)
  expect(await listTags()).toEqual([
    ['a', [2]],
    ['b', []],
    ['c', []],
    ['d', [1]],
  ])
  await take('Code,Kind\na,new\n', BY_CODE)
  expect((await listTags())[0]).toEqual(['a', [2]])
  const audited = await songs.stored(
    `SELECT Action, RecordKey FROM svc_audit WHERE Entity = 'SongTag' ORDER BY Id`,
  )
  expect(audited.map(({ Action, RecordKey }) => [Action, RecordKey])).toEqual([
    ['insert', '[1,2]'],
    ['insert', '[1,1]'],
    ['delete', '[1,1]'],
    ['insert', '[2,1]'],
    ['insert', '[4,1]'],
    ['delete', '[2,1]'],
  ])
})

test('a list takes what its records are called, one by one or as a list', async () => {
  for (const Name of ['heavy', 'old, worn', '1']) await songs.save('keeper', 'Tags', { Name })
  await take('Code,Tags\na,"[""old"",""rare""]"\nb,"old, worn"\nc,"rare , old"\nd,"[""1""]"\n')
  // Of two records of a name neither is taken.
  await songs.save('keeper', 'Tags', { Name: 'rare' })
  const file = 'Code,Tags (Tags__Label)\ne,"[""1""]"\nf,"[""rare""]"\ng,[null]\n'
  expect(await faultsOf({ file })).toEqual({
    'Rows[3].Tags': 'Tags: more than one record has this name',
    'Rows[4].Tags': 'Tags: there is no such tag',
  })
  await take('Code,Tags (Tags__Label)\ne,"[""1""]"\n')
  expect(await listTags()).toEqual([
    ['a', [1, 2]],
    ['b', [6]],
    ['c', [1, 2]],
    ['d', [1]],
    ['e', [7]],
  ])
})

test('a list of more values than a request may hold is refused before it is made', async () => {
  const file = `Code,Tags\na,"[${'1,'.repeat(100_001)}1]"\nb,"${'['.repeat(100_001)}"\n`
  const fault = 'The JSON has more than 100000 values'
  expect(await faultsOf({ file })).toEqual({ 'Rows[2].Tags': fault, 'Rows[3].Tags': fault })
})

test('what a submit would refuse of a list is told by line and field', async () => {
  const file = 'Code,Tags\na,[1]\nb,[4]\nc,[3]\nd,1\ne,"[""x""]"\nf,[9]\n'
  const submitted = await songs.submit('keeper', 'Songs', { Code: 'b', Tags: [4] })
  expect(await faultsOf({ file })).toEqual({
    'Rows[3].Tags': String(submitted.body.fieldErrors?.Tags),
    'Rows[4].Tags': 'Tags: there is no such tag',
    'Rows[5].Tags': 'Tags must be a list of keys',
    'Rows[6].Tags': 'Tags: there is no such tag',
    'Rows[7].Tags': 'Tags: there is no such tag',
  })
  const skipped = await take(file, { onError: 'skip' })
  expect(skipped).toMatchObject({ Inserted: 1, Failed: 5 })
  const objectName = 'TaggedSongs'
  const required = { 'Rows[2].Marks': 'Marks is required' }
  expect(await faultsOf({ objectName, file: 'Code\nz\n' })).toEqual(required)
  expect(await faultsOf({ objectName, file: 'Code,Marks\nz,[]\n' })).toEqual(required)
})

test('a rule of the entity between is told on the line whose list breaks it', async () => {
  const { Keys } = await songs.save('keeper', 'Tags', { Name: 'heavy' })
  expect(Keys).toEqual({ Id: 5 })
  const submitted = await songs.submit('keeper', 'Songs', { Code: 'b', Tags: [5] })
  expect(submitted.body.fieldErrors).toEqual({ 'SongTag.Weight': 'A heavy tag' })
  const file = 'Code,Tags\na,[1]\nb,"[1,5]"\n'
  expect(await faultsOf({ file })).toEqual({ 'Rows[3].SongTag.Weight': 'A heavy tag' })
})

test('what a caller may not set, or a condition bars, is left alone', async () => {
  await take('Code,Kind,Tags\na,,[1]\nb,fixed,[1]\n')
  expect((await listTags()).map(([, tags]) => tags)).toEqual([[1], []])
  await take('Code,Kind,Tags\na,x,[2]\n', BY_CODE, 'reader')
  expect((await listTags())[0]).toEqual(['a', [1]])
  const only = await songs.send('reader', { objectName: 'Songs', file: 'Tags\n[1]\n' })
  expect(only.body.code).toBe('NO_COLUMNS')
})

/** With stamps and who changed it, of the records and of the rows between. */
const STAMPED: TestApplication = {
  ...APPLICATION,
  files: APPLICATION.files.map(({ name, body }) => ({
    name,
    body: body.replaceAll(
      'Audit="Enabled"',
      'Audit="Enabled" Concurrency="Enabled" Tracking="true"',
    ),
  })),
}

test.each([
  ['plain records', APPLICATION],
  ['stamped records', STAMPED],
])('an import is taken back with its lists: %s', async (_, application) => {
  await app[Symbol.asyncDispose]()
  await startSongs(application)
  await take('Code,Tags\na,"[1,2]"\nb,\nd,"[1,2]"\n')
  await app.store.write((tx) => tx.run('UPDATE song_tags SET Weight = 9 WHERE TagId = 2'), {
    company: 'all',
    because: 'a test',
  })
  const before = await between()
  const lists = await listTags()
  const done = await take('Code,Tags\na,[1]\nb,[2]\nc,"[1,2]"\n', BY_CODE)
  const alone = await take('Id,Tags\n3,[2]\n', { mode: 'update' })
  expect([done.Updated, alone.Updated]).toEqual([2, 1])
  expect(await listTags()).toEqual([
    ['a', [1]],
    ['b', [2]],
    ['c', [1, 2]],
    ['d', [2]],
  ])
  expect((await undo(alone.ImportId)).status).toBe(200)
  expect((await undo(done.ImportId)).status).toBe(200)
  expect(await between()).toEqual(before)
  expect(await listTags()).toEqual(lists)
})

test.each<[string, () => Promise<unknown>]>([
  ['another list', () => songs.save('keeper', 'Songs', { Id: 1, Tags: [1] })],
  ['another weight', () => songs.save('keeper', 'SongTags', { SongId: 1, TagId: 2, Weight: 8 })],
])('a list that somebody changed since keeps the import: %s', async (_, change) => {
  const done = await take('Code,Tags\na,"[1,2]"\nb,[1]\n')
  await change()
  const { status, body } = await undo(done.ImportId)
  expect([status, body.error]).toEqual([
    409,
    'The import cannot be undone: 1 record has changed since',
  ])
  expect((await listTags()).map(([code]) => code)).toEqual(['a', 'b'])
})

test('an import whose list is in the object no more is not taken back by half', async () => {
  const done = await take('Code,Tags\na,[1]\n')
  await app.store.write((tx) => tx.run("UPDATE svc_import_lists SET Entity = 'Gone'"), {
    company: 'all',
    because: 'a test',
  })
  const { status, body } = await undo(done.ImportId)
  expect([status, body.error]).toEqual([
    409,
    'The import cannot be undone: the object has changed since',
  ])
  expect(await listTags()).toEqual([['a', [1]]])
})

test('labels lie between commas, semicolons or lines, quoted where they hold one', async () => {
  // A rule takes no tag 5.
  for (const Name of ['five', 'blue, dark', 'a; b', 'with "quotes"', 'two; three, four'])
    await songs.save('keeper', 'Tags', { Name })
  const tags = new Map((await songs.table('keeper', 'Tags')).Rows.map((tag) => [tag.Name, tag.Id]))
  const rows: [cell: string, names: string[]][] = [
    ['old, rare', ['old', 'rare']],
    ['old;rare', ['old', 'rare']],
    ['old\nrare\n', ['old', 'rare']],
    ['blue, dark', ['blue, dark']],
    ['blue, dark; old', ['blue, dark', 'old']],
    ['"blue, dark", old', ['blue, dark', 'old']],
    ['"two; three, four"; "a; b"', ['two; three, four', 'a; b']],
    ['two; three, four\nold', ['two; three, four', 'old']],
    ['"with ""quotes""", rare,', ['with "quotes"', 'rare']],
    ['with "quotes"; rare', ['with "quotes"', 'rare']],
    ['["blue, dark","old"]', ['blue, dark', 'old']],
  ]
  const lines = rows.map(([cell], at) => `s${at},"${cell.replaceAll('"', '""')}"`)
  await take(`Code,Tags\n${lines.join('\n')}\n`)
  const stored = new Map(await listTags())
  for (const [at, [cell, names]] of rows.entries()) {
    const keys = names.map((name) => Number(tags.get(name))).sort()
    expect([cell, [...(stored.get(`s${at}`) as number[])].sort()]).toEqual([cell, keys])
  }
  const faults = await faultsOf({ file: 'Code,Tags\nx,"old; green"\ny,""\nz,"old;;rare"\n' })
  expect(faults).toEqual({ 'Rows[2].Tags': 'Tags: there is no such tag' })
})
