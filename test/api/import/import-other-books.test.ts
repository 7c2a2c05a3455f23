/** Workbooks that are no xlsx: what spreadsheets of other kinds write, and what is none of them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type BookType, utils, type WorkSheet, write } from 'xlsx'
import { type Imports, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { sampleCases } from '../../support/property.ts'
import { zip } from '../../support/workbook.ts'

/** For tests that leave no record behind. */
let shared: Imports

beforeAll(async () => {
  shared = await startImports()
})
afterAll(() => shared.app[Symbol.asyncDispose]())

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
  ['a broken container', 'a.xls', NAN],
  ['an xlsb that is no workbook', 'a.xlsb', zip(ZIPPED)],
  ['an ods without tables', 'a.ods', zip(ZIPPED)],
  ['an ods that is a bomb', 'a.ods', zip([LARGE])],
  ['an ods that says it is small', 'a.ods', zip([{ ...LARGE, claimedBytes: 10 }])],
  ['names of prototypes', 'a.xls', makeBook('xls', [utils.aoa_to_sheet([['__proto__'], ['x']])])],
  ['nothing', 'a.ods', new Uint8Array()],
]

test.each(HOSTILE)('refused, and the server lives: %s', async (_, name, file) => {
  const app = shared
  expect(['UNREADABLE_FILE', 'UNKNOWN_HEAD']).toContain(
    refusal(await send(app, file, name), 400).code,
  )
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

const XML_BOOK =
  '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n' +
  '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" ' +
  'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles><Style ss:ID="z">' +
  '<NumberFormat ss:Format="00000"/></Style><Style ss:ID="d"><NumberFormat ss:Format="Short Date"/>' +
  '</Style></Styles><Worksheet ss:Name="S"><Table><Row>' +
  ['Name', 'Email', 'Note', 'Visits', 'Born']
    .map((head) => `<Cell><Data ss:Type="String">${head}</Data></Cell>`)
    .join('') +
  '</Row><Row><Cell><Data ss:Type="String">J\u00f6rg</Data></Cell>' +
  '<Cell><Data ss:Type="String">j@x</Data></Cell>' +
  '<Cell ss:StyleID="z"><Data ss:Type="Number">123</Data></Cell>' +
  '<Cell><Data ss:Type="Number">5</Data></Cell>' +
  '<Cell ss:StyleID="d"><Data ss:Type="DateTime">2026-05-01T00:00:00.000</Data></Cell>' +
  '</Row></Table></Worksheet></Workbook>'
const XML_WESTERN = XML_BOOK.replace('"1.0"?>', '"1.0" encoding="ISO-8859-1"?>')
const CSV = 'Name,Email,Note,Visits,Born\nJörg,j@x,00123,5,2026-05-01\n'
const WIDE = Buffer.from(`\uFEFF${CSV}`, 'utf16le')
const BOOK = [
  ['Name', 'Email', 'Note', 'Visits', 'Born'],
  ['Jörg', 'j@x', '00123', 5, cell(46143, 'yyyy-mm-dd')],
]
const book = (kind: BookType) => makeBook(kind, [utils.aoa_to_sheet(BOOK)])

/** Each under the last of its names; in a longer run under all. */
test.each<[what: string, names: string, file: string | Uint8Array<ArrayBuffer>]>([
  ['SpreadsheetML 2003', 'a.xls a.xml a.xlsx', XML_BOOK],
  ['SpreadsheetML of Windows', 'a.xls', new Uint8Array(Buffer.from(XML_WESTERN, 'latin1'))],
  ['SpreadsheetML in UTF-16', 'a.xls', new Uint8Array(Buffer.from(`\uFEFF${XML_BOOK}`, 'utf16le'))],
  ['flat OpenDocument', 'a.fods a.ods', book('fods')],
  ['csv', 'a.txt a.xls a.ods a.xlsx', CSV],
  ['csv with a mark', 'a.xls', `\uFEFF${CSV}`],
  ['csv in UTF-16', 'a.csv a.xls', new Uint8Array(WIDE)],
  ['csv with its separator', 'a.csv a.xls', `sep=|\n${CSV.replaceAll(',', '|')}`],
  ['tabs', 'a.csv a.xls a.xlsx', CSV.replaceAll(',', '\t')],
  [
    'jsonl',
    'a.jsonl a.xlsx',
    '{"Name":"Jörg","Email":"j@x","Note":"00123","Visits":5,"Born":"2026-05-01"}\n',
  ],
  ['xlsx', 'a.csv a.ods a.dat a a.xls', book('xlsx')],
  ['xls', 'a.xlsx a.csv a.xlsb', book('biff8')],
  ['xlsb', 'a.xlsx a.xls', book('xlsb')],
  ['ods', 'a.txt a.xlsx', book('ods')],
])('%s is read by its content: %s', async (_, files, file) => {
  const app = shared
  for (const fileName of sampleCases(files.split(' '), 1)) {
    await app.take('clerk', { objectName: 'People', file, fileName })
    const rows = await app.stored('SELECT Name, Email, Note, Visits, Born FROM people')
    const row = { Name: 'Jörg', Email: 'j@x', Note: '00123', Visits: 5, Born: '2026-05-01' }
    expect([fileName, rows]).toEqual([fileName, [row]])
    await app.app.store.write((tx) => tx.run('DELETE FROM people'), {
      company: 'all',
      because: 'a test',
    })
  }
})

const compound = (stream: string) =>
  new Uint8Array(
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600), wide(stream)]),
  )
