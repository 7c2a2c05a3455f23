/** Badges beside views and reports that narrow count what their reader could list, no more. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Navigation } from '../../support/navigation.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const item = (name: string, badge: string, target: string): string =>
  `<Item Name="${name}" ${target}><Badge>${badge}</Badge></Item>`

describe('what the caller could list', () => {
  const PERSON = `<Entity Name="Person" Table="persons" Display="Name" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Name" Type="Text"/>
    <Column Name="Left" Type="Boolean"/>
    <Column Name="Salary" Type="Integer"/>
    <Index Columns="Salary"/>
  </Entity>
  <Entity Name="Bonus" Table="bonuses" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Amount" Type="Integer"/>
  </Entity>`
  const report = (name: string, dataSets: string, widgets: string): string =>
    `<Report Name="${name}"><DataSets>${dataSets}</DataSets><Widgets>${widgets}</Widgets>
      <Layout><Row><Cell Widget="W"/></Row></Layout></Report>`
  const kpi = (name: string, dataSet: string, rest = ''): string =>
    `<Widget Name="${name}" Kind="Kpi" DataSet="${dataSet}" ${rest}><Series Column="N"/></Widget>`
  const set = (name: string, sql: string): string =>
    `<DataSet Name="${name}"><Sql>${sql}</Sql></DataSet>`
  const ALL = 'SELECT count(*) AS N FROM persons'
  const PAY = 'SELECT sum(Salary) AS N FROM persons'
  const one = set('One', 'SELECT 1 AS N')
  const REPORTS = [
    report('Whole', set('All', ALL), kpi('W', 'All')),
    report(
      'Withheld',
      set('All', ALL) + one,
      kpi('W', 'One') + kpi('X', 'All', 'AllowedRoles="Boss"'),
    ),
    report('Outside', set('All', ALL) + one, kpi('W', 'One') + kpi('X', 'All')),
    report('Part', set('All', `${ALL} WHERE Id = 1`), kpi('W', 'All')),
    report('Pay', set('All', PAY), kpi('W', 'All')),
  ]
  const names = ['Whole', 'Withheld', 'Outside', 'Part', 'Pay']
  const grants = names.map((name) => `<Grant Resource="${name}" Verbs="List"/>`).join('')
  const VIEWS = `
    <ObjectView Name="Staff" Entity="Person">
      <TableQuery>SELECT Id, Name FROM persons WHERE "Left" = 0</TableQuery>
      <Field Name="Name"/>
    </ObjectView>
    <ObjectView Name="Wages" Entity="Person"><TableQuery>SELECT Id, Salary AS Pay FROM persons WHERE Id &lt; 3</TableQuery></ObjectView>
    <ObjectView Name="Aides" Entity="Person">
      <TableQuery>SELECT p.Id, b.Salary AS BossPay FROM persons p JOIN persons b ON b.Id = 4</TableQuery>
    </ObjectView>
    <ObjectView Name="Persons" Entity="Person"><Field Name="Salary" In="None"/></ObjectView>
    <Rbac>
      <Role Name="Boss"><Grant Resource="Persons" Verbs="List View"/><Grant Resource="Wages" Verbs="List View"/></Role>
      <Role Name="Aide"><Grant Resource="Aides" Verbs="List View"/></Role>
      <Role Name="Porter"><Grant Resource="Staff" Verbs="List View"/></Role>
      <Role Name="Payer"><Grant Resource="Staff" Verbs="List View"/><Grant Resource="Wages" Verbs="List View"/></Role>
      <Role Name="Viewer">${grants}</Role>
    </Rbac>`
  const SUM = 'SELECT sum(Salary) FROM persons'
  const BADGES = [
    ...['Staff', 'Persons'].map((name) =>
      item(name, 'SELECT count(*) FROM persons', `Object="${name}"`),
    ),
    item('Link', 'SELECT count(*) FROM persons', 'Url="/x"'),
    item('Gone', 'SELECT count(*) FROM persons WHERE "Left" = 1', 'Url="/x"'),
    item('Sum', SUM, 'Url="/x"'),
    item('StaffSum', SUM, 'Object="Staff"'),
    item('ByPay', 'SELECT count(*) FROM persons WHERE Salary &gt; 25', 'Url="/x"'),
    item(
      'Inner',
      `SELECT count(*) FROM (SELECT max(Salary) AS S FROM persons) WHERE S = 40`,
      'Url="/x"',
    ),
    ...names.map((name) => item(name, 'SELECT count(*) FROM persons', `Report="${name}"`)),
    item('WholeSum', SUM, 'Report="Whole"'),
    item('PaySum', SUM, 'Report="Pay"'),
    item('Bonus', 'SELECT sum(Amount) FROM bonuses', 'Url="/x"'),
    item('Bonuses', 'SELECT count(*) FROM bonuses', 'Url="/x"'),
  ]
  const rows = [
    [1, 'ann', 0, 10],
    [2, 'ben', 1, 20],
    [3, 'cid', 0, 30],
    [4, 'dan', 1, 40],
  ].map(
    ([id, name, left, pay]) =>
      `<Row Id="${id}" CompanyId="1" Name="${name}" Left="${left}" Salary="${pay}"/>`,
  )
  const ROWS = `<Rows Entity="Person" Key="Id">${rows.join('')}</Rows>
    <Rows Entity="Bonus" Key="Id"><Row Id="1" CompanyId="1" Amount="5"/></Rows>`
  const files = [
    { name: 'entities.xml', body: `<Model>${PERSON}${ROWS}</Model>` },
    {
      name: 'rest.xml',
      body: `<Model>${REPORTS.join('')}${VIEWS}<Navbar Name="main">${BADGES.join('')}</Navbar></Model>`,
    },
  ]
  const APPLICATION: TestApplication = {
    files,
    ...makePeople('ONE', {
      boss: 'Boss',
      aide: 'Aide',
      porter: 'Porter',
      payer: 'Payer',
      viewer: 'Viewer',
      system: 'System',
    }),
  }
  let bureau: Navigation
  beforeAll(async () => {
    bureau = await Navigation.start({ application: APPLICATION })
  })
  afterAll(() => bureau[Symbol.asyncDispose]())

  const cases: [string, string, Record<string, number | boolean>][] = [
    [
      'a query that narrows by itself is no whole table; what it does not serve is not summed',
      'porter',
      { Staff: 2, Link: 2, Bonuses: 1 },
    ],
    [
      'what another view serves is counted on its rows, within those of the item’s own view',
      'payer',
      { Staff: 2, Link: 3, Sum: 30, StaffSum: 10, ByPay: 0, Inner: 0, Bonuses: 1 },
    ],
    [
      'what a view has of another record is no cell of this one',
      'aide',
      { Link: 4, Sum: 40, ByPay: 1, Inner: 1, Bonuses: 1 },
    ],
    [
      'a whole view counts whole, but no field that is on none of its surfaces',
      'boss',
      { Persons: 4, Link: 4, Gone: 2, Sum: 30, ByPay: 0, Inner: 0, Bonuses: 1 },
    ],
    [
      'a report shows what its visible widgets read, where they leave nothing out',
      'viewer',
      {
        Whole: 4,
        Withheld: 0,
        Outside: 0,
        Part: 0,
        Pay: 4,
        WholeSum: 0,
        PaySum: 100,
        Link: 0,
        Gone: 0,
        Sum: 0,
        ByPay: 0,
        Inner: 0,
        Bonuses: 1,
      },
    ],
  ]
  test.each(cases)('%s', async (_, as, values) => {
    expect(await bureau.values(as)).toEqual(values)
  })

  test('System counts the company', async () => {
    expect(await bureau.values('system')).toMatchObject({ Staff: 4, Sum: 100, Bonus: 5, Inner: 1 })
  })
})
