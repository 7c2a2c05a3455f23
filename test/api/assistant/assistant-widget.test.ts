/**
 * Answers kept as widgets of a report (src/server/README.md, Assistant): the page says what the
 * answer says, to everyone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDayRange } from '../../../src/kernel/date-words.ts'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { composeSpan } from '../../../src/engine/assistant/to-widget/spans.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

interface Answer {
  Result: { Rows: Row[] }
  ToWidget?: { DataSet: string; Widget: string }
}
interface Page {
  DataSets: Record<string, { Rows: Row[]; Error?: string }>
}

const ACCESS = join(import.meta.dir, '../../../data/demo/access.xml')

/** Every role lists the report `Kept`. */
async function openReport(app: TestApp): Promise<void> {
  const { store, models, clock } = app.context
  const text = readFileSync(ACCESS, 'utf8')
  const grant = '$&<Grant Resource="Kept" Verbs="List"/>'
  const body = text.replaceAll(/<Role Name="[^>]*>/g, grant)
  await deployModel(store, models, [{ name: 'access.xml', body }], {}, clock)
}

let app: TestApp
let plain: TestApp
beforeAll(async () => {
  const settings = { 'Svc:Designer:Sql': 'Views' }
  ;[app, plain] = await Promise.all([startApp({ settings }), startApp()])
  await Promise.all([openReport(app), openReport(plain)])
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
})

interface Asking {
  as?: string
  language?: string
  on?: TestApp
}

async function ask(Question: string, { as = 'ana', language = 'en', on = app }: Asking = {}) {
  const { status, body } = await on.fetch<{ data: Answer }>('/api/v1/svc/assistant/query', {
    as,
    headers: { 'Accept-Language': language },
    body: { Question },
  })
  return { status, ...body.data }
}

/** Saves a report of the widgets as a designer; they are called A0, A1 and so on. */
async function keep(widgets: readonly Answer['ToWidget'][], on = app, as = 'ana'): Promise<void> {
  const parts = widgets.map((each, at) => {
    const name = / Name="(\w+)"/.exec(each?.Widget ?? '')?.[1]
    const rename = (xml = ''): string => xml.replaceAll(`Name="${name}"`, `Name="A${at}"`)
    const reads = [`DataSet="${name}"`, `DataSet="A${at}"`] as const
    return { dataSet: rename(each?.DataSet), widget: rename(each?.Widget).replace(...reads) }
  })
  const DefinitionXml =
    `<Report Name="Kept"><DataSets>${parts.map(({ dataSet }) => dataSet).join('')}</DataSets>` +
    `<Widgets>${parts.map(({ widget }) => widget).join('')}</Widgets></Report>`
  const path = '/api/v1/svc/report-designer/definitions/save'
  const saved = await on.fetch(path, { as, body: { DefinitionXml, Notes: 'n' } })
  expect(saved).toMatchObject({ status: 200 })
}

async function read({ as = 'ana', on = app }: Asking = {}): Promise<Page['DataSets']> {
  const path = '/api/v1/svc/reports/Kept/data'
  const page = await on.fetch<{ data: Page }>(path, { as, body: { Arguments: {} } })
  expect(page).toMatchObject({ status: 200 })
  return page.body.data.DataSets
}

/** A page has names of SQL for columns, and texts for values. */
const toPage = (rows: readonly Row[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name.replace(/[.:]/g, '_'), toText(value)]),
    ),
  )

/** `10` and `10.0` are one number. */
const toText = (value: unknown): unknown =>
  value === null ? null : /^-?\d+\.\d+$/.test(String(value)) ? String(Number(value)) : String(value)

function requireSame(found: Page['DataSets'][string] | undefined, rows: readonly Row[]): void {
  expect(found?.Error).toBeUndefined()
  expect(toPage(found?.Rows ?? [])).toEqual(toPage(rows))
}

