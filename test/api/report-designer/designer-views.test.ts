/**
 * `Svc:Designer:Sql=Views`: datasets that a designer wrote read tables as the views that their
 * reader may List, rows and fields alike.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { call, draft, publish, save } from '../../support/report-designs.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Person" Table="persons" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name"/><Column Name="Region"/>
  <Column Name="Salary" Type="Integer"/><Column Name="Bonus" Type="Integer"/><Column Name="Code"/>
  <Column Name="BossId" References="Person"/>
</Entity>
<Entity Name="Vault" Table="vaults"><Column Name="Id" Type="Integer" Key="true"/><Column Name="Word"/></Entity>
<ObjectView Name="Persons" Entity="Person"><Field Name="Code" In="None"/></ObjectView>
<ObjectView Name="Paid" Entity="Person" Resource="Paid">
  <TableQuery>SELECT p.Id, p.Salary AS Pay, b.Bonus AS BossBonus FROM persons p LEFT JOIN persons b ON b.Id = p.BossId WHERE p.Region = 'south'</TableQuery>
</ObjectView>
<ObjectView Name="Colleagues" Entity="User"><Field Name="Email" In="None"/></ObjectView>
<Report Name="Deployed">
  <DataSets><DataSet Name="All"><Sql>SELECT Name, Salary FROM persons ORDER BY Id</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets>
</Report>
<Report Name="Own">
  <Filters><Filter Name="One"/></Filters>
  <DataSets><DataSet Name="All"><Sql>SELECT 1 AS N</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets>
</Report>
<Rbac>
  <Role Name="Designer">
    <Grant Resource="ReportDefinitions" Verbs="View Update"/><Grant Resource="Own" Verbs="List Export"/>
    <Grant Resource="Deployed" Verbs="List"/><Grant Resource="Persons" Verbs="List View"/>
    <RowFilter Resource="Persons">Region = 'north'</RowFilter>
    <FieldRule Resource="Persons" Field="Salary" Access="Hidden"/>
  </Role>
  <Role Name="Payer"><Grant Resource="Paid" Verbs="List"/></Role>
  <Role Name="Clerk"><Grant Resource="Colleagues" Verbs="List"/></Role>
  <Role Name="Blind"><Grant Resource="Own" Verbs="List"/><Grant Resource="Persons" Verbs="View"/></Role>
</Rbac>
<Rows Entity="Person" Key="Id">
  <Row Id="1" CompanyId="1" Name="ann" Region="north" Salary="10" Bonus="1" Code="c1"/>
  <Row Id="2" CompanyId="1" Name="ben" Region="south" Salary="20" Bonus="2" Code="c2" BossId="1"/>
  <Row Id="3" CompanyId="1" Name="{" Region="west" Salary="30" Bonus="3" Code="c3" BossId="1"/>
  <Row Id="4" CompanyId="2" Name="dan" Region="north" Salary="40" Bonus="4" Code="c4"/>
</Rows>
<Rows Entity="Vault" Key="Id"><Row Id="1" Word="canary"/></Rows>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'persons.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    des: 'Designer',
    pay: 'Designer Payer',
    clerk: 'Designer Clerk',
    blind: 'Blind',
  }),
}

const start = (sql: string): Promise<TestApp> =>
  startApp({ application: APPLICATION, settings: { 'Svc:Designer:Sql': sql } })

let app: TestApp
beforeAll(async () => {
  app = await start('Views')
})
afterAll(() => app[Symbol.asyncDispose]())

const own = (sql: string, filter = ''): string =>
  `<Report Name="Own"><Filters><Filter Name="One">${filter}</Filter></Filters>` +
  `<DataSets><DataSet Name="All"><Sql>${sql}</Sql></DataSet></DataSets>` +
  '<Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets></Report>'

interface Page {
  data: { DataSets: Record<string, { Rows: object[]; Error?: string }> }
}

const dataOf = async (as: string, path = '/api/v1/svc/reports/own/data', on = app) => {
  const { body } = await on.fetch<Page>(path, { as, body: {} })
  return body.data.DataSets.All
}

const DRAFT = '/api/v1/svc/report-designer/definitions/Own/draft/data'
const UNSHOWN = 'The dataset reads data that you have no view for'

/** The rows of a draft's dataset, or why there are none. */
async function read(sql: string, as = 'des', path = DRAFT): Promise<unknown> {
  const stored = await draft(app, 'Own', own(sql))
  expect([sql, stored.status]).toEqual([sql, 200])
  const { Rows, Error: reason } = (await dataOf(as, path)) ?? { Rows: [] }
  return reason ?? Rows.map((row) => Object.values(row).join(' '))
}

