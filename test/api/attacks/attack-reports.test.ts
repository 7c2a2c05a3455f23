/** Attacks by a caller of report pages: by arguments, options, errors, other routes. */
import { describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Refusal } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const CANARY = 'canary-of-company-two'

const MODEL = `<Model>
<Entity Name="Item" Table="items" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Facts" Type="Text" MaxLength="100000"/>
</Entity>
<Report Name="Facts">
  <Filters>
    <Filter Name="Region" Type="Text" MaxLength="20"/>
    <Filter Name="To" Type="Date"/>
    <Filter Name="Item" Type="Text"><DataSet>SELECT Name AS Value, Name AS Label FROM items</DataSet></Filter>
    <Filter Name="First" Type="Text"><Default DependsOn="Region">SELECT min(Name) FROM items WHERE @Region IS NULL OR Region = @Region</Default></Filter>
  </Filters>
  <DataSets>
    <DataSet Name="Parsed"><Sql>SELECT Id, Region, json_extract(Facts, '$.a') AS A FROM items WHERE @Region IS NULL OR Region = @Region</Sql></DataSet>
    <DataSet Name="Bound"><Sql>SELECT @Region AS Region, @To AS Until, @To_End AS UntilEnd, @First AS First, @CurrentCompanyId AS Company, @CurrentUserName AS Who, Region AS Own FROM items LIMIT 1</Sql></DataSet>
    <DataSet Name="Hidden"><Sql>SELECT Name AS HiddenName FROM items</Sql></DataSet>
  </DataSets>
  <Widgets>
    <Widget Name="Parsed" Kind="Table" DataSet="Parsed"/>
    <Widget Name="Bound" Kind="Table" DataSet="Bound"/>
    <Widget Name="Hidden" Kind="Kpi" DataSet="Hidden" AllowedRoles="Chief"><Compare Column="HiddenName" Label="secret"/></Widget>
  </Widgets>
</Report>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Facts" Verbs="List"/></Role>
  <Role Name="North"><Grant Resource="Facts" Verbs="List"/><RowFilter Resource="Facts" DataSet="Parsed">Region = 'north'</RowFilter></Role>
</Rbac>
</Model>`

const ITEMS: TestApplication = {
  files: [{ name: 'items.xml', body: MODEL }],
  ...makePeople('ONE TWO', { ana: 'Clerk@ONE', nor: 'North@ONE', dee: '' }),
}

interface Data {
  DataSets: Record<
    string,
    { Rows: Record<string, string | null>[]; Error?: string; Truncated?: string }
  >
  AccessibleWidgets: string[]
}

const DATA = '/api/v1/svc/reports/Facts/data'

async function start(settings: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({ application: ITEMS, settings })
  await write(
    app,
    `INSERT INTO items (CompanyId, Name, Region, Facts) VALUES (1, 'bolt', 'north', '{"a":1}'),
      (1, 'nut', 'south', '{"a":2}'), (2, '${CANARY}', 'north', '{"a":"${CANARY}"}')`,
  )
  return app
}

const write = (app: TestApp, sql: string) =>
  app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

const ask = (app: TestApp, as: string, body: object, headers: Record<string, string> = {}) =>
  app.fetch<{ data: Data } & Refusal>(DATA, { as, body, headers })

describe('arguments', () => {
  test('reach filters alone, in any case; the first of one name counts', async () => {
    await using app = await start()
    const given = {
      REGION: 'north',
      region: 'south',
      to: '2026-01-31',
      FIRST: 'x',
      CurrentCompanyId: '2',
      currentusername: 'root',
      To_End: '1999-01-01',
      to_end: 'x',
      _max: '1',
      _rows: '0',
      _bytes: '0',
      _text: '1',
      svc_company: '2',
    }
    const { body, status, text } = await ask(app, 'ana', { Arguments: given })
    expect(status, text).toBe(200)
    expect(body.data.DataSets.Bound?.Rows).toEqual([
      {
        Region: 'north',
        Until: '2026-01-31',
        UntilEnd: '2026-02-01T00:00:00.000Z',
        First: 'x',
        Company: '1',
        Who: 'ana',
        Own: 'north',
      },
    ])
    expect(body.data.DataSets.Parsed?.Rows.map((row) => row.A)).toEqual(['1'])
  })

  test('named like what objects inherit are no filters', async () => {
    await using app = await start()
    const Arguments = JSON.parse(
      '{"__proto__":"x","constructor":"y","toString":"z","hasOwnProperty":"w"}',
    ) as object
    const { status, body } = await ask(app, 'ana', { Arguments })
    expect(status).toBe(200)
    expect(body.data.DataSets.Parsed?.Rows).toHaveLength(2)
  })

  test('that do not fit are refused without being repeated', async () => {
    await using app = await start()
    const long = 'value-of-the-caller-'.repeat(2000)
    const { status, body, text } = await ask(app, 'ana', {
      Arguments: { Region: long, To: "2026-01-31' OR 1=1 --" },
    })
    expect(status).toBe(400)
    expect(Object.keys(body.fieldErrors ?? {})).toEqual(['Region', 'To'])
    expect(text).not.toContain('value-of-the-caller')
    expect(text).not.toContain('1=1')
    for (const Arguments of [{ Region: 1 }, { Region: ['a'] }, { Region: {} }, 'x', ['x']])
      expect((await ask(app, 'ana', { Arguments })).status).toBe(400)
  })

  test('are values, whatever they say', async () => {
    await using app = await start()
    for (const Region of ["' OR 1=1", '%', '@Id', "n'||'orth", 'north;--']) {
      const { body } = await ask(app, 'ana', { Arguments: { Region } })
      expect(body.data.DataSets.Parsed?.Rows).toEqual([])
    }
  })
})

