/**
 * An error is an answer: two worlds that differ in rows out of the caller's reach alone answer byte
 * for byte the same, whatever expression meets those rows, by every path that runs authored SQL.
 */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, Objects, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Region" Table="regions">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Open" Type="Integer"/>
</Entity>
<Entity Name="Note" Table="notes" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Kind" Type="Text"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="N" Type="Integer"/>
  <Column Name="Done" Type="Integer"/>
  <Index Columns="Kind"/>
  <On Event="updated" When="Done = 7"><Sql>UPDATE notes SET Done = 8 WHERE json_extract(Body, '$.a') = 1 AND Id = @Id</Sql></On>
</Entity>
<Entity Name="Other" Table="others" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Most" Type="Integer"><Compute From="Note">SELECT max(abs(N)) FROM notes WHERE json_extract(Body, '$.a') &gt; 0</Compute></Column>
  <Validate Field="Text" Message="No">SELECT (SELECT count(*) FROM notes WHERE json_extract(Body, '$.a') = 9) = 0</Validate>
</Entity>
<ObjectView Name="Plain" Entity="Note" ViewType="Grid"/>
<ObjectView Name="Others" Entity="Other"/>
<ObjectView Name="Notes" Entity="Note">
  <TableQuery>SELECT n.*, json_extract(n.Body, '$.a') AS Named, abs(n.N) AS Size, json(n.Body) AS Json, n.Body -&gt;&gt; n.Kind AS Picked FROM notes n</TableQuery>
  <Field Name="Named" Type="Integer"/><Field Name="Size" Type="Integer"/>
  <Field Name="Kind"><DataSet>SELECT DISTINCT Kind AS Value, json_extract(Body, '$.a') AS Label FROM notes WHERE json_extract(Body, '$.a') &gt; 0</DataSet></Field>
  <Field Name="Done"><Default DependsOn="Region">SELECT count(*) FROM notes WHERE abs(N) &gt; 0</Default></Field>
  <Preset Name="Ones" Label="Ones" Where="json_extract(Body, '$.a') = 1"/>
  <RowAction Name="Mark" For="View"><Sql>UPDATE notes SET Done = coalesce(Done, 0) + 1 WHERE json_extract(Body, '$.a') = 1</Sql></RowAction>
  <RowAction Name="Set" For="View"><Sql>UPDATE notes SET Done = json_extract(Body, '$.a')</Sql></RowAction>
  <RowAction Name="Type" For="View"><Sql>UPDATE notes AS n SET N = substr(n.Body, 6, 1)</Sql></RowAction>
  <RowAction Name="Abs" For="View"><Sql>UPDATE notes SET Done = abs(N) WHERE Kind = 'k' AND abs(N) &lt; 100 -- and no more</Sql></RowAction>
  <RowAction Name="Joined" For="View"><Sql>UPDATE notes AS n SET Done = r.Id FROM regions r JOIN regions s ON s.Id = r.Id WHERE r.Open = 1 AND json_extract(n.Body, '$.a') = s.Id</Sql></RowAction>
  <RowAction Name="Read" For="View"><Sql>UPDATE notes SET Done = (SELECT max(json_extract(m.Body, '$.a')) FROM notes m WHERE m.Kind = notes.Kind)</Sql></RowAction>
  <RowAction Name="Copy" For="View"><Sql>INSERT INTO notes (CompanyId, Region, Body) SELECT CompanyId, Region, Body FROM notes WHERE json_extract(Body, '$.a') = 1</Sql></RowAction>
  <RowAction Name="Upsert" For="View"><Parameter Name="K" Type="Integer"/><Sql>INSERT INTO notes (Id, CompanyId) VALUES (@K, @CurrentCompanyId) ON CONFLICT (Id) DO UPDATE SET Body = json(Body) WHERE json_extract(Body, '$.a') = 1 RETURNING Id</Sql></RowAction>
  <RowAction Name="UpsertAll" For="View"><Parameter Name="K" Type="Integer"/><Sql>INSERT INTO notes (Id, CompanyId) VALUES (@K, @CurrentCompanyId) ON CONFLICT (Id) DO UPDATE SET Body = json(Body)</Sql></RowAction>
  <RowAction Name="Drop" For="View"><Sql>WITH x AS (SELECT 2 AS a) DELETE FROM notes WHERE json_extract(Body, '$.a') IN (SELECT a FROM x) RETURNING Id</Sql></RowAction>
  <RowAction Name="Like" For="View"><Sql>UPDATE notes SET Done = 3 WHERE 'x' LIKE Body ESCAPE Kind</Sql></RowAction>
