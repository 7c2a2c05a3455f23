/** A record's workbook of several sheets, as another program reads it: names, types, rows. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { cellsOf, readWorkbook } from '../../support/sheets.ts'
import type { TestApplication } from '../../support/template.ts'

/** Labels that are no names of sheets, or are the names of others. */
const LABELS = [
  `Parts [of] a: order / all *kinds*?`,
  `'Parts  of  a  order  of  all  kinds`,
  'Notes',
  'Notes (5)',
  'NOTES',
  'Notes (4)',
  'History',
  `Thirty letters and an end: '''s`,
  `Say 'it', the name of a sheet 'x'`,
  ` 'quoted' `,
  '🚀'.repeat(20),
]

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll("'", '&apos;')

const planParts = (label: string, at: number): string =>
  `<ObjectView Name="Parts${at}" Entity="Part" Resource="Jobs" Label="${escape(label)}"/>`

const MODEL = `<Model>
<Entity Name="Job" Table="jobs" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Amount" Type="Decimal" Scale="2" Format="#,##0.00"/>
  <Column Name="Count" Type="Integer"/>
  <Column Name="Done" Type="Boolean"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="SeenAt" Type="DateTime"/>
</Entity>
<Entity Name="Part" Table="parts" Company="CompanyId">
  <Column Name="JobId" References="Job" Key="true" OnDelete="Cascade"/>
  <Column Name="No" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="Free" Type="Boolean"/>
</Entity>
<ObjectView Name="Jobs" Entity="Job" Label="Notes">
  ${LABELS.map((_, at) => `<Detail Name="D${at}" View="Parts${at}" Parent="JobId=Id"/>`).join('')}
  <Detail Name="Jobs" View="Parts0" Parent="JobId=Id"/>
</ObjectView>
${LABELS.map(planParts).join('')}
<Print Name="Twice" View="Jobs" Title="Twice">
  <Lines Detail="D2"><Column Name="No"/></Lines><Lines Detail="D2"><Column Name="Text"/></Lines>
</Print>
<Rbac><Role Name="Clerk"><Grant Resource="Jobs" Verbs="View List Export"/></Role></Rbac>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'jobs.xml', body: MODEL }],
  ...makePeople('ONE', { clerk: 'Clerk' }),
}

const SEEDS = [
  `INSERT INTO jobs (Id, CompanyId, Name, Amount, Count, Done, Day, SeenAt)
    VALUES (1, 1, '=1+1', 1234.5, 7, 1, '2026-05-31', '2026-05-31T13:45:00.000Z')`,
  `INSERT INTO parts (JobId, No, CompanyId, Text, Price, Day, Free) VALUES
    (1, 1, 1, '007', 0.1, '2026-06-01', 0), (1, 2, 1, NULL, 12, NULL, 1)`,
]

async function startJobs() {
  const app = await startApp({ application: APPLICATION })
  await app.store.write(
    async (tx) => {
      for (const sql of SEEDS) await tx.run(sql)
    },
    { company: 'all', because: 'a test' },
  )
  const ask = (path: string): Promise<Response> => {
    const headers = { Authorization: `Bearer ${app.tokens.clerk}` }
    return app.handle(new Request(`http://localhost/report/${path}`, { headers }))
  }
  return { ask, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('a workbook of many sheets has names that are legal, and each once', async () => {
  await using jobs = await startJobs()
  const answer = await jobs.ask('record?object=jobs&Id=1&format=xlsx')
  const { SheetNames } = readWorkbook(new Uint8Array(await answer.arrayBuffer()))
  expect(SheetNames).toHaveLength(LABELS.length + 2)
  expect(new Set(SheetNames.map((name) => name.toLowerCase())).size).toBe(SheetNames.length)
  for (const name of SheetNames) {
    expect([name, name.length >= 1 && name.length <= 31]).toEqual([name, true])
    expect(name).not.toMatch(/[[\]:*?/\\]|^'|'$|^\s|\s$|^history$/i)
    expect([name, name.isWellFormed()]).toEqual([name, true])
  }
  expect(SheetNames).toContain('Notes')
})

test('its values have their types, in every sheet', async () => {
  await using jobs = await startJobs()
  const answer = await jobs.ask('record?object=jobs&Id=1&format=xlsx')
  const book = readWorkbook(new Uint8Array(await answer.arrayBuffer()))
  const typed = (sheet: number, cells: string) =>
    cells.split(' ').map((cell) => {
      const found = cellsOf(book, sheet)[cell]
      return found && [found.t, found.f === undefined ? found.w : 'a formula']
    })
  expect(typed(0, 'A1 B1 C1 D1 E1 F1')).toEqual(
    ['Name', 'Amount', 'Count', 'Done', 'Day', 'Seen at'].map((label) => ['s', label]),
  )
  expect(typed(0, 'A2 B2 C2 D2 E2 F2')).toEqual([
    ['s', '=1+1'],
    ['n', '1,234.50'],
    ['n', '7'],
    ['b', 'TRUE'],
    ['n', '2026-05-31'],
    ['n', '2026-05-31 13:45:00'],
  ])
  for (let sheet = 1; sheet < book.SheetNames.length; sheet++) {
    expect(typed(sheet, 'A2 B2 C2 D2 E2')).toEqual([
      ['n', '1'],
      ['s', '007'],
      ['n', '0.10'],
      ['n', '2026-06-01'],
      ['b', 'FALSE'],
    ])
    expect(typed(sheet, 'A3 B3 C3 D3 E3 A4')).toEqual([
      ['n', '2'],
      undefined,
      ['n', '12.00'],
      undefined,
      ['b', 'TRUE'],
      undefined,
    ])
  }
})

test('the same as JSON loses no table to another of its name', async () => {
  await using jobs = await startJobs()
  const names = async (path: string): Promise<string[]> => {
    const text = await (await jobs.ask(path)).text()
    const written = [...text.matchAll(/"([^"]+)":\{"Columns"/g)].map(([, name]) => String(name))
    const { DataSets } = JSON.parse(text) as { DataSets: object }
    expect(Object.keys(DataSets)).toEqual(written)
    return written
  }
  const all = await names('record?object=jobs&Id=1&format=json')
  expect(all).toHaveLength(LABELS.length + 2)
  expect(await names('twice?Id=1&format=json')).toHaveLength(3)
})