describe('a dataset of a designer reads', () => {
  const cases: [string, string, string, unknown][] = [
    ['the rows of the row filter', 'des', 'SELECT Name FROM persons', ['ann']],
    ['no hidden column', 'des', 'SELECT Name, Salary FROM persons', UNSHOWN],
    [
      'no hidden column as a condition',
      'des',
      'SELECT Name FROM persons WHERE Salary > 1',
      UNSHOWN,
    ],
    ['no hidden column as an order', 'des', 'SELECT Name FROM persons ORDER BY Salary', UNSHOWN],
    ['no hidden column of a star', 'des', 'SELECT * FROM persons', UNSHOWN],
    ['no field that is nowhere', 'des', 'SELECT Code FROM persons', UNSHOWN],
    ['no sum of what is hidden', 'des', 'SELECT sum(Salary) AS S FROM persons', UNSHOWN],
    [
      'own rows in a common table expression',
      'des',
      'WITH x AS (SELECT Name FROM persons) SELECT * FROM x',
      ['ann'],
    ],
    [
      'no hidden column in one',
      'des',
      'WITH x AS (SELECT Salary AS S FROM persons) SELECT count(*) AS N FROM x WHERE S > 1',
      UNSHOWN,
    ],
    [
      'own rows in a subquery',
      'des',
      'SELECT (SELECT count(*) FROM persons) AS N, (SELECT group_concat(Name) FROM "PERSONS") AS A',
      ['1 ann'],
    ],
    [
      'no hidden column in one',
      'des',
      'SELECT Name FROM persons p WHERE EXISTS (SELECT 1 FROM persons q WHERE q.Salary > 5)',
      UNSHOWN,
    ],
    ['own rows of both sides', 'des', 'SELECT count(*) AS N FROM persons a, persons b', ['1']],
    [
      'own rows of each part',
      'des',
      'SELECT Id FROM persons UNION ALL SELECT Id FROM persons',
      ['1', '1'],
    ],
    [
      'nothing of hidden rows by an error',
      'des',
      "SELECT json(replace(Name, 'ann', '1')) AS V FROM persons",
      ['1'],
    ],
    [
      'the rows of two views, each cell by those that serve it',
      'pay',
      'SELECT Id, Name, Salary FROM persons ORDER BY Id',
      ['1 ann ', '2  20'],
    ],
    [
      'no cell that a view has of another record',
      'pay',
      'SELECT Id, Bonus FROM persons ORDER BY Id',
      ['1 1', '2 '],
    ],
    [
      'no sum beyond them',
      'pay',
      'SELECT sum(Salary) AS S, count(Name) AS N FROM persons',
      ['20 1'],
    ],
    ['no users without a view of theirs', 'des', 'SELECT count(*) AS N FROM svc_users', UNSHOWN],
    [
      'users as their view shows them',
      'clerk',
      "SELECT UserName FROM svc_users WHERE UserName = 'des'",
      ['des'],
    ],
    ['no mail addresses', 'clerk', 'SELECT Email FROM svc_users', UNSHOWN],
    ['no roles of users', 'clerk', 'SELECT Role FROM svc_user_roles', UNSHOWN],
    ['the own company', 'des', 'SELECT Code FROM svc_companies', ['ONE']],
    ['no table without a view', 'des', 'SELECT Word FROM vaults', UNSHOWN],
    [
      'no table without a view beside one',
      'des',
      'SELECT p.Name, v.Word FROM persons p, vaults v',
      UNSHOWN,
    ],
    ['values alone', 'des', 'SELECT @CurrentUserName AS U', ['des']],
    [
      'the whole company for System',
      'root',
      'SELECT Name, Salary FROM persons WHERE Id = 3',
      ['{ 30'],
    ],
  ]
  test.each(cases)('%s (%s)', async (_, as, sql, rows) => {
    expect(await read(sql.replaceAll('>', '&gt;'), as)).toEqual(rows)
  })
})

