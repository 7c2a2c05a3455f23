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
      'Status,Number,Total,Region\r\nNew,B2,2.25,south\r\nPaid in full,B1,1234.5,north\r\n' +
        'Paid in full,B3,10,north\r\n',
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
      ...['Status', 'Number', 'Total', 'Region', 'New', 'B2', 2.25, 'south'],
      ...['Paid in full', 'B1', 1234.5, 'north', 'Paid in full', 'B3', 10, 'north'],
    ])
  })
})

test('options go by their labels, in the reader’s language, and in JSON by values', async () => {
  const query = { report: 'turnover', format: 'csv', dataset: 'Rows', ...FROM }
  const german = await gallery.get('clerk', 'page', query, 'de')
  expect(german.text).toContain('New,B2,2.25,south\r\nGanz bezahlt,B1,1234.5,north')
  expect(german.text).not.toContain('paid')
  const json = await gallery.get<PageData>('clerk', 'page', { ...query, format: 'json' }, 'de')
  expect(json.body.DataSets.Rows?.Rows.map(({ Status }) => Status)).toEqual(['new', 'paid', 'paid'])
})

describe('files are named by their titles', () => {
  const nameOf = async (
    key: string,
    query: Record<string, string>,
    language?: string,
    as = 'clerk',
  ) => {
    const { headers } = await gallery.get(as, key, { format: 'json', ...query }, language)
    return headers.get('Content-Disposition')
  }
  const page = { report: 'turnover', ...FROM }
  const record = { object: 'bills', Id: '1' }

  test.each<[string, string, Record<string, string>, string | undefined, RegExp]>([
    ['a page', 'page', page, undefined, /^attachment; filename="Turnover of all [\d-]{10}\.json"$/],
    [
      'a page in German',
      'page',
      page,
      'de',
      /"Umsatz - Ubersicht [\d-]{10}\.json"; filename\*=UTF-8''Umsatz%20-%20%C3%9Cbersicht%20[\d-]+/,
    ],
    ['a list', 'list', { object: 'bills' }, undefined, /filename="Bills [\d-]{10}\.json"$/],
    [
      'a list in German',
      'list',
      { object: 'bills' },
      'de',
      /filename="Rechnungen - gro_te [\d-]{10}\.json"; filename\*=UTF-8''Rechnungen%20-%20gr%C3%B6%C3%9Fte/,
    ],
    ['a record', 'record', record, undefined, /filename="Bills B1\.json"$/],
    ['a print', 'slip', { Id: '1' }, undefined, /filename="Slip B1\.json"$/],
    ['a print in German', 'slip', { Id: '1' }, 'de', /filename="Beleg B1\.json"$/],
  ])('%s', async (_what, key, query, language, name) => {
    expect(await nameOf(key, query, language)).toMatch(name)
  })

  test('a record by its key where the caller does not see what it is called', async () => {
    expect(await nameOf('record', record, 'en', 'blind')).toContain('"Bills 1.json"')
    expect(await nameOf('slip', { Id: '1' }, 'en', 'blind')).toContain('"Slip 1.json"')
  })
})

test('rows that were left out are told in the file', async () => {
  await using small = await startPrintedRecords({ settings: { 'Svc:Reports:MaxRows': '1' } })
  const query = { report: 'turnover', format: 'csv', dataset: 'Rows', ...FROM }
  const { text } = await small.get('clerk', 'page', query)
  expect(text).toContain('Only the first 1 rows are shown (Svc:Reports:MaxRows)')
})
