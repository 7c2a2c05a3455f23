/**
 * Every path by which rows leave as a file: the row filters of Export hold there beside those of
 * reading (src/access/README.md, How rows leave).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { planMailing } from '../../support/mailed-reports.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Good" Table="goods" Display="Name" Company="CompanyId" Audit="Reads">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name"/><Column Name="Kind"/><Column Name="PartOf" References="Good"/>
</Entity>
<ObjectView Name="Goods" Entity="Good"><Detail Name="Parts" View="Pieces" Parent="PartOf=Id"/></ObjectView>
<ObjectView Name="Pieces" Entity="Good" Resource="Goods"/>
<Report Name="Sheet">
  <DataSets><DataSet Name="All"><Sql>SELECT Name, Kind FROM goods ORDER BY Id</Sql></DataSet></DataSets>
  <Widgets>
    <Widget Name="W" Kind="Table" DataSet="All"><Series Column="Name"/></Widget>
  </Widgets>
</Report>
<Report Name="Shut">
  <DataSets><DataSet Name="All"><Sql>SELECT Name FROM goods</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets>
</Report>
<Print Name="Label" View="Goods"><Fields Names="Name"/><Lines Detail="Parts"><Column Name="Name"/></Lines></Print>
<Print Name="Paper" Report="Sheet"><Lines Detail="All"><Column Name="Name"/></Lines></Print>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Goods" Verbs="List View Export"/><Grant Resource="Sheet" Verbs="List Export"/>
    <Grant Resource="Shut" Verbs="List Export"/><Grant Resource="Listed" Verbs="List"/>
    <Grant Resource="Lines" Verbs="Export"/>
    <RowFilter Resource="Goods" Verbs="List View">Kind IS NOT 'hidden'</RowFilter>
    <RowFilter Resource="Goods" Verbs="Export">Kind IN ('open', 'hidden')</RowFilter>
    <RowFilter Resource="Sheet" Verbs="List">Kind IS NOT 'hidden'</RowFilter>
    <RowFilter Resource="Sheet" Verbs="Export">Kind IN ('open', 'hidden')</RowFilter>
    <RowFilter Resource="Shut" Verbs="Export">Kind = 'open'</RowFilter>
  </Role>
  <Role Name="Viewer">
    <Grant Resource="Goods" Verbs="List View"/>
    <RowFilter Resource="Goods" Verbs="Export">Kind = 'open'</RowFilter>
  </Role>
  <Role Name="Reader"><Grant Resource="Goods" Verbs="List View"/></Role>
</Rbac>
<Rows Entity="Good" Key="Id">
  <Row Id="1" CompanyId="1" Name="one" Kind="open"/>
  <Row Id="2" CompanyId="1" Name="kept" Kind="closed" PartOf="1"/>
  <Row Id="3" CompanyId="1" Name="three" Kind="open" PartOf="1"/>
  <Row Id="4" CompanyId="1" Name="unseen" Kind="hidden" PartOf="1"/>
</Rows>
</Model>`

const EXTENSION = `import type { Engine } from './appengine.d.ts'
export default (engine: Engine) => {
  engine.report({ Key: 'Listed', Formats: ['json', 'csv'],
    run: async ({ query }) => (await query({ ObjectName: 'Goods' })).Rows.map(({ Name }) => ({ Name })) })
  engine.handler({ Name: 'Lines', Formats: ['lines'],
    async *export({ rows }) { for await (const row of rows) yield row.join('|') + '\\n' } })
}
`

const APPLICATION: TestApplication = {
  files: [{ name: 'goods.xml', body: MODEL }],
  ...makePeople('ONE', { clerk: 'Clerk', viewer: 'Viewer', reader: 'Reader', system: 'System' }),
}

let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  writeExtensions(app.folder, { 'goods.ts': EXTENSION })
})
afterAll(async () => {
  await app.context.jobs.stop()
  await app[Symbol.asyncDispose]()
})

/** Names of goods in a text. */
const namesIn = (text: string): string[] =>
  ['one', 'kept', 'three', 'unseen'].filter((name) => text.includes(name))

interface Done {
  data: { File?: { Url: string }; JobId?: number }
}

async function textOf(as: string, path: string, body?: object): Promise<string> {
  const answer = await app.fetch(path, { as, ...(body && { body }) })
  return answer.status === 200 ? answer.text : String(answer.status)
}

async function exported(as: string, body: object, path = 'object/export-data'): Promise<string> {
  const asked = { ObjectName: 'Goods', ...body }
  const { body: done, text } = await app.fetch<Done>(`/api/v1/svc/${path}`, { as, body: asked })
  const { File, JobId } = done.data
  if (File) return textOf(as, File.Url)
  return JobId === undefined ? text : textOf(as, await fileOf(JobId))
}

const rowsOf = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })

/** Where the file of a job is, once it is made: its notification says it. */
async function fileOf(job: number): Promise<string> {
  await app.context.jobs.start()
  for (let State: unknown = 'Enqueued'; State !== 'Succeeded';) {
    State = (await rowsOf(`SELECT State FROM svc_jobs WHERE Id = ${job}`))[0]?.State
    if (State === 'Failed') throw new Error(`The job ${job} failed`)
    await new Promise(setImmediate)
  }
  await app.context.jobs.stop()
  const told = await rowsOf('SELECT Url FROM svc_notifications ORDER BY Id DESC LIMIT 1')
  return String(told[0]?.Url)
}