const QUESTIONS: readonly (readonly [question: string, language: string])[] = [
  ['how many orders in Coast over 1000 EUR', 'en'],
  ['revenue by month', 'en'],
  ['orders by status', 'en'],
  ['share of orders by status', 'en'],
  ['average order value by region', 'en'],
  ['top 5 customers by revenue this year', 'en'],
  ['orders by customer country', 'en'],
  ['how many open orders by region', 'en'],
  ['customers with more than 3 orders', 'en'],
  ['how many orders where the due date is after the ordered date', 'en'],
  ['orders by weekday', 'en'],
  ['customers by active', 'en'],
  ['stock movements by reason', 'en'],
  ['how many orders were shipped last month, by region?', 'en'],
  ['Umsatz nach Monat', 'de'],
  ['Umsatz nach Quartal', 'de'],
  ['Aufträge nach Status', 'de'],
  ['Wie viele Kunden gibt es in Österreich?', 'de'],
  ['die 5 besten Kunden nach Umsatz', 'de'],
  ['Aufträge nach Wochentag', 'de'],
]

describe('an answer as a widget', () => {
  let widgets: Answer['ToWidget'][]
  beforeAll(async () => {
    widgets = []
    for (const [question, language] of QUESTIONS)
      widgets.push((await ask(question, { language })).ToWidget)
    expect(QUESTIONS.filter((_, at) => widgets[at] === undefined)).toEqual([])
    await keep(widgets)
  })

  test.each(['ana', 'root', 'cy', 'dee'])('the page says the same to %s', async (as) => {
    const page = await read({ as })
    let compared = 0
    for (const [at, [question, language]] of QUESTIONS.entries()) {
      const own = await ask(question, { language, as })
      const found = page[`A${at}`]
      // A question about what they may not list has no answer, and the page no figure.
      if (own.status !== 200) expect([question, found?.Rows ?? []]).toEqual([question, []])
      else {
        requireSame(found, own.Result.Rows)
        compared += own.Result.Rows.length
      }
    }
    expect(compared).toBeGreaterThan(as === 'ana' ? 100 : 20)
  })

  test('people see rows of their own, and widgets of names that they may list', async () => {
    const [ana, dee] = [(await read())['A1'], (await read({ as: 'dee' }))['A1']]
    expect(dee?.Rows).not.toEqual(ana?.Rows ?? [])
    expect(widgets[5]?.Widget).toContain('AllowedRoles="SalesManager SalesRep Clerk Auditor"')
    expect(widgets[1]?.Widget).not.toContain('AllowedRoles')
  })

  test('only who designs reports is given one', async () => {
    const { status, ToWidget } = await ask('revenue by month', { as: 'dee' })
    expect([status, ToWidget]).toEqual([200, undefined])
  })

  test('where datasets read the whole company, only rows that all see are kept', async () => {
    const isKept = async (question: string) =>
      (await ask(question, { on: plain })).ToWidget !== undefined
    expect(await isKept('revenue by month')).toBe(false)
    expect(await isKept('how many customers by country')).toBe(false)
    expect(await isKept('stock movements by reason')).toBe(true)
    const { Result, ToWidget } = await ask('how many products by group', { on: plain })
    await keep([ToWidget], plain)
    requireSame((await read({ on: plain }))['A0'], Result.Rows)
  })

  test('rows, and figures of a field that a role does not see, are not kept', async () => {
    for (const question of ['open orders', 'margin by region', 'average cost by region']) {
      const { status, ToWidget } = await ask(question)
      expect([question, status, ToWidget]).toEqual([question, 200, undefined])
    }
  })

  test('labels are those of the language', () => {
    const german = widgets[QUESTIONS.findIndex(([question]) => question === 'Aufträge nach Status')]
    expect(german?.Widget).toStartWith('<Widget Name="OrdersByStatus" Label="Aufträge: Anzahl, ')
    expect(german?.DataSet).toContain("WHEN 'new' THEN 'Neu'")
  })
})

const ROWS = `<Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Size" Type="Text"><Option Value="O'Neill" Label="Größe &quot;L&quot; &lt;&amp;&gt;"/><Option Value="S"/></Column>
  <Column Name="Region" Type="Text"/>`
