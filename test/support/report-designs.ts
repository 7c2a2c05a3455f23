/** Reports to design, those who do, and the calls that they make. */
import type { AppOptions, TestApp } from './app.ts'
import { ITEM, startWithItems } from './items.ts'
import type { Refusal } from './objects.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
${ITEM}
<Entity Name="Unit" Table="units"><Column Name="Code" Type="Text" Key="true"/><Column Name="Weight" Type="Integer"/></Entity>
<Rbac>
  <Role Name="Designer"><Grant Resource="ReportDefinitions" Verbs="View Update"/><Grant Resource="Stock" Verbs="List"/><Grant Resource="Open" Verbs="List"/><RowFilter Resource="Stock">Region = 'north'</RowFilter></Role>
  <Role Name="Blind"><Grant Resource="ReportDefinitions" Verbs="View Update"/></Role>
  <Role Name="Looker"><Grant Resource="ReportDefinitions" Verbs="View"/><Grant Resource="Stock" Verbs="List"/></Role>
</Rbac>
</Model>`

export const report = (
  name: string,
  label: string,
  sql = 'SELECT Name, Region FROM items',
): string =>
  `<Report Name="${name}" Label="${label}"><DataSets><DataSet Name="All"><Sql>${sql}</Sql>` +
  '</DataSet></DataSets><Widgets><Widget Name="All" Kind="Table" DataSet="All"/></Widgets></Report>'

export const STOCK = { name: 'stock.xml', body: report('Stock', 'Stock') }
const OTHER = { name: 'other.xml', body: report('Other', 'Other') }

export const DESIGN: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }, STOCK, OTHER],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    des: 'Designer@ONE',
    bli: 'Blind@ONE',
    loo: 'Looker@ONE',
    dee: '',
    abe: 'Designer@TWO in TWO',
  }),
}

export const BASE = '/api/v1/svc/report-designer/definitions'

export interface Saved {
  Name: string
  Slug: string
  Created: boolean
  Unchanged: boolean
  VersionHash: string
}
export interface Version {
  VersionHash: string
  IsCurrent: boolean
  SavedBy: string | null
  Notes: string
}
export interface Draft {
  DefinitionXml: string
  Notes: string
  IsStale: boolean
  SavedAt: string
  SavedBy: string | null
}
export type Answered<T> = { data: T } & Refusal

export const startDesign = (options: AppOptions = {}): Promise<TestApp> =>
  startWithItems({ application: DESIGN, ...options })

export const call = <T>(app: TestApp, method: string, path: string, body?: unknown, as = 'des') =>
  app.fetch<Answered<T>>(`${BASE}/${path}`, { as, method, ...(body !== undefined && { body }) })

export const save = (app: TestApp, DefinitionXml: string, more: object = {}, as = 'des') =>
  call<Saved>(app, 'POST', 'save', { DefinitionXml, Notes: 'n', ...more }, as)
export const draft = (app: TestApp, key: string, DefinitionXml: string) =>
  call<Draft>(app, 'POST', `${key}/draft`, { DefinitionXml, Notes: 'd' })
export const publish = (app: TestApp, key: string) => call<Saved>(app, 'POST', `${key}/publish`)

export const versions = async (app: TestApp, key: string): Promise<Version[]> =>
  (await call<Version[]>(app, 'GET', `${key}/versions`)).body.data

export const findDraft = async (app: TestApp, key: string): Promise<Draft | null> =>
  (await call<Draft | null>(app, 'GET', `${key}/draft`)).body.data
