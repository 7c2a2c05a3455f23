/** `On` that looks back: `Changed`, and `@Old_<Column>` and `@IsNew` in `When`, by every path. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const tell = (what: string): string => `<Sql>INSERT INTO told (What) VALUES (${what})</Sql>`

const CASES: TestApplication = {
  files: [
    {
      name: 'cases.xml',
      body: `<Model>
<Entity Name="Case" Table="cases" Concurrency="Enabled" Tracking="true">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Code" Unique="true"/><Column Name="Status"/><Column Name="Owner"/><Column Name="Note"/>
  <Column Name="Points" Type="Decimal"/>
  <Column Name="Weight" Type="Decimal"><Compute From="Part">SELECT coalesce(sum(Weight), 0) FROM parts WHERE CaseId = @Id</Compute></Column>
  <On Event="updated" Changed="status Owner">${tell("'moved ' || coalesce(@Old_Status, '-') || '>' || coalesce(@Status, '-')")}
    <Sql>UPDATE cases SET Note = coalesce(Note, '') || '!' WHERE Id = @Id</Sql></On>
  <On Event="updated" When="Points &gt; @Old_Points" Changed="Points">${tell("'risen ' || @Code || ' by ' || (@Points - @Old_Points)")}</On>
  <On Event="updated" When="coalesce(Points, 0) &gt; 2 * @Old_Points">${tell("'doubled ' || @Code")}</On>
  <On Event="updated" Changed="Weight">${tell("'weighs ' || @Weight")}</On>
  <On Event="created" When="@IsNew AND @Old_Status IS NULL AND Status = 'new'">${tell("'new ' || @Code")}</On>
  <On Event="created" Changed="Owner">${tell("'owned ' || @Code")}</On>
  <On Event="deleted" When="@Old_Status = 'done' AND NOT @IsNew">${tell("'gone ' || @Code")}</On>
</Entity>
<Entity Name="Part" Table="parts"><Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CaseId" References="Case" OnDelete="Cascade"/><Column Name="Weight" Type="Decimal"/></Entity>
<Entity Name="Told" Table="told"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="What"/></Entity>
<ObjectView Name="Cases" Entity="Case">
  <TableQuery>SELECT c.*, upper(c.Status) AS Shout FROM cases c WHERE c.Code &lt;&gt; 'hidden'</TableQuery>
  <Detail Name="Parts" View="Parts" Parent="CaseId=Id"/>
  <RowAction Name="Finish"><Sql>UPDATE cases SET Status = 'done' WHERE Id = @Id AND Status &lt;&gt; 'done'</Sql></RowAction>
  <On Event="updated" Changed="Status" When="Shout = 'DONE' AND @Old_Status = 'new'">${tell("'seen ' || @Shout")}</On>
  <On Event="Finish" Changed="Status">${tell("'finished ' || @Code")}</On>
</ObjectView>
<ObjectView Name="Parts" Entity="Part"/>
<StoredProcedure Name="RaiseAll" Mode="Write"><Parameter Name="By" Type="Decimal"/>
  <Sql>UPDATE cases SET Points = Points + @By</Sql></StoredProcedure>
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

let app: Imports
let key: Row
beforeAll(async () => {
  app = new Imports(await startApp({ application: CASES }))
})
afterAll(() => app[Symbol.asyncDispose]())

beforeEach(async () => {
  await app.app.store.write(
    (tx) => tx.silently(async () => void (await tx.run('DELETE FROM cases'))),
    { company: 'all', because: 'a test' },
  )
  const made = await app.save('sys', 'Cases', { Code: 'A', Status: 'new', Points: 1 })
  key = made.Keys as Row
  await told()
})

/** The events since the last call. */
async function told(): Promise<unknown[]> {
  const rows = await app.stored('SELECT What FROM told ORDER BY Id')
  await app.app.store.write((tx) => tx.silently(() => tx.run('DELETE FROM told')), {
    company: 'all',
    because: 'a test',
  })
  return rows.map(({ What }) => What)
}

const save = (parameters: Row, more: Row = {}) =>
  app.submit('sys', 'Cases', { ...key, ...parameters }, more)
const stampOf = async (): Promise<string> =>
  String((await app.form('sys', 'Cases', key)).Values.RowVersion)
const change = async (parameters: Row, more: Row = {}): Promise<unknown[]> => {
  data(await save({ RowVersion: await stampOf(), ...parameters }, more))
  return told()
}

test('a submit: only what is another than before', async () => {
  expect(await change({ Note: 'x', Status: 'new' })).toEqual([])
  expect(await change({ Status: 'open' })).toEqual(['moved new>open'])
  // What the effect wrote is a change, too, and not one of these columns.
  expect(await app.stored('SELECT Note FROM cases')).toEqual([{ Note: 'x!' }])
  expect(await change({ Status: null })).toEqual(['moved open>-'])
  expect(await change({ Owner: 'ana', Points: 1.5 })).toEqual(['moved ->-', 'risen A by 0.5'])
  expect(await change({ Points: 1 })).toEqual([])
  expect(await change({ Points: 4 })).toEqual(['risen A by 3.0', 'doubled A'])
  // Though the effect of the first change is one more, the others are told once.
  expect(await change({ Status: 'new', Points: 9 })).toEqual([
    ...['moved ->new', 'risen A by 5.0', 'doubled A'],
  ])
  expect(await change({ Status: 'done' })).toEqual(['moved new>done', 'seen DONE'])
})

test('a new record, and a removed one', async () => {
  await app.save('sys', 'Cases', { Code: 'B', Status: 'new', Owner: 'bo' })
  await app.save('sys', 'Cases', { Code: 'C', Status: 'open' })
  expect(await told()).toEqual(['new B', 'owned B'])
  await change({ Status: 'done' })
  data(await app.remove('sys', 'Cases', { ...key, RowVersion: await stampOf() }))
  expect(await told()).toEqual(['gone A'])
})

test('an import', async () => {
  await app.save('sys', 'Cases', { Code: 'B', Status: 'open', Points: 1 })
  await told()
  const file = 'Code,Status,Points\nA,open,1\nB,open,5\nD,new,1\n'
  const fields = { mode: 'upsert', keyFields: 'Code' }
  await app.take('sys', { objectName: 'Cases', file, fields })
  expect((await told()).toSorted()).toEqual([
    'doubled B',
    'moved new>open',
    'new D',
    'risen B by 4.0',
  ])
})

test('an action, and its own event', async () => {
  data(await app.act('sys', 'Cases', 'Finish', key))
  expect(await told()).toEqual(['moved new>done', 'seen DONE', 'finished A'])
  data(await app.act('sys', 'Cases', 'Finish', key))
  expect(await told()).toEqual([])
})

test('authored SQL over many records, each with what it held itself', async () => {
  await app.save('sys', 'Cases', { Code: 'B', Status: 'new', Points: 10 })
  await app.save('sys', 'Cases', { Code: 'C', Status: 'new' })
  await told()
  const body = { Parameters: { By: 2 } }
  expect((await app.app.fetch('/api/v1/svc/rpc/RaiseAll', { as: 'sys', body })).status).toBe(200)
  expect((await told()).toSorted()).toEqual(['doubled A', 'risen A by 2.0', 'risen B by 2.0'])
})

test('a computed column changes, too', async () => {
  const Details = { Parts: { Upsert: [{ Weight: 2.5 }] } }
  expect(await change({}, { Details })).toEqual(['weighs 2.5'])
  expect(await change({ Note: 'y' })).toEqual([])
})