async function mailed(as: string, report: string, given: Record<string, number>): Promise<string> {
  const { userId, companyId } = await app.context.callers.verify(app.tokens[as] ?? '')
  const order = { report, arguments: given, userId, companyId, language: 'en' }
  const file = await planMailing(app, ['json'])({ ...order, bytesMax: 1_000_000 })
  return file.content.toString()
}

const report = (as: string, path: string): Promise<string> => textOf(as, `/report/${path}`)

type Path = [string, (as: string) => Promise<string>]

/** Of a grid or a report as a whole. */
const WHOLE: Path[] = [
  ...['csv', 'jsonl'].map((Format): Path => [
    `export-data as ${Format}`,
    (as) => exported(as, { Format }),
  ]),
  ['export-data in the background', (as) => exported(as, { Format: 'csv', Background: true })],
  ['a handler of an extension', (as) => exported(as, {}, 'handlers/Lines/export')],
  ['a handler of the engine', (as) => exported(as, {}, 'handlers/csv/export')],
  ...['csv', 'json'].map((format): Path => [
    `the report list as ${format}`,
    (as) => report(as, `list?object=Goods&format=${format}`),
  ]),
  ...['csv', 'json'].map((format): Path => [
    `a report page as ${format}`,
    (as) => report(as, `page?report=sheet&dataset=All&format=${format}`),
  ]),
  ['a print of a report', (as) => report(as, 'paper?format=json')],
  ['a report page by mail', (as) => mailed(as, 'Sheet', {})],
  ['a print of a report by mail', (as) => mailed(as, 'paper', {})],
  ['a report of an extension', (as) => report(as, 'listed?format=csv')],
  [
    'a report in the background',
    async (as) => {
      const body = { Format: 'json', Parameters: { report: 'sheet' }, Background: true }
      const { body: done } = await app.fetch<Done>('/report/page', { as, body })
      return textOf(as, await fileOf(done.data.JobId ?? 0))
    },
  ],
]

/** Of a record with its details. */
const RECORDS: [string, (as: string, id: number) => Promise<string>][] = [
  ['a print', (as, Id) => report(as, `label?format=json&Id=${Id}`)],
  ['the report record', (as, Id) => report(as, `record?object=Goods&format=json&Id=${Id}`)],
  ['a print by mail', (as, Id) => mailed(as, 'label', { Id }).catch(statusOf)],
]

const statusOf = (error: unknown): string =>
  Reflect.get(Object(error), 'kind') === 'notFound' ? '404' : String(error)

describe('the rows of Export alone leave', () => {
  test.each(WHOLE)('by %s', async (_, take) => {
    expect(namesIn(await take('clerk'))).toEqual(['one', 'three'])
  })

  test.each(RECORDS)('by %s, with its details', async (_, take) => {
    for (const as of ['clerk', 'viewer'])
      expect(namesIn(await take(as, 1)).slice(0, 2)).toEqual(['one', 'three'])
    expect(namesIn(await take('clerk', 1))).toEqual(['one', 'three'])
    for (const as of ['clerk', 'viewer']) expect(await take(as, 2)).toBe('404')
    expect(await take('clerk', 4)).toBe('404')
    expect(namesIn(await take('reader', 1))).toEqual(['one', 'kept', 'three', 'unseen'])
    expect(namesIn(await take('system', 2))).toContain('kept')
  })

  test('a dataset that the filter does not fit shows none', async () => {
    const page = await report('clerk', 'page?report=shut&format=json')
    expect(namesIn(page)).toEqual([])
    expect(page).toContain('A row filter of your roles cannot be applied to this dataset')
  })

  test('what is read on the screen is wider', async () => {
    const rows = await textOf('clerk', '/api/v1/svc/object/Goods/table', {})
    expect(namesIn(rows)).toEqual(['one', 'kept', 'three'])
    const page = await textOf('clerk', '/api/v1/svc/reports/sheet/data', {})
    expect(namesIn(page)).toEqual(['one', 'kept', 'three'])
  })
})

/** Readings that are logged while `work` runs: the keys, or where something was asked. */
async function readingsOf(as: string, work: () => Promise<unknown>): Promise<string[]> {
  await app.context.reads.flush()
  const last = await rowsOf('SELECT max(Id) AS Id FROM svc_audit')
  await work()
  await app.context.reads.flush()
  const { userId } = await app.context.callers.verify(app.tokens[as] ?? '')
  const logged = await rowsOf(
    `SELECT Source, RecordKey, Changes FROM svc_audit
     WHERE Action = 'read' AND Entity = 'Good' AND UserId = ${userId} AND Id > ${Number(last[0]?.Id)}`,
  )
  return logged.flatMap(({ Source, RecordKey, Changes }) => {
    const { Keys } = JSON.parse(String(Changes)) as { Keys?: unknown[] }
    const keys = Keys ?? (RecordKey === '[]' ? [] : [JSON.parse(String(RecordKey))])
    return keys.length > 0 ? keys.flat().map(String) : [String(Source)]
  })
}

describe('each reading is logged, with its keys where rows are of records', () => {
  const KEYLESS = /^(?:a report page|a print of a report|a report in the background)/

  test.each(WHOLE)('by %s', async (name, take) => {
    const logged = await readingsOf('clerk', () => take('clerk'))
    if (KEYLESS.test(name)) expect(logged.join()).toMatch(/report|mail|job/)
    else expect(logged.toSorted()).toEqual(['1', '3'])
  })

  test.each(RECORDS)('by %s, its details too', async (_, take) => {
    const logged = await readingsOf('clerk', () => take('clerk', 1))
    expect([...new Set(logged)].toSorted()).toEqual(['1', '3'])
    expect(await readingsOf('clerk', () => take('clerk', 4))).toEqual([])
  })
})
