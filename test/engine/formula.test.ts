/** Cells that a spreadsheet would run (NocoDB CVE-2022-22121), and the way back. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { neutralizeText, restoreText } from '../../src/engine/sheets/csv-records.ts'
import { csvExport } from '../../src/engine/sheets/csv.ts'
import { xlsxExport } from '../../src/engine/sheets/xlsx-export.ts'
import { cellsOf, planOf, readWorkbook, writeSheet } from '../support/sheets.ts'

const FORMULAS = [
  '=1+1',
  '+1',
  '-1+1|cmd',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '|calc',
  '｜calc',
  '"=1+1',
  '"\n"=1',
  '  =1',
  '\u00A0=1',
  '\uFEFF=1',
  '\tplain',
  '\rplain',
]
const HARMLESS = ['', 'a=b', '1-1', 'x', "'", "it's", "'quoted'", '"quoted"', 'a\n=b', 'é', '5']

describe('NocoDB CVE-2022-22121: a cell is no formula', () => {
  for (const text of FORMULAS) {
    test(`${JSON.stringify(text)} is told from one by an apostrophe`, async () => {
      const { bytes } = await writeSheet(csvExport, planOf([{ name: 'A' }]), [[text]])
      const cell = bytes.toString('utf8').slice('\uFEFFA\r\n'.length).replace(/^"/, '')
      expect(cell.startsWith("'")).toBe(true)
      expect(restoreText(neutralizeText(text))).toBe(text)
    })
  }

  test('what is none stays as it is', () => {
    for (const text of HARMLESS) expect([text, neutralizeText(text)]).toEqual([text, text])
  })

  test('heads are told from formulas, too', async () => {
    const { bytes } = await writeSheet(csvExport, planOf([{ name: '=A' }]), [])
    expect(bytes.toString('utf8')).toBe("\uFEFF'=A\r\n")
  })

  test('numbers stay numbers, digits too many for one as well', async () => {
    const columns = planOf([
      { name: 'A', type: 'Decimal' },
      { name: 'B', type: 'Integer' },
    ])
    const { bytes } = await writeSheet(csvExport, columns, [
      [-1.5, -2],
      [-1e-7, '-9223372036854775807'],
    ])
    expect(bytes.toString('utf8').split('\r\n').slice(1)).toEqual([
      '-1.5,-2',
      '-0.0000001,-9223372036854775807',
      '',
    ])
  })

  test('a workbook has texts, and no cell of it is a formula', async () => {
    const { bytes } = await writeSheet(
      xlsxExport,
      planOf([{ name: 'A' }]),
      FORMULAS.map((text) => [text]),
    )
    const cells = cellsOf(readWorkbook(bytes))
    for (const [at, text] of FORMULAS.entries()) {
      expect(cells[`A${at + 2}`]).toMatchObject({ t: 's', v: text })
      expect(cells[`A${at + 2}`]?.f).toBeUndefined()
    }
  })

  test('every text comes back, whatever it begins with', () => {
    const start = fc.array(fc.constantFrom("'", '"', '=', '\t', '\r', '\n', ' ', '-', 'a', '＝'), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(start, fc.string({ unit: 'binary' }), (signs, rest) => {
        const text = signs.join('') + rest
        expect(restoreText(neutralizeText(text))).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })
})
