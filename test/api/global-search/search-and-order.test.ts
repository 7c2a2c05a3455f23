/**
 * Texts are found without regard to accents and case, options by what they are called, and rows are
 * sorted as people do.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { composeTextOrder } from '../../../src/model/sql/text-order.ts'
import { startApp } from '../../support/app.ts'
import { ExportedTypes } from '../../support/exported-types.ts'
import { Lookups } from '../../support/lookups.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Team" Table="teams" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Dish" Table="dishes" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="TeamId" References="Team"/>
  <Column Name="State" Type="Text"><Option Value="q" Label="Served"/><Option Value="w" Label="Put away"/></Column>
</Entity>
<ObjectView Name="Teams" Entity="Team"/>
<ObjectView Name="Dishes" Entity="Dish">
  <TableQuery>SELECT d.*, d.Name || (SELECT ' of ' || t.Name FROM teams t WHERE t.Id = d.TeamId) AS Full FROM dishes d</TableQuery>
  <Field Name="Name" Searchable="true"/>
  <Field Name="State" Searchable="true"/>
</ObjectView>
<Entity Name="Guest" Table="guests" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Town" Type="Text"/>
  <Column Name="TeamId" References="Team"/>
  <Index Columns="Name"/>
</Entity>
<Entity Name="Label" Table="labels"><Column Name="Code" Type="Text" Key="true" MaxLength="20"/></Entity>
<ObjectView Name="Guests" Entity="Guest">
  <TableQuery>SELECT g.*, 'of ' || g.Name AS Full, t.Name AS Team FROM guests g LEFT JOIN teams t ON t.Id = g.TeamId</TableQuery>
</ObjectView>
<ObjectView Name="Labels" Entity="Label"/>
</Model>`

const ACCESS = `<Rbac><Role Name="Cook">
  <Grant Resource="Dishes" Verbs="View List Create Update Export"/>
  <Grant Resource="Teams" Verbs="View List Create"/>
  <Grant Resource="Guests" Verbs="View List Create Update Export"/>
  <Grant Resource="Labels" Verbs="View List Create"/>
</Role></Rbac>`

const GERMAN = `<Texts Language="de"><Text Of="Dish.State.q">Aufgetragen</Text><Text Of="Dish.State.w">Weggeräumt</Text></Texts>`

const KITCHEN: TestApplication = {
  files: [
    { name: 'kitchen.xml', body: MODEL },
    { name: 'access.xml', body: ACCESS },
    { name: 'german.xml', body: GERMAN },
  ],
  ...makePeople('ONE', { cook: 'Cook' }),
}

const TEAMS = ['Señores', 'Senf', 'Nguyễn', 'Łódź']
const DISHES = ['éclair', 'ECLAIR noir', 'Crème brûlée', 'Knödel', 'Knodel', 'Ψωμί', '100 %_\\ É']

/** In their order. */
const GUESTS = [
  ...[null, 'Äpfel', 'apple', 'Banana', 'banana 2', 'Eclair', 'éclair', 'Öl', 'Zebra', 'zebra'],
]
const SEATED = [7, 2, 9, 0, 4, 6, 1, 8, 3, 5]

let kitchen: Lookups
beforeAll(async () => {
  kitchen = new Lookups(await startApp({ application: KITCHEN }))
  for (const Name of TEAMS) await kitchen.save('cook', 'Teams', { Name })
  for (const [at, Name] of DISHES.entries())
    await kitchen.save('cook', 'Dishes', { Name, TeamId: (at % 4) + 1, State: 'qw'[at % 2] })
})
beforeAll(async () => {
  for (const at of SEATED) {
    const Name = GUESTS[at] ?? null
    await kitchen.save('cook', 'Guests', { Name, Town: 'Ulm', TeamId: (at % 4) + 1 })
    await kitchen.save('cook', 'Labels', { Code: Name ?? '–' }, { IsNew: true })
  }
})
afterAll(() => kitchen[Symbol.asyncDispose]())

