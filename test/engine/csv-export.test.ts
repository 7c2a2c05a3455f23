/** CSV and JSON Lines as files. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RowPage } from '../../src/engine/sheets/row-page.ts'
import { csvExport, toPlainNumber } from '../../src/engine/sheets/csv.ts'
import { jsonlExport } from '../../src/engine/sheets/jsonl.ts'
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
