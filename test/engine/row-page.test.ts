/** The cells of a page, as going over its bytes and as parsing it tell them. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { markCodes } from '../../src/engine/sheets/byte-writer.ts'
import { CellCursor, type Cells, RowPage } from '../../src/engine/sheets/row-page.ts'

const SPECIAL = markCodes('&<', true)

/** The values of a cursor. */
function readCells(page: RowPage): Cells[] {
  const cursor = new CellCursor(page, SPECIAL)
  const rows: Cells[] = []
  while (cursor.nextRow()) {
    const cells: Cells[number][] = []
    for (let kind = cursor.next(); kind !== undefined; kind = cursor.next()) {
      if (kind === 'text') {
        const { text } = cursor
        cells.push(text)
        expect(cursor.isPlain).toBe(/^[ -~]*$/.test(text) && !/["\\&<]/.test(text))
      } else if (kind === 'number') {
        cells.push(Number(Buffer.from(page.bytes).toString('latin1', cursor.from, cursor.to)))
      } else cells.push(kind === 'null' ? null : kind === 'true')
    }
    rows.push(cells)
  }
  return rows
}

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', 'a\\"', '\\\\', 'a,b]', '[', '\ud800', '\u0000', 'ä', '𝄞'),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  fc.constantFrom(null, true, false),
)

test('are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 })), (rows) => {
      const page = RowPage.of(rows)
      expect(readCells(page)).toEqual(JSON.parse(JSON.stringify(rows)))
      expect(page.rows).toEqual(JSON.parse(JSON.stringify(rows)))
    }),
    { numRuns: 1000 },
  )
})

test('are the same where SQLite has made the text', () => {
  using database = new Database(':memory:')
  const values = `'a"b\\c', char(1, 10, 127, 8232), 1.0, -1e300, 0.1 + 0.2, 9007199254740991, NULL`
  const sql = `SELECT '[' || json_array(${values}) || ',' || json_array(json('true')) || ']' AS Text`
  const { Text } = database.query(sql).get() as { Text: string }
  const page = new RowPage(Buffer.from(Text))
  expect(readCells(page)).toEqual([...page.rows])
  expect(page.rows).toEqual(JSON.parse(Text))
})

test('bytes that are no UTF-8 are replaced, and harm no other cell', () => {
  const page = new RowPage(Buffer.from('[["a","\xed\xa0\x80"],[1]]', 'latin1'))
  const [[first, second] = [], next] = readCells(page)
  expect([first, next]).toEqual(['a', [1]])
  expect(String(second)).toMatch(/^\ufffd+$/)
})

test('a value within a value is refused: no row behind it is lost unseen', () => {
  for (const text of ['[[[1,2],3],[4]]', '[[{"a":1},3],[4]]', '[[1,[]],[4]]']) {
    expect(() => readCells(new RowPage(Buffer.from(text)))).toThrow('what is no cell')
  }
})
