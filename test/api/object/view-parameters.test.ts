/** Parameters of a request in a view's queries: its declared Parameters and its own columns. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { data, type Form, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Display="Title" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Required="true"/>
  <Column Name="OwnerId" References="User" Default="@CurrentUserId"/>
  <Column Name="DueOn" Type="Date"/>
  <Column Name="Pin" Type="Text"/>
</Entity>
<ObjectView Name="Notes" Entity="Note"/>
<ObjectView Name="Mine" Entity="Note">
  <TableQuery>SELECT * FROM notes WHERE OwnerId = @CurrentUserId AND (@Title IS NULL OR Title = @Title)</TableQuery>
</ObjectView>
<ObjectView Name="Due" Entity="Note">
  <Parameter Name="AsOf" Type="Date" Label="As of" Default="2026-01-31"/>
  <Parameter Name="Kind" Label="Kind of note"><Option Value="late"/><Option Value="early"/></Parameter>
  <TableQuery>SELECT n.*, @AsOf AS Asked, @Kind AS Sort FROM notes n WHERE DueOn &lt;= @AsOf</TableQuery>
  <FormQuery>SELECT Id, Title || ' as of ' || @AsOf AS Title FROM notes WHERE Id = @Id</FormQuery>
</ObjectView>
<ObjectView Name="Clocked" Entity="Note">
  <Parameter Name="At" Type="DateTime" Default="@Now"/>
  <TableQuery>SELECT n.*, @At AS Asked FROM notes n</TableQuery>
</ObjectView>
<ObjectView Name="Needy" Entity="Note">
  <Parameter Name="Least" Type="Integer" Required="true" Min="1"/>
  <TableQuery>SELECT * FROM notes WHERE Id >= @Least</TableQuery>
</ObjectView>
<ObjectView Name="Pins" Entity="Note">
  <TableQuery>SELECT * FROM notes WHERE @Pin IS NULL OR Pin = @Pin</TableQuery>
  <Field Name="Pin" In="None"/>
</ObjectView>
<Rbac>
  <Role Name="Writer">
    <Grant Resource="Notes" Verbs="View List Create"/>
    <Grant Resource="Mine" Verbs="View List"/>
    <Grant Resource="Due" Verbs="View List Update Export"/>
    <Grant Resource="Clocked" Verbs="View List"/>
    <Grant Resource="Needy" Verbs="View List"/>
    <Grant Resource="Pins" Verbs="View List"/>
  </Role>
</Rbac>
<Texts Language="de"><Text Of="Due.AsOf">Stichtag</Text></Texts>
</Model>`

const NOTES: TestApplication = {
  files: [{ name: 'notes.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System', ann: 'Writer', ben: 'Writer' }),
}

let notes: Objects
let benId: unknown
beforeAll(async () => {
  notes = new Objects(await startApp({ application: NOTES }))
  await notes.save('ann', 'Notes', { Title: 'hers', DueOn: '2026-01-15', Pin: '4711' })
  const { Values } = await notes.save('ben', 'Notes', { Title: 'his', DueOn: '2026-02-15' })
  benId = Values.OwnerId
})
afterAll(() => notes[Symbol.asyncDispose]())

const titles = async (view: string, Parameters: Row): Promise<unknown[]> =>
  (await notes.table('ann', view, { Parameters, Sort: [{ Field: 'Id' }] })).Rows.map(
    ({ Title }) => Title,
  )

describe('what nothing declares is dropped', () => {
  test.each([
    'CurrentUserId',
    'currentuserid',
    'CURRENTUSERID',
    'CurentUserId',
    '@CurrentUserId',
    'CurrentUserId ',
  ])('nobody reads others’ rows by %p', async (name) => {
    expect(await titles('Mine', { [name]: benId })).toEqual(['hers'])
    const { Id } = (await notes.table('ann', 'Mine')).Rows[0] ?? {}
    const form = await notes.form('ann', 'Mine', { Id, [name]: benId })
    expect(form.Values.Title).toBe('hers')
    const asked = { ObjectName: 'Mine', Parameters: { [name]: benId }, Fields: ['Title'] }
    const path = '/api/v1/svc/object-explorer/query'
    const found = await notes.app.fetch<{ data: { Rows: Row[] } }>(path, { as: 'ann', body: asked })
    expect(found.body.data.Rows).toEqual([{ Title: 'hers' }])
  })

  test('an output column binds and narrows', async () => {
    expect(await titles('Mine', { title: 'hers' })).toEqual(['hers'])
    expect(await titles('Mine', { Title: 'his' })).toEqual([])
  })

  test('a column that is served nowhere neither narrows nor binds', async () => {
    for (const Pin of ['4711', '0000']) expect(await titles('Pins', { Pin })).toHaveLength(2)
  })
})

describe('declared Parameters', () => {
  test('bind by their type, or as their Default says', async () => {
    expect(await titles('Due', {})).toEqual(['hers'])
    expect(await titles('Due', { asof: '2026-02-28' })).toEqual(['hers', 'his'])
    const [row] = (await notes.table('ann', 'Due', { Parameters: { Kind: 'late' } })).Rows
    expect(row).toMatchObject({ Asked: '2026-01-31', Sort: 'late' })
    const form = await notes.form('ann', 'Due', { Id: row?.Id, AsOf: '2026-03-01' })
    expect(form.Values.Title).toBe('hers as of 2026-03-01')
  })

  test.each([
    ['Due', { AsOf: 'soon' }, 'AsOf'],
    ['Due', { Kind: 'other' }, 'Kind'],
    ['Due', { AsOf: ['2026-01-01'] }, 'AsOf'],
    ['Needy', {}, 'Least'],
    ['Needy', { Least: '' }, 'Least'],
    ['Needy', { Least: 0 }, 'Least'],
    ['Needy', { Least: '1 OR 1=1' }, 'Least'],
  ])('%s refuses %p and names it', async (view, Parameters, name) => {
    const path = `/${view}/table`
    const refused = refusal(await notes.call('ann', path, { Parameters }), 400)
    expect(Object.keys(refused.fieldErrors ?? {})).toEqual([name])
    refusal(await notes.call('ann', `/${view}/form`, { Parameters: { Id: 1, ...Parameters } }), 400)
  })

  test('metadata shows them, in the language that was asked for', async () => {
    const path = '/api/v1/svc/object/due/metadata'
    const headers = { 'Accept-Language': 'de' }
    const answer = await notes.app.fetch<{ data: { Parameters: Row[] } }>(path, {
      as: 'ann',
      headers,
    })
    const [asOf, kind] = answer.body.data.Parameters
    expect(asOf).toMatchObject({
      Name: 'AsOf',
      Label: 'Stichtag',
      Type: 'Date',
      Required: false,
      Default: { Value: '2026-01-31' },
    })
    expect(kind).toMatchObject({ Name: 'Kind', Options: [{ Value: 'late' }, { Value: 'early' }] })
  })

  test('the access board tells no number of rows of a view that needs one', async () => {
    const base = '/api/v1/svc/auth/board'
    const matrix = await notes.app.fetch<{ data: { Version: string } }>(`${base}/matrix`, {
      as: 'sys',
      body: { Principals: ['role:Writer'], Resources: ['Needy'] },
    })
    const { Version } = matrix.body.data
    const change = { Principal: 'role:Writer', Resource: 'Needy', Verb: 'List', Grant: false }
    const body = { Version, Changes: [change], DryRun: true }
    const applied = await notes.app.fetch<{ data: { Impact: Row[] } }>(`${base}/apply`, {
      as: 'sys',
      body,
    })
    expect({ status: applied.status, text: applied.text }).toMatchObject({ status: 200 })
    const rows = applied.body.data.Impact.map(({ RowsBefore }) => RowsBefore)
    expect(new Set(rows)).toEqual(new Set([null]))
  })
})

test('a default that is the instant of the request is that of each request', async () => {
  const clock = { at: Date.now(), now: () => new Date(clock.at) }
  await using own = new Objects(await startApp({ application: NOTES, clock }))
  await own.save('ann', 'Notes', { Title: 'hers' })
  const asked = async (): Promise<unknown[]> => {
    const { Rows } = await own.table('ann', 'Clocked', {})
    const { Values } = data(
      await own.call<Form>('ann', '/Clocked/view', { Parameters: { Id: Rows[0]?.Id } }),
    )
    return [Rows[0]?.Asked, Values.Asked]
  }
  clock.at -= clock.at % 60_000
  for (let second = 0; second < 3; second++) {
    const now = clock.now().toISOString()
    expect(await asked()).toEqual([now, now])
    clock.at += 1000
  }
})
