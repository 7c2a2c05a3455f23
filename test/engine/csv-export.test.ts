/** CSV and JSON Lines as files. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { neutralizeText } from '../../src/engine/sheets/csv-records.ts'
import { CsvRows, toPlainNumber } from '../../src/engine/sheets/csv-rows.ts'
import { csvExport } from '../../src/engine/sheets/csv.ts'
import { JsonRows } from '../../src/engine/sheets/json-rows.ts'
import { jsonlExport } from '../../src/engine/sheets/jsonl.ts'
import { RowPage } from '../../src/engine/sheets/row-page.ts'
import { temporaryFolder } from '../support/executable.ts'
import { planOf, writeSheet } from '../support/sheets.ts'

test('csv: a mark, labels, CRLF, quotes doubled, no value unlike an empty text', async () => {
  const plan = planOf([
    { name: 'A', label: 'Say "A"' },
    { name: 'B', type: 'Decimal' },
    { name: 'C', type: 'Boolean' },
    { name: 'D', type: 'Json' },
  ])
  const { bytes, size, sha256 } = await writeSheet(csvExport, plan, [
    ['a "b", c', 1.5, true, '{"a":"b"}'],
    ['two\r\nlines; and\ttabs', 0, false, '[1,2]'],
    ['', null, null, null],
    [null, 1e21, null, '"=x"'],
  ])
  expect(bytes.toString('utf8')).toBe(
    '\uFEFF"Say ""A""",B,C,D\r\n' +
      '"a ""b"", c",1.5,true,"{""a"":""b""}"\r\n' +
      '"two\r\nlines; and\ttabs",0,false,"[1,2]"\r\n' +
      '"",,,\r\n' +
      `,1000000000000000000000,,"'""=x"""\r\n`,
  )
  expect(size).toBe(bytes.length)
  expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
})

test('jsonl: an object a line, by name, values as the wire has them', async () => {
  const plan = planOf([
    { name: 'A', label: 'The A' },
    { name: 'B', type: 'Integer' },
    { name: 'C', type: 'Json' },
    { name: 'D', type: 'Boolean' },
  ])
  const { bytes } = await writeSheet(jsonlExport, plan, [
    ['line\n"x"', 7, '{"n":1.0,"list":[1,2]}', true],
    [null, '9223372036854775807', null, null],
  ])
  expect(bytes.toString('utf8')).toBe(
    '{"A":"line\\n\\"x\\"","B":7,"C":{"n":1.0,"list":[1,2]},"D":true}\n' +
      '{"A":null,"B":9223372036854775807,"C":null,"D":null}\n',
  )
})

/** A page as SQLite makes it: whole numbers of a REAL have a fraction, large ones an exponent. */
const asPage = (rows: readonly (readonly (string | number | boolean | null)[])[]): RowPage => {
  const toJson = (cell: string | number | boolean | null): string => {
    if (typeof cell !== 'number' || cell % 1 !== 0) return JSON.stringify(cell)
    const sign = Object.is(cell, -0) ? '-' : ''
    return `${sign}${cell}${Math.abs(cell) < 1e21 ? '.0' : ''}`
  }
  return new RowPage(
    Buffer.from(`[${rows.map((row) => `[${row.map(toJson).join(',')}]`).join(',')}]`),
  )
}

const UNITS = 'a1=+-@",;\'\\\t\r\n \u0000äß＝😀\ud800'

test('csv: cells copied from a page are those that a reader of JSON would write', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...UNITS) }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    ...[fc.integer(), fc.boolean(), fc.constant(null)],
  )
  const plan = planOf([{ name: 'A' }, { name: 'B', type: 'Integer' }, { name: 'C' }])
  const toCell = (value: string | number | boolean | null, at: number): string => {
    if (typeof value === 'number') return toPlainNumber(value === 0 ? 0 : value)
    if (typeof value !== 'string') return value === null ? '' : String(value)
    if (at === 1 && /^-?\d+$/.test(value)) return value
    const text = neutralizeText(value)
    return text === '' || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 4 }), (rows) => {
      const text = rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
      const bytes = new CsvRows(plan).compose(asPage(rows))
      expect(Buffer.from(bytes).toString('utf8')).toBe(Buffer.from(text).toString('utf8'))
    }),
    { numRuns: 2000 },
  )
})

test('jsonl: cells copied from a page are those that JSON has for their values', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...UNITS, '\u007f', '\u001f', '\b') }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -0, 5, 0.1 + 0.2, 123456789012345.6, 1234567890123456, 1e-7, 1e22, 5e-324),
    ...[fc.integer(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)],
  )
  const plan = planOf([
    ...[{ name: 'A "x"' }, { name: 'B', type: 'Integer' as const }],
    ...[{ name: 'C', type: 'Json' as const }, { name: 'D' }],
  ])
  const lines = new JsonRows(plan.columns)
  const [before, after] = [Buffer.from('<'), Buffer.from('>\n')]
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 4 }), (rows) => {
      // The last cell is lacking.
      const text = rows.map(([a, b, c]) => {
        const [own, digits, json] = [a, b, c].map((value) => JSON.stringify(value))
        const said = typeof b === 'string' ? b : digits
        const document = typeof c === 'string' ? c : json
        return `<{"A \\"x\\"":${own},"B":${said},"C":${document},"D":null}>\n`
      })
      const bytes = lines.compose(asPage(rows), before, after)
      expect(Buffer.from(bytes).toString('utf8')).toBe(Buffer.from(text.join('')).toString('utf8'))
    }),
    { numRuns: 2000 },
  )
})

test('jsonl: what is no cell, and a cell of no column, end the file', () => {
  const lines = new JsonRows(planOf([{ name: 'A' }]).columns)
  for (const page of ['[[[1]]]', '[[{"a":1}]]', '[[1,2]]']) {
    const rows = new RowPage(Buffer.from(page))
    expect(() => lines.compose(rows, Buffer.from(''), Buffer.from('\n'))).toThrow('A row has')
  }
})

test('a number is written in digits and is the same number again', () => {
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(numbers, (number) => {
      const text = toPlainNumber(number)
      expect(text).toMatch(/^-?\d+(?:\.\d+)?$/)
      expect(Number(text)).toBe(number === 0 ? 0 : number)
    }),
  )
})

test('what is given up leaves no file, and a file that is there is not written over', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'file.csv')
  const plan = planOf([{ name: 'A' }])
  const sink = await csvExport.open(plan, path)
  await sink.write(RowPage.of([['x']]))
  const again = await csvExport.open(plan, path).catch((error: Error) => error)
  expect(again).toBeInstanceOf(Error)
  await sink.abort()
  expect(existsSync(path)).toBe(false)
})
