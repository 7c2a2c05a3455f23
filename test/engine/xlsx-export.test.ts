/** Workbooks as another program reads them. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Failure } from '../../src/kernel/failure.ts'
import type { SheetColumn } from '../../src/engine/sheets/format.ts'
import { HashedFile } from '../../src/engine/sheets/hashed-file.ts'
import { RowPage } from '../../src/engine/sheets/row-page.ts'
import { xlsxExport, XlsxSink } from '../../src/engine/sheets/xlsx-export.ts'
import { temporaryFolder } from '../support/executable.ts'
import { cellsOf, planOf, readPart, readWorkbook, writeSheet } from '../support/sheets.ts'

/** The one cell of a column of a type. */
async function cellOf(column: Partial<SheetColumn>, value: string | number, zone = 'UTC') {
  const plan = planOf([{ name: 'A', ...column }], { zone })
  const { bytes } = await writeSheet(xlsxExport, plan, [[value]])
  return cellsOf(readWorkbook(bytes)).A2
}

describe('types', () => {
  test('a day is a day, with the field’s format', async () => {
    expect(await cellOf({ type: 'Date' }, '2026-05-31')).toMatchObject({
      t: 'n',
      v: 46173,
      w: '2026-05-31',
    })
    const own = await cellOf({ type: 'Date', format: 'dd.MM.yyyy' }, '2026-05-31')
    expect(own).toMatchObject({ w: '31.05.2026' })
  })

  test('an instant is the date and time of the caller’s zone, summer and winter', async () => {
    const berlin = (text: string) => cellOf({ type: 'DateTime' }, text, 'Europe/Berlin')
    expect(await berlin('2026-07-01T12:00:00.000Z')).toMatchObject({ w: '2026-07-01 14:00:00' })
    expect(await berlin('2026-01-01T12:00:00.000Z')).toMatchObject({ w: '2026-01-01 13:00:00' })
    expect(await berlin('2026-10-25T00:59:59.000Z')).toMatchObject({ w: '2026-10-25 02:59:59' })
    // 02:00 comes a second time: as a number it would come back as the first one.
    const second = await berlin('2026-10-25T01:00:00.000Z')
    expect(second).toMatchObject({ t: 's', v: '2026-10-25T01:00:00.000Z' })
    const kathmandu = await cellOf({ type: 'DateTime' }, '2026-01-01T00:00:00Z', 'Asia/Kathmandu')
    expect(kathmandu).toMatchObject({ w: '2026-01-01 05:45:00' })
  })

  test('milliseconds are kept', async () => {
    const cell = await cellOf({ type: 'DateTime' }, '2026-05-31T13:45:12.345Z')
    expect(Math.round(Number(cell?.v) * 86_400_000) % 60_000).toBe(12_345)
  })

  test('a time is the very number that spreadsheets have: no second short of it', async () => {
    const seconds = Array.from({ length: 86_400 }, (_, at) => at).filter((at) => at % 61 === 1)
    const texts = seconds.map((second) => new Date(second * 1000).toISOString())
    const plan = planOf([
      { name: 'A', type: 'Time' },
      { name: 'B', type: 'DateTime' },
    ])
    const rows = texts.map((text) => [text.slice(11, 19), `2026-05-31${text.slice(10)}`])
    const cells = cellsOf(readWorkbook((await writeSheet(xlsxExport, plan, rows)).bytes))
    for (const [at, second] of seconds.entries()) {
      expect(cells[`A${at + 2}`]?.v).toBe(second / 86_400)
      expect(cells[`B${at + 2}`]?.v).toBe((46173 * 86_400 + second) / 86_400)
    }
  })

  test('what spreadsheets do not have alike is text: before March 1900, or no day', async () => {
    for (const text of ['1900-02-28', '0001-01-01', 'soon', '2026-5-1', '2026-02-30', '2026-02-29'])
      expect(await cellOf({ type: 'Date' }, text)).toMatchObject({ t: 's', v: text })
    expect(await cellOf({ type: 'Date' }, '1900-03-01')).toMatchObject({ t: 'n', v: 61 })
    expect(await cellOf({ type: 'Date' }, '9999-12-31')).toMatchObject({ t: 'n', v: 2958465 })
  })

  test('a time is a part of a day, a number a number, a boolean one', async () => {
    expect(await cellOf({ type: 'Time' }, '13:45:30')).toMatchObject({ t: 'n', w: '13:45:30' })
    const amount = { type: 'Decimal', format: '#,##0.00' } as const
    expect(await cellOf(amount, -1234.5)).toMatchObject({ t: 'n', v: -1234.5, w: '-1,234.50' })
    expect(await cellOf({ type: 'Decimal', scale: 3 }, 1.5)).toMatchObject({ w: '1.500' })
    expect(await cellOf({ type: 'Integer' }, 42)).toMatchObject({ t: 'n', v: 42, w: '42' })
    const plan = planOf([{ name: 'A', type: 'Boolean' }])
    const { bytes } = await writeSheet(xlsxExport, plan, [[true], [false], [null]])
    const cells = cellsOf(readWorkbook(bytes))
    expect([cells.A2, cells.A3]).toMatchObject([
      { t: 'b', v: true },
      { t: 'b', v: false },
    ])
    expect(cells.A4).toBeUndefined()
  })

  test('digits that no double holds are text', async () => {
    const cell = await cellOf({ type: 'Integer' }, '9223372036854775807')
    expect(cell).toMatchObject({ t: 's', v: '9223372036854775807' })
  })

  test('a format that is none does not get into the file', async () => {
    const formats = ['C2', 'N0', '[Red', '"open', 'General;x', '0'.repeat(300), '<&>', 'R$ 0']
    for (const format of formats) {
      const plan = planOf([{ name: 'A', type: 'Decimal', format }])
      const { bytes } = await writeSheet(xlsxExport, plan, [[1.5]])
      expect(readPart(bytes, 'xl/styles.xml')).toContain('formatCode="0.00"')
    }
    for (const format of ['#,##0.00', '0', '#,##0.00 "EUR"', '0.0%', '0;-0', '0.00E+00']) {
      const cell = await cellOf({ type: 'Decimal', format }, 1.5)
      expect(cell?.z).toBe(format)
    }
  })
})

