/** The global search of a running application, as tests ask it. */
import { SearchRebuild } from '../../src/engine/global-search/rebuild.ts'
import type { SearchResult } from '../../src/features/global-search/schema.ts'
import { type AppOptions, startApp, type TestApp } from './app.ts'
import { Imports } from './imports.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

/** Orders of customers, articles that all companies share, and rooms with a key of two columns. */
const MODEL = `<Model>
<Entity Name="Customer" Table="customers" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="Remark" Type="Text"/>
</Entity>
<Entity Name="Order" Table="orders" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Required="true"/>
  <Column Name="CustomerId" References="Customer" OnDelete="Cascade"/>
  <Column Name="Note" Type="Text"/>
</Entity>
<Entity Name="OrderLine" Table="order_lines" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="OrderId" References="Order" OnDelete="Cascade"/>
  <Column Name="Article" Type="Text"/>
</Entity>
<Entity Name="Article" Table="articles">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Room" Table="rooms" Company="CompanyId">
  <Column Name="Floor" Type="Integer" Key="true"/>
  <Column Name="Door" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<ObjectView Name="Customers" Label="Our customers" Entity="Customer">
  <Field Name="Remark" In="Form"/>
  <Search Title="Name" Text="Secret Remark"/>
</ObjectView>
<ObjectView Name="Orders" Entity="Order">
  <TableQuery>SELECT o.*, c.Name AS Customer,
    (SELECT group_concat(l.Article, ', ') FROM order_lines l WHERE l.OrderId = o.Id) AS Articles
    FROM orders o LEFT JOIN customers c ON c.Id = o.CustomerId</TableQuery>
  <Search Title="Number" Text="Customer Articles Note"/>
</ObjectView>
<ObjectView Name="Labelled" Entity="Order">
  <Search Title="Number" Text="CustomerId"/>
</ObjectView>
<ObjectView Name="Mine" Entity="Order">
  <TableQuery>SELECT o.*, o.Note || @CurrentUserName AS Mine FROM orders o
    WHERE @CurrentUserName = 'clerk'</TableQuery>
  <Search Title="Number" Text="Note Mine"/>
</ObjectView>
<ObjectView Name="OrderLines" Entity="OrderLine"/>
<ObjectView Name="Articles" Entity="Article"><Search Title="Name" Text="Code"/></ObjectView>
<ObjectView Name="Rooms" Entity="Room"><Search Title="Name"/></ObjectView>
</Model>`

const VIEWS = ['Customers', 'Orders', 'Labelled', 'Mine', 'OrderLines', 'Articles', 'Rooms']
const grant = (verbs: string, views = VIEWS): string =>
  views.map((name) => `<Grant Resource="${name}" Verbs="${verbs}"/>`).join('')
const ALL_VERBS = 'List View Create Update Delete Import'
const SECRET = '<FieldRule Resource="Customers" Field="Secret" Access="Hidden"/>'
const NORTH = '<RowFilter Resource="Customers">Region = \'north\'</RowFilter>'

const ACCESS = `<Rbac>
  <Role Name="Clerk" Label="Clerk">${grant(ALL_VERBS)}</Role>
  <Role Name="Local" Label="Local">${grant('List', ['Customers'])}${NORTH}</Role>
  <Role Name="Narrow" Label="Narrow">${grant('List View', ['Customers'])}${SECRET}</Role>
  <Role Name="Reader" Label="Reader">${grant('View', ['Customers'])}</Role>
  <Role Name="Lister" Label="Lister">${grant('List', ['Customers'])}</Role>
</Rbac>`

/** The files of the application that is searched. */
export const SEARCHED_FILES = [
  { name: 'model.xml', body: MODEL },
  { name: 'access.xml', body: ACCESS },
]

const SEARCHED: TestApplication = {
  files: SEARCHED_FILES,
  ...makePeople('ONE TWO', {
    clerk: 'Clerk',
    other: 'Clerk in TWO',
    local: 'Local',
    narrow: 'Narrow',
    partly: 'Local Narrow',
    reader: 'Reader',
    lister: 'Lister',
    nobody: '',
    sys: 'System in ONE TWO',
  }),
}

/** The application without records, whose index is whole. */
export async function startSearched(options: AppOptions = {}): Promise<Imports> {
  const objects = new Imports(await startApp({ application: SEARCHED, ...options }))
  await settleSearch(objects.app)
  return objects
}

/** Does what the background of the search does, until nothing is left. */
export const settleSearch = (app: TestApp): Promise<void> => new SearchRebuild(app.context).run()

/** The results of a user's search. Throws for an answer other than 200. */
export async function search(
  app: TestApp,
  as: string,
  q: string,
  more: Readonly<Record<string, string>> = {},
): Promise<SearchResult> {
  const query = new URLSearchParams({ q, ...more })
  const answer = await app.fetch<{ data: SearchResult }>(`/api/v1/svc/search?${query}`, { as })
  if (answer.status !== 200) throw new Error(`${q}: ${answer.status} ${answer.text}`)
  return answer.body.data
}

/** The titles of what a user finds, by object. */
export async function findTitles(
  app: TestApp,
  as: string,
  q: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, string[]>> {
  const { Groups } = await search(app, as, q, more)
  return Object.fromEntries(
    Groups.map(({ Object, Hits }) => [Object, Hits.map((hit) => hit.Title)]),
  )
}
