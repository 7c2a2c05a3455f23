/** Imports of files of every kind and of none. */
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Imports, startImports } from '../../support/imports.ts'
import { farArchive, textRow, workbook, zip } from '../../support/workbook.ts'

const HEAD = 'Name,Email\n'
const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return new Uint8Array(isBig ? bytes.swap16() : bytes)
}

/** Files of an import that are on the disk now. */
const leftOver = (app: Imports): string[] => readdirSync(join(app.app.folder, 'uploads'))

const names = async (app: Imports) =>
  (await app.table('clerk', 'People', { Sort: [{ Field: 'Email' }] })).Rows.map(({ Name }) => Name)

test.each<[what: string, file: string | Uint8Array<ArrayBuffer>, names: string[]]>([
  ['UTF-8', `${HEAD}Jörg,a@x\n`, ['Jörg']],
  ['UTF-8 with a mark', `\uFEFF${HEAD}Jörg,a@x\n`, ['Jörg']],
  ['UTF-16LE', utf16(`${HEAD}Jörg,a@x\n`, false), ['Jörg']],
  ['UTF-16BE', utf16(`${HEAD}Jörg,a@x\n`, true), ['Jörg']],
  ['Windows-1252', new Uint8Array(Buffer.from(`${HEAD}J\xf6rg \x80,a@x\n`, 'latin1')), ['Jörg €']],
  ['lone CR', 'Name,Email\rA,a@x\rB,b@x', ['A', 'B']],
  ['tabs', 'Name\tEmail\nA,1\ta@x\n', ['A,1']],
  ['semicolons with commas inside', 'Name;Email\n"A;1";a@x\nB,2;b@x\n', ['A;1', 'B,2']],
  ['sep=', 'sep=;\nName;Email\nA;a@x\n', ['A']],
  ['blank lines and quotes', 'Name,Email\n\n"A ""q""\nz",a@x\n\n', ['A "q"\nz']],
  ['a blank head over nothing', 'Name,,Email\nA,,a@x\n', ['A']],
  ['rows that end early', 'Name,Email,Note,Born\nA,a@x\nB,b@x,n\nC,c@x,,,,\n', ['A', 'B', 'C']],
  ['neutralised formulas', `${HEAD}"'=1+1",a@x\n"''=2",b@x\n`, ['=1+1', "'=2"]],
])('CSV: %s', async (_, file, expected) => {
  await using app = await startImports()
  await app.take('clerk', { objectName: 'People', file })
  expect(await names(app)).toEqual(expected)
  expect(leftOver(app)).toEqual([])
})

test.each<[what: string, file: string, error: string | Record<string, string>]>([
  [
    'a quote never closed',
    `${HEAD}A,a@x\n"B,b@x\nC,c@x\n`,
    'The quotation mark on line 3 is not closed',
  ],
  ['nothing', '', 'The file is empty'],
  ['NUL', `${HEAD}A\0B,a@x\n`, { 'Rows[2].Name': 'Text must not contain the NUL character' }],
  [
    'ragged rows',
    `${HEAD}A,a@x,3\nB\n`,
    {
      'Rows[2]': 'The row has more cells than the header (2)',
      'Rows[3].Email': 'E-mail is required',
    },
  ],
  [
    'a value under a blank head',
    'Name,,Email\nA,lost,a@x\n',
    { 'Rows[2]': 'There is a value in a column without a header' },
  ],
  [
    'lines counted inside quotes',
    'Name,Email\n"A\n\nB",a@x\n,b@x\n',
    { 'Rows[5].Name': 'Name is required' },
  ],
  [
    'a cell of a million characters',
    `${HEAD}${'x'.repeat(1_000_000)},a@x\n`,
    {
      'Rows[2].Name': 'Name is longer than 40 characters',
    },
  ],
])('CSV that is refused: %s', async (_, file, error) => {
  await using app = await startImports()
  const { status, body } = await app.send('clerk', { objectName: 'People', file })
  expect(status).toBe(400)
  if (typeof error === 'string') expect(body.error).toBe(error)
  else expect(body.fieldErrors).toEqual(error)
  expect(await names(app)).toEqual([])
  expect(leftOver(app)).toEqual([])
})

const DATES =
  '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy hh:mm"/></numFmts>' +
  '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="21"/></cellXfs></styleSheet>'
const XLSX_HEAD = textRow('Name', 'Email', 'Born', 'Seen', 'Wakes', 'Visits', 'Vip')
const cells = (day: number) =>
  `<row r="2"><c r="A2" t="str"><f>UPPER("a")</f><v>A</v></c><c t="inlineStr"><is><r><t>a@</t></r><r><t>x</t></r></is></c>` +
  `<c s="1"><v>${day}</v></c><c s="2"><v>${day + 0.5}</v></c><c s="3"><v>0.25</v></c><c><v>7.0</v></c><c t="b"><v>1</v></c></row>`