const PARTS: TestApplication = {
  files: [
    {
      name: 'parts.xml',
      body: `<Model>
<Entity Name="Part" Table="parts" Company="CompanyId">${ROWS}</Entity>
<Entity Name="Bolt" Table="bolts" Company="CompanyId">${ROWS}</Entity>
<Entity Name="Nut" Table="nuts" Company="CompanyId">${ROWS}</Entity>
<ObjectView Name="Parts" Entity="Part"/>
<ObjectView Name="Bolts" Entity="Bolt"/><ObjectView Name="AllBolts" Entity="Bolt" Only="true"/>
<ObjectView Name="Nuts" Entity="Nut"><TableQuery>SELECT n.* FROM nuts n WHERE n.Region = 'north'</TableQuery></ObjectView>
<Rbac><Role Name="Designer"><Grant Resource="ReportDefinitions" Verbs="View Update"/>
  <Grant Resource="Parts" Verbs="List"/><Grant Resource="Bolts" Verbs="List"/><Grant Resource="Nuts" Verbs="List"/>
  <Grant Resource="Kept" Verbs="List"/><RowFilter Resource="Bolts">Region = 'north'</RowFilter></Role>
  <Role Name="Other"><Grant Resource="AllBolts" Verbs="List"/></Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { ana: 'Designer' }),
}

interface Described {
  properties: Record<string, { examples: unknown[] }>
}

test('the example of the document is true', async () => {
  const { body } = await plain.fetch<{
    components: { schemas: { AssistantWidget: Described } }
  }>('/swagger/json', { as: 'ana' })
  const { ToWidget } = await ask('How many products are there by group?', { on: plain })
  const { DataSet, Widget } = body.components.schemas.AssistantWidget.properties
  expect([DataSet?.examples, Widget?.examples]).toEqual([[ToWidget?.DataSet], [ToWidget?.Widget]])
})

test('names keep their quotes and signs, and what another view shows is not kept', async () => {
  const settings = { 'Svc:Designer:Sql': 'Views' }
  await using world = await startApp({ application: PARTS, settings })
  await world.store.write(
    async (tx) => {
      for (const table of ['parts', 'bolts', 'nuts'])
        await tx.run(
          `INSERT INTO ${table} (CompanyId, Size, Region) VALUES
            (1, 'O''Neill', 'north'), (1, 'S', 'O''Brien'), (1, 'S', 'north')`,
        )
    },
    { company: 'all', because: 'a test' },
  )
  const asked = ['parts by size', "how many parts in O'Brien", 'share of parts with size S']
  const answers = await Promise.all(asked.map((question) => ask(question, { on: world })))
  await keep(
    answers.map(({ ToWidget }) => ToWidget),
    world,
  )
  const page = await read({ on: world })
  for (const [at, { Result }] of answers.entries()) requireSame(page[`A${at}`], Result.Rows)
  expect(page['A0']?.Rows[0]).toMatchObject({ Size__Label: 'Größe "L" <&>', count: '1' })
  // Another role shows all of the bolts by another view; the nuts are not whole in their own.
  for (const question of ['bolts by size', 'nuts by size']) {
    const { status, ToWidget } = await ask(question, { on: world })
    expect([question, status, ToWidget]).toEqual([question, 200, undefined])
  }
})

const DAYS = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-03-29', '2026-08-30', '2026-11-30']
const WORDS = [
  ...['today', 'yesterday', 'tomorrow', 'last7Days', 'next30Days', 'last3Weeks', 'next1Days'],
  ...['Week', 'Month', 'Quarter', 'Year'].flatMap((span) =>
    ['this', 'last', 'next'].map((side) => `${side}${span}`),
  ),
  ...['monthToDate', 'quarterToDate', 'yearToDate', '2026-02-28'],
]

test('a date word means the same days in SQL', async () => {
  for (const Today of DAYS)
    for (const word of WORDS) {
      const span = composeSpan(word)
      const sql = `SELECT ${span?.first} AS a, date(${span?.next}, '-1 day') AS b`
      const [row] = await app.store.all({ sql, args: { Today }, runs: 'inline' })
      const { from, to } = findDayRange(word, Today) ?? { from: word, to: word }
      expect([Today, word, row?.a, row?.b]).toEqual([Today, word, from, to])
    }
  expect(composeSpan('last3Months')).toBeUndefined()
})