describe('what a designer saved', () => {
  test('is held for whoever reads it, on the screen and as a file', async () => {
    expect((await save(app, own('SELECT Name FROM persons ORDER BY Id'))).status).toBe(200)
    expect((await dataOf('des'))?.Rows).toEqual([{ Name: 'ann' }])
    expect((await dataOf('root'))?.Rows).toHaveLength(3)
    expect(await dataOf('blind')).toMatchObject({ Rows: [], Error: UNSHOWN })
    const csv = await app.fetch('/report/page?report=own&format=csv', { as: 'des' })
    expect(csv.text).toContain('ann')
    expect(csv.text).not.toContain('ben')
    expect((await draft(app, 'Own', own('SELECT Id, Name FROM persons'))).status).toBe(200)
    expect((await publish(app, 'Own')).status).toBe(200)
    expect((await dataOf('des'))?.Rows).toEqual([{ Id: '1', Name: 'ann' }])
  })

  test('offers no options and no default of what is hidden', async () => {
    const ask = async (filter: string, more: object) => {
      expect((await save(app, own('SELECT @One AS One', filter))).status).toBe(200)
      const body = { FormName: 'Own', FieldName: 'One', ...more }
      const path = '/api/v1/svc/object/field-dataset'
      const { body: options } = await app.fetch<{ data: { Value: string }[] }>(path, {
        as: 'des',
        body,
      })
      return options.data.map(({ Value }) => Value)
    }
    const set = (sql: string) => `<DataSet>${sql}</DataSet>`
    expect(await ask(set('SELECT Id AS Value, Name AS Label FROM persons'), {})).toEqual(['1'])
    expect(await ask(set('SELECT Salary AS Value, Name AS Label FROM persons'), {})).toEqual([])
    const word = '<Default>SELECT max(Name) FROM persons</Default>'
    expect(await ask(word, { Default: true })).toEqual(['ann'])
    expect((await dataOf('des'))?.Rows).toEqual([{ One: 'ann' }])
    const pay = '<Default>SELECT max(Salary) FROM persons</Default>'
    expect(await ask(pay, { Default: true })).toEqual([])
    expect((await dataOf('des'))?.Rows).toEqual([{ One: null }])
  })

  test('is none of the deployer’s: that reads what it was written for', async () => {
    expect((await dataOf('des', '/api/v1/svc/reports/deployed/data'))?.Rows).toHaveLength(3)
    const DefinitionXml = MODEL.slice(
      MODEL.indexOf('<Report Name="Deployed">'),
      MODEL.indexOf('<Report Name="Own">'),
    ).trim()
    const again = DefinitionXml.replace('Name, Salary', 'Salary')
    expect((await save(app, again)).status).toBe(200)
    expect((await dataOf('des', '/api/v1/svc/reports/deployed/data'))?.Error).toBe(UNSHOWN)
    expect((await save(app, DefinitionXml)).status).toBe(200)
    expect((await dataOf('des', '/api/v1/svc/reports/deployed/data'))?.Rows).toHaveLength(3)
  })

  test('reads all of the company by the setting’s default', async () => {
    await using open = await start('All')
    const sql = own('SELECT Salary FROM persons')
    expect((await call(open, 'POST', 'save', { DefinitionXml: sql, Notes: '' })).status).toBe(200)
    expect((await dataOf('des', undefined, open))?.Rows).toHaveLength(3)
  })
})
