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