const wide = (text: string) => Buffer.from(text, 'utf16le')
const part = (name: string, content = '<x/>') => ({ name, content })
const open = (what: string) =>
  `The file is ${what}. Open it in a spreadsheet program and save it as xlsx or csv.`
const table = (what: string) =>
  `The file is ${what}. Put its rows into a table and save that as xlsx or csv.`
const ARCHIVE = 'The file is an archive. Unpack it and send the table that is inside.'
const bytes = (start: string) =>
  new Uint8Array(Buffer.concat([Buffer.from(start, 'latin1'), Buffer.from('x\0y\x01'.repeat(50))]))

test.each<[said: string, names: string, file: string | Uint8Array<ArrayBuffer>]>([
  [open('an HTML page'), 'a.xls a.csv', '<html><table><tr><td>Name</td></tr></table></html>'],
  [open('an HTML page'), 'a.xls', '\uFEFF \n<!-- x --><TABLE border=1><tr></tr></TABLE>'],
  [open('an HTML page'), 'a.xls', '<?xml version="1.0"?><!DOCTYPE html><html></html>'],
  [open('an HTML page'), 'a.xls', 'MIME-Version: 1.0\nContent-Type: multipart/related\n'],
  [open('a SYLK file'), 'a.xls', 'ID;PWXL;N;E\nC;Y1;X1;K"Name"\nE\n'],
  [open('an XML file'), 'a.xls a.xml', '<?xml version="1.0"?><rows><row/></rows>'],
  [open('a document of Apple Numbers or Pages'), 'a.numbers', zip([part('Index/Document.iwa')])],
  [open('a SQLite database'), 'a.csv', bytes('SQLite format 3\0')],
  [table('a PDF document'), 'a.pdf a.xlsx', bytes('%PDF-1.7\n')],
  [
    table('a text document'),
    'a.docx a.xlsx',
    zip([part('_rels/.rels'), part('word/document.xml')]),
  ],
  [table('a text document'), 'a.doc a.xls', compound('WordDocument')],
  [table('a text document'), 'a.rtf', '{\\rtf1 x}'],
  [
    table('a text document'),
    'a.odt',
    zip([part('mimetype', 'application/vnd.oasis.opendocument.text'), part('content.xml')]),
  ],
  [table('a presentation'), 'a.pptx', zip([part('ppt/presentation.xml')])],
  [table('a picture'), 'a.png a.xlsx', bytes('\x89PNG\r\n')],
  [table('a picture'), 'a.jpg a.csv', bytes('\xff\xd8\xff')],
  [ARCHIVE, 'a.zip a.xlsx', zip([part('a.csv', 'Name\nA\n')])],
  [ARCHIVE, 'a.gz a.csv', bytes('\x1f\x8b')],
  [
    'The workbook is encrypted. Save it without a password and try again.',
    'a.xlsx a.xls a.csv',
    compound('EncryptedPackage'),
  ],
  ['The file is empty', 'a.csv a.xlsx a.xls a.jsonl a', ''],
  ['The file is not a text file', 'a.csv a.xls', bytes('\x01\x02\x03'.repeat(20))],
  [
    'Unknown file type. Set the format to one of: csv, xlsx, jsonl, xls, xlsb, ods',
    'a a.dat',
    'Name\nA\n',
  ],
])('what has no rows is told by what it is: %s', async (said, files, file) => {
  const app = shared
  for (const fileName of files.split(' ')) {
    const told = await app.send('clerk', { objectName: 'People', file, fileName })
    expect([fileName, refusal(told, 400).error]).toEqual([fileName, said])
  }
})

test('what a file is comes in German too, and in a dry run', async () => {
  await using app = await startImports()
  const sent = { objectName: 'People', file: '<html></html>', fileName: 'a.xls' }
  const headers = { 'Accept-Language': 'de' }
  const dry = await app.send('clerk', { ...sent, headers, fields: { dryRun: 'true' } })
  expect(refusal(dry, 400).error).toBe(
    'Die Datei ist eine HTML-Seite. Öffnen Sie sie in einer Tabellenkalkulation und speichern ' +
      'Sie sie als xlsx oder csv.',
  )
})
