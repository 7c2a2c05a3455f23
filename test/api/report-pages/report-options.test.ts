/** Options of a report's filters (src/server/README.md, Reports): under the report's own gate. */
import { describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { ITEM, startWithItems } from '../../support/items.ts'
import type { Refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
${ITEM}
<Report Name="Choice">
  <Filters>
    <Filter Name="Region" Type="Text"><DataSet>SELECT DISTINCT Region AS Value, Region AS Label FROM items WHERE Region IS NOT NULL ORDER BY 1</DataSet></Filter>
    <Filter Name="Item" Type="Text"><DataSet DependsOn="Region">SELECT Name AS Value, upper(Name) AS Label FROM items WHERE Region = @Region ORDER BY 1</DataSet></Filter>
    <Filter Name="Kind" Type="Text"><Option Value="a" Label="A"/></Filter>
    <Filter Name="Record" Type="Integer"><Lookup View="Items"/></Filter>
  </Filters>
</Report>
<Rbac><Role Name="Clerk"><Grant Resource="Choice" Verbs="List"/></Role></Rbac>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    ana: 'Clerk@ONE',
    cy: 'Clerk@TWO in TWO',
    dee: '',
  }),
}

const start = (): Promise<TestApp> => startWithItems({ application: ITEMS })

describe('options of filters', () => {
  const options = (app: TestApp, FieldName: string, more: object = {}, as = 'ana') =>
    app.fetch<{ data: object[] } & Refusal>('/api/v1/svc/object/field-dataset', {
      as,
      body: { FormName: 'choice', FieldName, ...more },
    })

  test('depend on other filters, within the company', async () => {
    await using app = await start()
    const regions = [
      { Value: 'north', Label: 'north' },
      { Value: 'south', Label: 'south' },
    ]
    expect((await options(app, 'Region')).body.data).toEqual(regions)
    expect((await options(app, 'region', {}, 'cy')).body.data).toEqual(regions.slice(0, 1))
    const north = { Parameters: { region: 'north', CurrentCompanyId: '2' } }
    expect((await options(app, 'Item', north)).body.data).toEqual([
      { Value: 'bolt', Label: 'BOLT' },
    ])
    expect((await options(app, 'Item')).body.data).toEqual([])
    expect((await options(app, 'Kind')).body.data).toEqual([{ Value: 'a', Label: 'A' }])
  })

  test('are none for who may not List the report, or the view that is looked up', async () => {
    await using app = await start()
    expect((await options(app, 'Region', {}, 'dee')).body.data).toEqual([])
    expect((await options(app, 'Record')).body.data).toEqual([])
    expect((await options(app, 'Record', {}, 'root')).body.data).toHaveLength(2)
    const unknown = await options(app, 'Nothing')
    expect([unknown.status, unknown.body.code]).toEqual([400, 'UNKNOWN_FIELD'])
  })
})