</ObjectView>
<ObjectView Name="Written" Entity="Note">
  <Update>UPDATE notes SET Done = @Done WHERE json_extract(Body, '$.a') = json_extract(@Body, '$.a')</Update>
  <Delete>DELETE FROM notes WHERE abs(N) = abs(@N)</Delete>
</ObjectView>
<StoredProcedure Name="Totals" Mode="Read"><Sql Result="T">SELECT sum(abs(N)) AS S, count(json_extract(Body, '$.a')) AS C FROM notes WHERE json_extract(Body, '$.a') &gt; 0</Sql></StoredProcedure>
<StoredProcedure Name="Change" Mode="Write"><Sql>UPDATE notes SET Done = 5 WHERE json_extract(Body, '$.a') = 1</Sql></StoredProcedure>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Notes" Verbs="View List Create Update Delete Export"/><Grant Resource="Written" Verbs="View List Update Delete"/>
    <Grant Resource="Others" Verbs="View List Create"/>
    <Grant Resource="Totals" Capabilities="Execute"/><Grant Resource="Change" Capabilities="Execute"/>
    <RowFilter Resource="Notes">EXISTS (SELECT 1 FROM regions r WHERE r.Name = Region AND r.Open = 1)</RowFilter>
  </Role>
</Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', { clerk: 'Clerk' }),
}

/** Values in rows out of reach: sound, or such that no expression goes through. */
const SOUND = { Body: '{"a":1}', N: 1n, Kind: 'k' }
const POISON = { Body: 'no JSON', N: -(2n ** 63n), Kind: 'many' }

const ROWS: readonly Row[] = [
  { CompanyId: 1, Region: 'north', Kind: 'k', Body: '{"a":1}', N: 5 },
  { CompanyId: 1, Region: 'north', Kind: 'l', Body: '{"a":2}', N: -6 },
]

/** Region: of the caller's company, hidden by the row filter. Company: of another one. */
async function start(hidden: 'region' | 'company', content: Row): Promise<Objects> {
  const clock = { now: () => new Date('2026-11-21T09:00:00Z') }
  const world = new Objects(await startApp({ application: APPLICATION, clock }))
  const far =
    hidden === 'region' ? { CompanyId: 1, Region: 'south' } : { CompanyId: 2, Region: 'north' }
  await world.app.store.write(
    async (tx) => {
      await tx.run(`INSERT INTO regions VALUES (1, 'north', 1), (2, 'south', 0)`)
      for (const row of [{ ...far, ...content }, ...ROWS, { ...far, ...content }])
        await tx.run(
          `INSERT INTO notes (CompanyId, Region, Kind, Body, N) VALUES (@CompanyId, @Region, @Kind, @Body, @N)`,
          row as Record<string, string>,
        )
    },
    { company: 'all', because: 'a test' },
  )
  return world
}

const NAMED = { Field: 'Named', Operator: 'eq', Value: 1 }
const SIZE = { Field: 'Size', Operator: 'gt', Value: 1 }
const FILTERS = [
  [NAMED],
  [SIZE],
  [NAMED, SIZE],
  [{ Field: 'Json', Operator: 'contains', Value: 'a' }],
]

type Call = [path: string, body: unknown]

const act = (ActionName: string, Parameters: Row = {}): Call => [
  '/object/execute-row-action',
  { ObjectName: 'Notes', ActionName, Parameters },
]