test('xlsx: dates of both systems, cached formulas, runs of text, the strict form', async () => {
  await using app = await startImports()
  const rows = XLSX_HEAD + cells(45_000)
  const later = XLSX_HEAD + cells(45_000 - 1462)
  const expected = {
    Name: 'A',
    Email: 'a@x',
    Born: '2023-03-15',
    Seen: '2023-03-15T12:00:00.000Z',
    Wakes: '06:00:00',
    Visits: 7,
    Vip: true,
  }
  for (const file of [
    workbook({ rows, styles: DATES }),
    workbook({ rows, styles: DATES, isStrict: true }),
    workbook({ rows: later, styles: DATES, workbookPr: '<workbookPr date1904="1"/>' }),
  ]) {
    await app.take('clerk', { objectName: 'People', file, fileName: 'p.xlsx' })
    const { Rows } = await app.table('clerk', 'People')
    expect(Rows).toMatchObject([expected])
    await app.app.store.write((tx) => tx.run('DELETE FROM people'), {
      company: 'all',
      because: 'a test',
    })
  }
})

const plain = textRow('Name', 'Email') + textRow('A', 'a@x')
const many = Array.from({ length: 20_000 }, (_, at) => ({ name: `x${at}`, content: '' }))

test.each<[what: string, file: Uint8Array<ArrayBuffer> | string]>([
  ['random bytes', new Uint8Array(Buffer.from('no archive at all'.repeat(99)))],
  ['HTML', '<html><table><tr><td>Name</td></tr></table></html>'],
  ['SLK', 'ID;PWXL;N;E\nC;Y1;X1;K"Name"\nE\n'],
  ['an archive of something else', zip([{ name: 'a.txt', content: 'x' }])],
  ['20,000 entries', zip(many)],
  ['a bomb of one sheet', workbook({ rows: `${plain}<row>${' '.repeat(120_000_000)}</row>` })],
  [
    'lying sizes',
    zip([{ name: 'xl/workbook.xml', content: '<workbook/>', claimedBytes: 0xfffffff0 }]),
  ],
  ['a directory beyond its end', farArchive(1000n)],
  ['a directory beyond any file', farArchive(2n ** 62n)],
  ['an encrypted entry', zip([{ name: 'xl/workbook.xml', content: '<workbook/>', flags: 1 }])],
  ['shared texts that are missing', workbook({ rows: '<row><c t="s"><v>0</v></c></row>' })],
  ['rows that go back', workbook({ rows: '<row r="5"/><row r="2"/>' })],
  ['a column that is none', workbook({ rows: '<row><c r="ZZZ1" t="b"><v>1</v></c></row>' })],
  ['__proto__ as a head', workbook({ rows: textRow('__proto__', 'Name') + textRow('x', 'y') })],
])('xlsx that is refused: %s', async (_, file) => {
  await using app = await startImports()
  const { status, body } = await app.send('clerk', {
    objectName: 'People',
    file,
    fileName: 'p.xlsx',
  })
  expect([status, body.success]).toEqual([400, false])
  expect(leftOver(app)).toEqual([])
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

test('xlsx: a dimension of the whole sheet says nothing', async () => {
  await using app = await startImports()
  const file = workbook({ rows: plain, before: '<dimension ref="A1:XFD1048576"/>' })
  await app.take('clerk', { objectName: 'People', file, fileName: 'p.xlsx' })
  expect(await names(app)).toEqual(['A'])
})

test('xlsx: a password is told', async () => {
  await using app = await startImports()
  const file = new Uint8Array(
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(600),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]),
  )
  const { body } = await app.send('clerk', { objectName: 'People', file, fileName: 'p.xlsx' })
  expect(body.error).toBe('The workbook is encrypted. Save it without a password and try again.')
})

test('a file over the limit is 413, and nothing of it stays', async () => {
  await using app = await startImports({ settings: { 'Svc:Uploads:MaxImportBytes': '1000' } })
  const file = `${HEAD}${'A,a@x\n'.repeat(500)}`
  const { status } = await app.send('clerk', { objectName: 'People', file })
  expect(status).toBe(413)
  expect(leftOver(app)).toEqual([])
})

test('who may not import is refused before the file is read', async () => {
  await using app = await startImports()
  for (const as of ['looker', 'narrow']) {
    const objectName = as === 'narrow' ? 'Readings' : 'People'
    const { status } = await app.send(as, { objectName, file: `${HEAD}A,a@x\n` })
    expect(status).toBe(401)
  }
})