describe('texts', () => {
  const texts = [
    'a\u0008b',
    '_x0041_',
    '\u0001\u001F\uFFFE',
    '<&>"',
    ' kept ',
    '\n',
    'two\nlines',
    '\r',
    'é😀',
    '',
  ]

  test('come back as they were, control characters too', async () => {
    const plan = planOf([{ name: 'A', label: '<Head> & "more"' }])
    const { bytes } = await writeSheet(
      xlsxExport,
      plan,
      texts.map((text) => [text]),
    )
    const cells = cellsOf(readWorkbook(bytes))
    expect(cells.A1?.v).toBe('<Head> & "more"')
    expect(texts.map((_, at) => cells[`A${at + 2}`]?.v ?? '')).toEqual(texts)
    expect(readPart(bytes, 'xl/sharedStrings.xml')).toContain('a_x0008_b')
  })

  test('are shared while they come again, and right when there are too many', async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => [`t${at}`, `s${at % 3}`])
    const plan = planOf([{ name: 'A' }, { name: 'B' }])
    const { bytes } = await writeSheet(xlsxExport, plan, rows)
    const cells = cellsOf(readWorkbook(bytes))
    for (const at of [0, 1, 999, 1000, 1001, 4999]) {
      expect([cells[`A${at + 2}`]?.v, cells[`B${at + 2}`]?.v]).toEqual(rows[at] ?? [])
    }
    expect(readPart(bytes, 'xl/sharedStrings.xml')).toContain('<sst')
  })

  test('one that no cell holds is refused, never cut', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'file.xlsx')
    const sink = await xlsxExport.open(planOf([{ name: 'A', label: 'Remark' }]), path)
    await sink.write(RowPage.of([['x'.repeat(32_767)]]))
    const fault = await sink
      .write(RowPage.of([['x'.repeat(32_768)]]))
      .catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(Failure)
    expect((fault as Failure).code).toBe('TEXT_TOO_LONG_FOR_FORMAT')
    await sink.abort()
    expect(existsSync(path)).toBe(false)
  })
})

