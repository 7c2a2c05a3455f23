/** Workbooks that are no xlsx: what spreadsheets of other kinds write, and what is none of them. */
import { expect, test } from 'bun:test'
import { type BookType, utils, type WorkSheet, write } from 'xlsx'
import { type Imports, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { zip } from '../../support/workbook.ts'

const HEAD = ['Name', 'Email', 'Born', 'Seen', 'Limit', 'Vip', 'Wakes', 'Land']

function makeBook(bookType: BookType, sheets: readonly WorkSheet[]): Uint8Array<ArrayBuffer> {
  const book = utils.book_new()
  for (const [at, sheet] of sheets.entries()) utils.book_append_sheet(book, sheet, `S${at}`)
  return new Uint8Array(write(book, { type: 'array', bookType }) as ArrayBuffer)
}

const BORN = 33_000
const cell = (value: number, z: string) => ({ t: 'n' as const, v: value, z })

const planSheet = (from: number): WorkSheet =>
  utils.aoa_to_sheet([
    HEAD,
    [
      `Ann${from}`,
      `ann${from}@x.org`,
      cell(BORN, 'dd/mm/yyyy'),
      cell(BORN + 0.5, 'yyyy-mm-dd hh:mm'),
      12.5,
      true,
      cell(0.25, 'hh:mm'),
      'Germany',
    ],
    [`Bo${from}`, `bo${from}@x.org`, null, null, null, false, null, 'FR'],
  ])

const send = (app: Imports, file: Uint8Array<ArrayBuffer>, fileName: string) =>
  app.send('clerk', { objectName: 'People', file, fileName })

test.each(['xls', 'xlsb', 'ods'] as const)('%s: days, numbers, further sheets', async (kind) => {
  await using app = await startImports()
  const file = makeBook(kind, [planSheet(1), planSheet(2), utils.aoa_to_sheet([['Notes']])])
  const { status, body } = await send(app, file, `people.${kind}`)
  expect([status, body.data.Import.Inserted]).toEqual([200, 4])
  const rows = await app.stored(
    `SELECT Name, Born, Seen, "Limit", Vip, Wakes, LandId FROM people ORDER BY Name LIMIT 3`,
  )
  const ann = {
    Born: '1990-05-07',
    Seen: '1990-05-07T12:00:00.000Z',
    Limit: 12.5,
    Vip: 1,
    Wakes: '06:00:00',
    LandId: 1,
  }
  expect(rows).toEqual([
    { Name: 'Ann1', ...ann },
    { Name: 'Ann2', ...ann },
    { Name: 'Bo1', Born: null, Seen: null, Limit: null, Vip: 0, Wakes: null, LandId: 2 },
  ])
})

test('rows that an xls leaves behind come back as xlsx, ready to be mended', async () => {
  await using app = await startImports()
  const file = makeBook('xls', [
    utils.aoa_to_sheet([
      ['Name', 'Email'],
      ['A', 'a@x'],
      ['B', 'b'],
    ]),
  ])
  const fields = { onError: 'skip' }
  const sent = { objectName: 'People', file, fileName: 'p.xls', fields }
  const { Inserted, ErrorFile } = await app.take('clerk', sent)
  expect(Inserted).toBe(1)
  expect(ErrorFile?.FileName).toEndWith('.xlsx')
})

/** A sheet as LibreOffice writes it, with the errors of formulas. */
const odsCell = (text: string) =>
  `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
const odsNumber = (value: string, style = '') =>
  `<table:table-cell ${style} office:value-type="float" office:value="${value}">` +
  `<text:p>${value}</text:p></table:table-cell>`
const ODS_ERROR =
  '<table:table-cell table:formula="of:=NA()" office:value-type="string" office:string-value="" ' +
  'calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>'
const odsRow = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
const NAMESPACES = Object.entries({
  office: 'office:1.0',
  style: 'style:1.0',
  table: 'table:1.0',
  text: 'text:1.0',
  number: 'datastyle:1.0',
}).map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}"`)
const ODS = zip([
  { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
  { name: 'styles.xml', content: '<x/>' },
  { name: 'META-INF/manifest.xml', content: '<x/>' },
  {
    name: 'content.xml',
    content:
      `<office:document-content ${NAMESPACES.join(' ')} xmlns:calcext="calcext">` +
      '<office:automatic-styles><number:number-style style:name="N1">' +
      '<number:number number:decimal-places="0" number:min-integer-digits="5"/>' +
      '</number:number-style><style:style style:name="ce1" style:family="table-cell" ' +
      'style:data-style-name="N1"/></office:automatic-styles>' +
      '<office:body><office:spreadsheet><table:table table:name="S0">' +
      odsRow(...['Name', 'Email', 'Note', 'Visits'].map(odsCell)) +
      odsRow(
        odsCell('A'),
        odsCell('a@x'),
        odsNumber('123', 'table:style-name="ce1"'),
        odsNumber('3.0000000000000004'),
      ) +
      odsRow(odsCell('B'), odsCell('b@x'), ODS_ERROR, odsNumber('1')) +
      odsRow(odsCell('C'), odsCell('c@x'), odsCell('x'), ODS_ERROR) +
      '</table:table></office:spreadsheet></office:body></office:document-content>',
  },
])

test.each(['xls', 'xlsb', 'ods', 'xlsx'] as const)(
  '%s: errors, shown zeros, dust',
  async (kind) => {
    await using app = await startImports()
    const error = { t: 'e' as const, v: 0x2a, w: '#N/A', f: 'NA()' }
    const sheet = utils.aoa_to_sheet([
      ['Name', 'Email', 'Note', 'Visits'],
      ['A', 'a@x', cell(123, '00000'), 3.0000000000000004],
      ['B', 'b@x', error, 1],
      ['C', 'c@x', 'x', error],
    ])
    const file = kind === 'ods' ? ODS : makeBook(kind, [sheet])
    const sent = { objectName: 'People', file, fileName: `p.${kind}` }
    const { body } = await app.send('clerk', sent)
    const told = (at: string) =>
      `Cell S0!${at} holds the error #N/A. Correct it in the spreadsheet.`
    expect(body.fieldErrors).toEqual({ 'Rows[3].Note': told('C3'), 'Rows[4].Visits': told('D4') })
    await app.take('clerk', { ...sent, fields: { onError: 'skip' } })
    expect(await app.stored('SELECT Note, Visits FROM people')).toEqual([
      { Note: '00123', Visits: 3 },
    ])
  },
)

const ZIPPED = [{ name: 'content.xml', content: '<x/>' }]
const LARGE = { name: 'content.xml', content: Buffer.alloc(80 * 1024 * 1024) }
const NAN = new Uint8Array([
  0xd0,
  0xcf,
  0x11,
  0xe0,
  0xa1,
  0xb1,
  0x1a,
  0xe1,
  ...Array(600).fill(255),
])
const HOSTILE: [string, string, Uint8Array<ArrayBuffer>][] = [
  ['HTML called xls', 'a.xls', new TextEncoder().encode('<table><tr><td>Name</td></tr></table>')],
  ['CSV called xls', 'a.xls', new TextEncoder().encode('Name,Email\nA,a@x\n')],
  ['a broken container', 'a.xls', NAN],
  ['an xlsb that is no workbook', 'a.xlsb', zip(ZIPPED)],
  ['an ods without tables', 'a.ods', zip(ZIPPED)],
  ['an ods that is a bomb', 'a.ods', zip([LARGE])],
  ['an ods that says it is small', 'a.ods', zip([{ ...LARGE, claimedBytes: 10 }])],
  ['names of prototypes', 'a.xls', makeBook('xls', [utils.aoa_to_sheet([['__proto__'], ['x']])])],
  ['nothing', 'a.ods', new Uint8Array()],
]

test.each(HOSTILE)('refused, and the server lives: %s', async (_, name, file) => {
  await using app = await startImports()
  expect(['UNREADABLE_FILE', 'UNKNOWN_HEAD']).toContain(
    refusal(await send(app, file, name), 400).code,
  )
  expect(Reflect.get({}, 'x')).toBeUndefined()
})