test('of many under one key at once one runs', async () => {
  await using app = await startImports()
  const file = `Code,Value\n${Array.from({ length: 300 }, (_, at) => `c${at},1\n`).join('')}`
  const headers = { 'Idempotency-Key': 'same' }
  const sent = Array.from({ length: 12 }, () =>
    app.send('clerk', { objectName: 'Readings', file, headers }),
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(11)
  const { Pagination } = await app.table('clerk', 'Readings', { PageSize: 1 })
  expect(Pagination.TotalRows).toBe(300)
})

test('a formula without a stored value is a fault of its cell, and no blank', async () => {
  await using app = await startImports()
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const row = (email: string, limit: string) => `<row>${text('A')}${text(email)}${limit}</row>`
  const computed = [
    '<c><f>1+1</f><v>2</v></c>',
    '<c t="str"><f>""</f><v></v></c>',
    '<c><v></v></c>',
  ]
  const open = ['<c><f>1+1</f></c>', '<c><f>1+1</f><v></v></c>', '<c><f>1+1</f><v/></c>']
  const all = [...computed, ...open].map((cell, at) => row(`p${at}@x`, cell))
  const file = workbook({ rows: textRow('Name', 'Email', 'Limit') + all.join('') })
  const sent = { objectName: 'People', file, fileName: 'p.xlsx' }
  const told = await app.send('clerk', sent)
  const fault = 'The formula has no stored value. Save the file in a spreadsheet program.'
  expect(told.body.fieldErrors).toEqual(
    Object.fromEntries([5, 6, 7].map((line) => [`Rows[${line}].Limit`, fault])),
  )
  const mapping = JSON.stringify({ Limit: null })
  expect(await app.take('clerk', { ...sent, fields: { mapping } })).toMatchObject({ Inserted: 6 })
  const head = workbook({ rows: `<row>${text('Name')}<c><f>A1</f></c></row>${textRow('A', 'b')}` })
  const refused = await app.send('clerk', { objectName: 'People', file: head, fileName: 'p.xlsx' })
  expect(refused.body.error).toStartWith('A formula in the header has no stored value')
})

const ERRORS = ['#N/A', '#DIV/0!', '#REF!', '#NAME?', '#SPILL!']

test('an error is a fault of its cell, whatever the field; as a text it is a text', async () => {
  await using app = await startImports()
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const errors = ERRORS.map((error, at) => [
    `<row>${text('A')}${text(`a${at}@x`)}<c t="e"><f>X1</f><v>${error}</v></c><c/></row>`,
    `<row>${text('B')}${text(`b${at}@x`)}<c/><c t="str"><f>X1</f><v>${error}</v></c></row>`,
  ]).flat()
  const kept = `<row>${text('C')}${text('c@x')}${text('#N/A')}<c/></row>`
  const file = workbook({
    rows: textRow('Name', 'Email', 'Note', 'Visits') + errors.join('') + kept,
  })
  const sent = { objectName: 'People', file, fileName: 'p.xlsx' }
  const { body } = await app.send('clerk', sent)
  const faults = ERRORS.flatMap((error, at) => [
    [`Rows[${at * 2 + 2}].Note`, `Cell S!C${at * 2 + 2} holds the error ${error}.`],
    [`Rows[${at * 2 + 3}].Visits`, `Cell S!D${at * 2 + 3} holds the error ${error}.`],
  ])
  expect(body.fieldErrors).toEqual(
    Object.fromEntries(
      faults.map(([name, said]) => [name, `${said} Correct it in the spreadsheet.`]),
    ),
  )
  const german = await app.send('clerk', { ...sent, headers: { 'Accept-Language': 'de' } })
  expect(german.body.fieldErrors?.['Rows[2].Note']).toBe(
    'Zelle S!C2 enthält den Fehler #N/A. Bitte in der Tabelle berichtigen.',
  )
  const mapping = JSON.stringify({ Note: null, Visits: null })
  const rest = await app.take('clerk', { ...sent, fields: { mapping, dryRun: 'true' } })
  expect(rest).toMatchObject({ Inserted: 11 })
  const skipped = await app.take('clerk', { ...sent, fields: { onError: 'skip' } })
  expect(skipped).toMatchObject({ Inserted: 1, Failed: 10 })
  expect(await app.stored('SELECT Note FROM people')).toEqual([{ Note: '#N/A' }])
  // Rows that come back unmended are refused again, not stored as what they show.
  const back = await app.send('clerk', { ...sent, file: await app.download(skipped.ErrorFile) })
  expect(back.body.fieldErrors).toMatchObject({
    'Rows[2].Note': 'The cell holds the error #N/A',
    'Rows[3].Visits': 'The cell holds the error #N/A',
  })
})

/** Cells of one column of texts, by the number and the format that shows it. */
const shownAs = async (app: Imports, cells: readonly (readonly [string, string])[]) => {
  const styles = `<styleSheet><numFmts>${cells
    .map(([, code], at) => `<numFmt numFmtId="${at + 164}" formatCode="${code}"/>`)
    .join('')}</numFmts><cellXfs><xf numFmtId="0"/>${cells
    .map((_, at) => `<xf numFmtId="${at + 164}"/>`)
    .join('')}</cellXfs></styleSheet>`
  const rows = cells.map(
    ([number], at) =>
      `<row><c t="inlineStr"><is><t>n</t></is></c><c t="inlineStr"><is><t>${at}@x</t></is></c>` +
      `<c s="${at + 1}"><v>${number}</v></c></row>`,
  )
  const file = workbook({ rows: textRow('Name', 'Email', 'Note') + rows.join(''), styles })
  await app.take('clerk', { objectName: 'People', file, fileName: 'p.xlsx' })
  return (await app.stored('SELECT Note FROM people ORDER BY Id')).map(({ Note }) => Note)
}

test('numbers come into texts as their format shows them, where it shapes digits', async () => {
  await using app = await startImports()
  const cells: (readonly [string, string, string])[] = [
    ['123', '00000', '00123'],
    ['12345', '0000', '12345'],
    ['-7', '000', '-007'],
    ['123456789', '000-00-0000', '123-45-6789'],
    ['123456789', '00000\\-0000', '12345-6789'],
    ['5551234', '[&lt;=9999999]###-####;(###) ###-####', '555-1234'],
    ['2125551234', '[&lt;=9999999]###-####;(###) ###-####', '(212) 555-1234'],
    ['42', '&quot;INV-&quot;0000', 'INV-0042'],
    ['612345678', '0# ## ## ## ##', '06 12 34 56 78'],
    ['1.1', '0.00', '1.10'],
    ['5', '0.0;[Red]-0.0', '5.0'],
    ['0.30000000000000004', '0.0', '0.3'],
    // What a format would cut, hide or show for amounts alone is the number.
    ['1.25', '0.0', '1.25'],
    ['1234', '#,##0', '1234'],
    ['0.5', '0%', '0.5'],
    ['1234', '0.00E+00', '1234'],
    ['5', '0.00 &quot;€&quot;', '5'],
    ['5', '[$EUR] 0.00', '5'],
    ['0', '#', '0'],
    ['7', '&quot;&quot;', '7'],
    ['7', 'General', '7'],
    ['9007199254740991', '0', '9007199254740991'],
  ]
  const stored = await shownAs(
    app,
    cells.map(([number, code]) => [number, code]),
  )
  expect(stored).toEqual(cells.map(([, , shown]) => shown))
})

test('the dust of binary is gone from numbers of a workbook; nothing else of them is', async () => {
  await using app = await startImports()
  const row = (at: number, visits: string, spent: string, note: string) =>
    `<row><c t="inlineStr"><is><t>n</t></is></c><c t="inlineStr"><is><t>${at}@x</t></is></c>` +
    `<c><v>${visits}</v></c><c><v>${spent}</v></c><c><v>${note}</v></c></row>`
  const rows =
    textRow('Name', 'Email', 'Visits', 'Spent', 'Note') +
    row(1, '3.0000000000000004', '0.30000000000000004', '0.30000000000000004') +
    row(2, '2.9999999999999996', '1.0050000000000001', '1234.5600000000002') +
    row(3, '9007199254740991', '9999999999999.99', '0.1234567890123456')
  const sent = { objectName: 'People', fileName: 'p.xlsx' }
  await app.take('clerk', { ...sent, file: workbook({ rows }) })
  expect(await app.stored('SELECT Visits, Spent, Note FROM people ORDER BY Id')).toEqual([
    { Visits: 3, Spent: 0.3, Note: '0.3' },
    { Visits: 3, Spent: 1.01, Note: '1234.56' },
    { Visits: 9007199254740991, Spent: 9999999999999.99, Note: '0.123456789012346' },
  ])
  const half = workbook({ rows: textRow('Name', 'Email', 'Visits') + row(4, '3.0001', '', '') })
  expect((await app.send('clerk', { ...sent, file: half })).body.fieldErrors).toEqual({
    'Rows[2].Visits': 'Must be a whole number',
  })
})