describe('the sheet', () => {
  test('its head stays in sight, columns are wide enough, and filtered to the end', async () => {
    const plan = planOf([{ name: 'A' }, { name: 'B', label: 'A rather long head of a column' }], {
      title: 'Or/ders: [all]',
    })
    const { bytes, size, sha256 } = await writeSheet(xlsxExport, plan, [
      ['x'.repeat(30), 'y'],
      ['x', 'y'],
    ])
    const sheet = readPart(bytes, 'xl/worksheets/sheet1.xml')
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2"')
    expect(sheet).toContain('<autoFilter ref="A1:B3"/>')
    const [first = 0, second = 0] = [...sheet.matchAll(/ width="(\d+)"/g)].map(([, n]) => Number(n))
    expect(first).toBeGreaterThanOrEqual(30)
    expect(second).toBeGreaterThanOrEqual(30)
    expect(readWorkbook(bytes).SheetNames).toEqual(['Or ders   all'])
    expect(size).toBe(bytes.length)
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  test('goes on in another one behind its last row, each with its head', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'file.xlsx')
    const title = 'A title of more than thirty-one letters'
    const plan = planOf([{ name: 'A' }], { title })
    const sink = new XlsxSink(await HashedFile.create(path), plan, { sheetRowsMax: 10 })
    const rows = Array.from({ length: 25 }, (_, at) => [`r${at}`])
    await sink.write(RowPage.of(rows.slice(0, 7)))
    await sink.write(RowPage.of(rows.slice(7)))
    await sink.close()
    const book = readWorkbook(await Bun.file(path).bytes())
    const start = 'A title of more than thirty'
    expect(book.SheetNames.map((name) => name.length <= 31)).toEqual([true, true, true])
    expect(book.SheetNames).toEqual([title.slice(0, 31), `${start} (2)`, `${start} (3)`])
    const found = book.SheetNames.flatMap((_, sheet) => {
      const cells = cellsOf(book, sheet)
      expect(cells.A1?.v).toBe('A')
      return Array.from({ length: 10 }, (__, at) => cells[`A${at + 2}`]?.v).filter(Boolean)
    })
    expect(found).toEqual(rows.flat())
  })

  test('of one row each begins anew', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'file.xlsx')
    const sink = new XlsxSink(await HashedFile.create(path), planOf([{ name: 'A' }]), {
      sheetRowsMax: 1,
    })
    await sink.write(RowPage.of([['a'], ['b'], ['c']]))
    await sink.close()
    const book = readWorkbook(await Bun.file(path).bytes())
    expect(book.SheetNames.map((_, sheet) => cellsOf(book, sheet).A2?.v)).toEqual(['a', 'b', 'c'])
  })

  test('is the same to the byte for the same rows and instant', async () => {
    const write = (madeAt: string) =>
      writeSheet(xlsxExport, planOf([{ name: 'A' }], { madeAt: new Date(madeAt) }), [['x']])
    const first = await write('2026-11-21T09:00:00Z')
    expect((await write('2026-11-21T09:00:00Z')).sha256).toBe(first.sha256)
    // A zip tells times in steps of two seconds.
    expect((await write('2026-11-21T09:00:04Z')).sha256).not.toBe(first.sha256)
  })

  test('without rows it has its head', async () => {
    const { bytes } = await writeSheet(xlsxExport, planOf([{ name: 'A' }]), [])
    expect(Object.keys(cellsOf(readWorkbook(bytes)))).toEqual(['A1'])
  })

  test('any texts and numbers are read back as they are', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed()),
    )
    const row = fc.tuple(cell, fc.double({ noNaN: true, noDefaultInfinity: true }))
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        const plan = planOf([{ name: 'A' }, { name: 'B', type: 'Decimal' }])
        const { bytes } = await writeSheet(xlsxExport, plan, rows)
        const cells = cellsOf(readWorkbook(bytes))
        for (const [at, [text, number]] of rows.entries()) {
          expect(cells[`A${at + 2}`]?.v ?? '').toBe(text)
          expect(cells[`B${at + 2}`]?.v).toBe(number === 0 ? 0 : number)
        }
      }),
      { numRuns: 40 },
    )
  })
})

test('a template offers options and says what belongs where', async () => {
  const options = [
    { value: 'new', label: 'New' },
    { value: "it's, done", label: 'Done' },
  ]
  const plan = planOf([{ name: 'A' }, { name: 'B', options, comment: 'One of these:\nnew: New' }], {
    isTemplate: true,
    title: 'Options',
  })
  const { bytes } = await writeSheet(xlsxExport, plan, [])
  const sheet = readPart(bytes, 'xl/worksheets/sheet1.xml')
  expect(sheet).toContain('sqref="B2:B1048576"')
  expect(sheet).toContain(`<formula1>'Options of fields'!$A$1:$A$2</formula1>`)
  const book = readWorkbook(bytes)
  expect(book.SheetNames).toEqual(['Options', 'Options of fields'])
  expect(book.Workbook?.Sheets?.[1]?.Hidden).toBe(1)
  const lists = cellsOf(book, 1)
  expect([lists.A1?.v, lists.A2?.v]).toEqual(['new', "it's, done"])
  expect(cellsOf(book).B1?.c?.[0]?.t).toContain('One of these:\nnew: New')
})