/** The request for the caller's rows of a view. */
const READS: Call[] = [
  ...FILTERS.flatMap((Filters): Call[] => [
    ['/object/Notes/table', { Filters }],
    [
      '/object/Notes/table',
      { Filters, CountMode: 'none', Sort: [{ Field: 'Size', Direction: 'desc' }] },
    ],
    ['/object/Notes/table', { Filters, CountMode: 'bounded', PageSize: 1 }],
    ['/object-explorer/query', { ObjectName: 'Notes', Filters }],
    [
      '/object-explorer/query',
      { ObjectName: 'Notes', Filters, Aggregates: [{ Field: 'N', Function: 'sum' }] },
    ],
  ]),
  ['/object/Notes/table', { SearchText: 'a' }],
  ['/object/Notes/table', { Preset: 'Ones' }],
  ['/object/Notes/table', { Parameters: { Named: 1 } }],
  ['/object/Notes/form', { Parameters: { Id: 2, Named: 1 } }],
  ['/object/Notes/form', { Parameters: { Id: 1 } }],
  [
    '/object-explorer/query',
    { ObjectName: 'Notes', GroupBy: ['Named'], Aggregates: [{ Field: 'Size', Function: 'max' }] },
  ],
]

/** Calls of authored statements, whatever rows the caller lists. */
const WRITES: Call[] = [
  ...['Mark', 'Set', 'Type', 'Abs', 'Joined', 'Read', 'Copy', 'Drop', 'Like'].map((name) =>
    act(name),
  ),
  act('Upsert', { K: 1 }),
  act('Upsert', { K: 2 }),
  act('UpsertAll', { K: 1 }),
  ['/object/submit', { FormName: 'Notes', Parameters: { Id: 2, Done: 7 } }],
  ['/object/submit', { FormName: 'Written', Parameters: { Id: 2, Done: 6 } }],
  ['/object/submit', { FormName: 'Others', Parameters: { Text: 't' } }],
  ['/rpc/Totals', { Parameters: {} }],
  ['/rpc/Change', { Parameters: {} }],
  ['/object/field-dataset', { FormName: 'Notes', FieldName: 'Kind' }],
  ['/object/Notes/form', {}],
  ['/object/delete-row', { ObjectName: 'Written', Parameters: { Id: 2 } }],
]

async function loadExport(world: Objects, Filters: unknown): Promise<string> {
  const body = { ObjectName: 'Notes', Format: 'jsonl', Filters }
  const answer = await world.call<{ File: { Url: string } }>('clerk', '/export-data', body)
  if (!answer.body.success) return answer.text.replaceAll(/"traceId":"[^"]*"/g, '')
  return (await world.app.fetch(answer.body.data.File.Url, { as: 'clerk' })).text
}

/** All answers, with what the calls left of the caller's own rows. */
async function answers(hidden: 'region' | 'company', content: Row, calls: readonly Call[]) {
  await using world = await start(hidden, content)
  const told: string[] = []
  for (const [path, body] of calls) {
    const { status, text } = await world.app.fetch(`/api/v1/svc${path}`, { as: 'clerk', body })
    told.push(
      `${path} ${JSON.stringify(body)} ${status} ${text.replaceAll(/"traceId":"[^"]*"/g, '')}`,
    )
  }
  for (const Filters of FILTERS) told.push(await loadExport(world, Filters))
  const own = await world.stored(
    "SELECT * FROM notes WHERE CompanyId = 1 AND Region IS NOT 'south' ORDER BY Id",
  )
  return [...told, JSON.stringify(own)]
}

test('no answer of a read tells what stands in a row that the row filter hides', async () => {
  const sound = await answers('region', SOUND, READS)
  expect(sound.filter((each) => !each.includes(' 200 '))).toHaveLength(6)
  expect(await answers('region', POISON, READS)).toEqual(sound)
})

test('no answer of a read or write tells what stands in a row of another company', async () => {
  const calls = [...READS, ...WRITES]
  const sound = await answers('company', SOUND, calls)
  expect(await answers('company', POISON, calls)).toEqual(sound)
})

test('what fails on an own row is still told', async () => {
  await using world = await start('company', POISON)
  await world.app.store.write((tx) => tx.run("UPDATE notes SET Body = 'broken' WHERE Id = 3"), {
    company: 'all',
    because: 'a test',
  })
  const { status, body } = await world.act('clerk', 'Notes', 'Mark', {})
  expect([status, body.code]).toEqual([400, 'STATEMENT_FAILED'])
  data(await world.act('clerk', 'Notes', 'Abs', {}))
})