const names = async (request: object): Promise<string[]> =>
  (await kitchen.table('cook', 'Dishes', request)).Rows.map(({ Name }) => String(Name))

const filter = (Operator: string, Value: string, Field = 'Name') => ({
  Filters: [{ Field, Operator, Value }],
})

/** By SQL, and then by the text that was read meanwhile. */
async function search(SearchText: string): Promise<string[]> {
  const first = await names({ SearchText })
  await kitchen.app.context.queryCache.texts.settled()
  expect(await names({ SearchText })).toEqual(first)
  return first
}

const FOUND: [text: string, dishes: string[]][] = [
  ['eclair', ['éclair', 'ECLAIR noir']],
  ['Éclair', ['éclair', 'ECLAIR noir']],
  ['e\u0301CLAIR', ['éclair', 'ECLAIR noir']],
  ['BRULEE', ['Crème brûlée']],
  ['knödel', ['Knödel', 'Knodel']],
  ['ψωμι', ['Ψωμί']],
  ['%_\\ e', ['100 %_\\ É']],
  ['_clair', []],
  ['%', ['100 %_\\ É']],
]

test.each(FOUND)('a grid search and contains find by %p', async (text, dishes) => {
  expect(await search(text)).toEqual(dishes)
  expect(await names(filter('contains', text))).toEqual(dishes)
})

test('startsWith and endsWith ignore accents, eq and in do not', async () => {
  expect(await names(filter('startsWith', 'ecl'))).toEqual(['éclair', 'ECLAIR noir'])
  expect(await names(filter('startsWith', 'lair'))).toEqual([])
  expect(await names(filter('endsWith', 'brulee'))).toEqual(['Crème brûlée'])
  expect(await names(filter('endsWith', 'É'))).toEqual(['Crème brûlée', '100 %_\\ É'])
  expect(await names(filter('eq', 'Knodel'))).toEqual(['Knodel'])
  const Filters = [{ Field: 'Name', Operator: 'in', Value: ['eclair', 'Knödel'] }]
  expect(await names({ Filters })).toEqual(['Knödel'])
})

test('labels and expressions are matched alike', async () => {
  const ofSenores = ['éclair', 'Knodel']
  expect(await names(filter('contains', 'senor', 'TeamId__Label'))).toEqual(ofSenores)
  expect(await names(filter('contains', 'of SENOR', 'Full'))).toEqual(ofSenores)
  expect(await names(filter('endsWith', 'lodz', 'TeamId__Label'))).toEqual(['Knödel'])
})

test('lookups are searched without regard to accents', async () => {
  const labels = (SearchText: string) => kitchen.labels('cook', 'Dishes', 'TeamId', { SearchText })
  expect(await labels('nguyen')).toEqual(['Nguyễn'])
  expect(await labels('señ')).toEqual(['Senf', 'Señores'])
})

test('options are found by their labels, in the language of who asks', async () => {
  const served = DISHES.filter((_, at) => at % 2 === 0)
  const away = DISHES.filter((_, at) => at % 2 === 1)
  expect(await search('serv')).toEqual(served)
  expect(await names(filter('contains', 'AWAY', 'State'))).toEqual(away)
  expect(await names(filter('startsWith', 'put', 'State'))).toEqual(away)
  expect(await names(filter('startsWith', 'away', 'State'))).toEqual([])
  expect(await names(filter('contains', 'w', 'State'))).toEqual(away)
  const german = { headers: { 'Accept-Language': 'de' } }
  const ask = async (body: object) => {
    const { body: answer } = await kitchen.app.fetch<{ data: { Rows: { Name: string }[] } }>(
      '/api/v1/svc/object/Dishes/table',
      { ...german, as: 'cook', body },
    )
    return answer.data.Rows.map(({ Name }) => Name)
  }
  expect(await ask({ SearchText: 'weggeraumt' })).toEqual(away)
  expect(await ask({ SearchText: 'serv' })).toEqual([])
  expect(await ask(filter('contains', 'aufge', 'State'))).toEqual(served)
})