describe('what a caller does not reach', () => {
  test('shows in no cell, default or option', async () => {
    await using app = await start()
    const headers = { 'X-Company': '2', 'X-CompanyId': '2' }
    const data = await ask(app, 'ana', { CompanyId: 2, companyId: 2, AllCompanies: true }, headers)
    expect(data.status).toBe(200)
    expect(data.text).not.toContain(CANARY)
    for (const as of ['ana', 'dee'])
      for (const FieldName of ['Item', 'First'])
        for (const more of [{}, { Default: true }, { SearchText: 'canary' }]) {
          const options = await app.fetch('/api/v1/svc/object/field-dataset', {
            as,
            body: { FormName: 'Facts', FieldName, AllCompanies: true, ...more },
          })
          expect(options.text).not.toContain(CANARY)
          if (as === 'dee') expect(options.text).not.toContain('bolt')
        }
  })

  test('fails nothing: neither rows of others nor those of a row filter', async () => {
    await using app = await start()
    await write(app, `UPDATE items SET Facts = 'no JSON: ${CANARY}' WHERE CompanyId = 2`)
    const ana = await ask(app, 'ana', {})
    expect(ana.body.data.DataSets.Parsed?.Rows.map((row) => row.A)).toEqual(['1', '2'])
    await write(app, `UPDATE items SET Facts = 'no JSON either' WHERE Region = 'south'`)
    const north = await ask(app, 'nor', {})
    expect(north.body.data.DataSets.Parsed?.Rows.map((row) => row.A)).toEqual(['1'])
    const own = await ask(app, 'ana', {})
    expect(own.status).toBe(400)
    expect(own.text).not.toContain('no JSON either')
    expect(own.text).not.toContain('json_extract')
  })

  test('is no widget of theirs, nor a dataset that it alone reads, by any name', async () => {
    await using app = await start()
    for (const Arguments of [{ Hidden: '1' }, { DataSets: 'Hidden' }, { Widgets: 'Hidden' }]) {
      const body = { Arguments, DataSets: ['Hidden'], Widgets: ['Hidden'], AllowedRoles: 'Chief' }
      const answer = await ask(app, 'ana', body)
      expect(answer.status).toBe(200)
      expect(answer.body.data.AccessibleWidgets).toEqual(['Parsed', 'Bound'])
      expect(answer.text).not.toContain('HiddenName')
    }
  })

  test('is not told by the same question in another spelling of the route', async () => {
    await using app = await start()
    for (const path of [
      ...[`${DATA}/`, `${DATA}?AllCompanies=true`, DATA.replace('Facts', 'FACTS')],
      ...[DATA.replace('Facts', '%46acts'), DATA.replace('reports', 'Reports')],
    ]) {
      const { status, text } = await app.fetch(path, { as: 'dee', body: {} })
      expect([401, 404]).toContain(status)
      expect(text).not.toContain('bolt')
    }
  })
})

describe('bytes', () => {
  test('of one row over the bound are told, and no part of it is shown', async () => {
    await using app = await start({ 'Svc:Results:MaxBytes': '2048' })
    await write(
      app,
      `UPDATE items SET Facts = json_object('a', printf('%5000c', 'x')) WHERE Id = 1`,
    )
    const { body, text } = await ask(app, 'ana', {})
    expect(text.length).toBeLessThan(2500)
    expect(body.data.DataSets.Parsed?.Rows).toEqual([])
    expect(body.data.DataSets.Parsed?.Truncated).toContain('Svc:Results:MaxBytes')
    expect(body.data.DataSets.Bound?.Rows).toHaveLength(1)
  })
})
