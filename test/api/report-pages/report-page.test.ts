/** The code-defined report `page`: a report page as a file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { refusal } from '../../support/objects.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'
import { cellsOf, readWorkbook } from '../../support/sheets.ts'

interface PageData {
  DataSets: Record<string, { Rows: Record<string, string | null>[] }>
  AccessibleWidgets: string[]
}

let gallery: PrintedRecords
beforeAll(async () => {
  gallery = await startPrintedRecords()
})
afterAll(() => gallery[Symbol.asyncDispose]())

const FROM = { From: '2026-01-01' }
const ask = (as: string, query: Record<string, string> = {}) =>
  gallery.get<PageData>(as, 'page', { report: 'turnover', format: 'json', ...FROM, ...query })

describe('the gate', () => {
  test('List and Export of the page', async () => {
    for (const as of ['viewer', 'nobody']) refusal(await ask(as), 401)
    refusal(await ask('clerk', { report: 'nothing' }), 404)
    const { fieldErrors } = refusal(await gallery.get('clerk', 'page'), 400)
    expect(fieldErrors).toEqual({ report: 'report is required' })
  })

  test('a required filter without a value is named', async () => {
    const { fieldErrors } = refusal(await ask('clerk', { From: '' }), 400)
    expect(fieldErrors).toEqual({ From: 'From is required' })
    const wrong = refusal(await ask('clerk', { From: 'someday' }), 400)
    expect(Object.keys(wrong.fieldErrors ?? {})).toEqual(['From'])
  })
})

describe('what it holds', () => {
  test('the data of the page, by its filters', async () => {
    const { body } = await ask('clerk', { Status: 'new' })
    expect(body.DataSets.Sum?.Rows).toEqual([{ Total: '2.25', Half: '1.125' }])
  })

  test('no dataset of a withheld widget, no rows of others', async () => {
    const { body, text } = await ask('clerk')
    expect(Object.keys(body.DataSets)).toEqual(['Sum', 'Rows'])
    expect(text).not.toContain('77777')
    expect(text).not.toContain('canary')
    expect((await ask('chief')).text).toContain('77779')
    const filtered = await ask('north')
    expect(filtered.body.DataSets.Rows?.Rows.map(({ Number }) => Number)).toEqual(['B1', 'B3'])
  })

  test('csv is one dataset, which is to be named where there are more', async () => {
    const { fieldErrors } = refusal(await ask('clerk', { format: 'csv' }), 400)
    expect(fieldErrors).toEqual({ dataset: 'must be one of: Sum, Rows' })
    const rows = await ask('clerk', { format: 'csv', dataset: 'rows' })
    expect(rows.text).toBe(
      'Status,Number,Total,Region\r\nnew,B2,2.25,south\r\npaid,B1,1234.5,north\r\npaid,B3,10,north\r\n',
    )
  })

  test('a withheld dataset cannot be named', async () => {
    const secret = refusal(await ask('clerk', { format: 'csv', dataset: 'Secret' }), 400)
    const missing = refusal(await ask('clerk', { format: 'csv', dataset: 'Nosuch' }), 400)
    expect({ ...secret, traceId: '' }).toEqual({ ...missing, traceId: '' })
  })

  test('xlsx has a sheet for each dataset, with numbers as numbers', async () => {
    const query = { report: 'turnover', format: 'xlsx', ...FROM }
    const book = readWorkbook(await gallery.file('clerk', 'page', query))
    const read = (sheet: string) =>
      Object.values(cellsOf(book, book.SheetNames.indexOf(sheet))).map(({ v }) => v)
    expect(book.SheetNames).toEqual(['Sum', 'Each bill'])
    expect(read('Sum')).toEqual(['Total', 'Half', 1246.75, 623.375])
    expect(read('Each bill')).toEqual([
      ...['Status', 'Number', 'Total', 'Region', 'new', 'B2', 2.25, 'south'],
      ...['paid', 'B1', 1234.5, 'north', 'paid', 'B3', 10, 'north'],
    ])
  })
})

test('rows that were left out are told in the file', async () => {
  await using small = await startPrintedRecords({ settings: { 'Svc:Reports:MaxRows': '1' } })
  const query = { report: 'turnover', format: 'csv', dataset: 'Rows', ...FROM }
  const { text } = await small.get('clerk', 'page', query)
  expect(text).toContain('Only the first 1 rows are shown (Svc:Reports:MaxRows)')
})