const guests = async (request: object): Promise<unknown[]> =>
  (await kitchen.table('cook', 'Guests', request)).Rows.map(({ Name }) => Name)

const sortBy = (Field: string, Direction = 'asc') => ({ Sort: [{ Field, Direction }] })

test('a grid is sorted by letters, then accents, then case', async () => {
  expect(await guests(sortBy('Name'))).toEqual(GUESTS)
  expect(await guests(sortBy('Name', 'desc'))).toEqual(GUESTS.toReversed())
  expect(await guests({ ...sortBy('Full'), AllCompanies: false })).toEqual(GUESTS)
  const Filters = [{ Field: 'Town', Operator: 'contains', Value: 'ulm' }]
  expect(await guests({ ...sortBy('Name'), Filters, SearchText: 'ecl' })).toEqual(
    GUESTS.filter((name) => /[eé]cl/i.test(name ?? '')),
  )
})

test('the index of the key gives the order, and nothing is sorted', async () => {
  const { Rows } = await kitchen.table('cook', 'Guests', { ...sortBy('Name'), PageSize: 2 })
  expect(Rows.map(({ Name }) => Name)).toEqual(GUESTS.slice(0, 2))
  const plan = await kitchen.stored(
    `EXPLAIN QUERY PLAN SELECT * FROM guests WHERE CompanyId = 1 ` +
      `ORDER BY ${composeTextOrder('"Name"')}, Id LIMIT 2`,
  )
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH guests USING INDEX ox1l_guests.CompanyId.Name (CompanyId=?)',
  ])
})

test.each(['asc', 'desc'])('cursors go through a text sort, %s', async (direction) => {
  for (const field of ['Name', 'Full', 'TeamId__Label', 'Team']) {
    const request = { ...sortBy(field, direction), PageSize: 3 }
    const whole = await guests({ ...request, PageSize: 50 })
    const seen: unknown[] = []
    for (let Cursor: string | null | undefined; ;) {
      const page = await kitchen.table('cook', 'Guests', { ...request, ...(Cursor && { Cursor }) })
      seen.push(...page.Rows.map(({ Name }) => Name))
      if (!page.Pagination.HasNext) break
      Cursor = page.Pagination.NextCursor
    }
    expect([field, ...seen]).toEqual([field, ...whole])
  }
})

test('labels of references, keys and joined columns come in the same order', async () => {
  const teams = ['Łódź', 'Nguyễn', 'Senf', 'Señores']
  for (const field of ['Team', 'TeamId__Label']) {
    const { Rows } = await kitchen.table('cook', 'Guests', sortBy(field))
    expect([...new Set(Rows.map((row) => row[field]))]).toEqual(teams)
  }
  expect(await kitchen.labels('cook', 'Guests', 'TeamId')).toEqual(teams)
  const codes = (await kitchen.table('cook', 'Labels')).Rows.map(({ Code }) => Code)
  expect(codes).toEqual(['–', ...GUESTS.slice(1)])
})

test('exports, lists and the explorer are sorted as the grid is', async () => {
  const asked = { ObjectName: 'Guests', Fields: ['Name'], ...sortBy('Name') }
  const exported = await new ExportedTypes(kitchen.app).rows('cook', asked)
  expect(exported.map(({ Name }) => Name)).toEqual(GUESTS)
  const explore = async (request: object) => {
    const { body: answer } = await kitchen.app.fetch<{ data: { Rows: Row[] } }>(
      '/api/v1/svc/object-explorer/query',
      { as: 'cook', body: { ObjectName: 'Guests', ...request } },
    )
    return answer.data.Rows.map(({ Name }) => Name)
  }
  expect(await explore({ Fields: ['Name'], ...sortBy('Name') })).toEqual(GUESTS)
  expect(await explore({ GroupBy: ['Name'] })).toEqual(GUESTS)
})
