/** Lines of JSON, wherever the pieces of their file end. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../src/kernel/failure.ts'
import { JSON_VALUES_MAX } from '../../src/kernel/limits.ts'
import { jsonlImport } from '../../src/engine/sheets/jsonl.ts'
import { temporaryFolder } from '../support/executable.ts'

/** Bytes that are read of a file at once. */
const PIECE_BYTES = 64 * 1024
/** Characters of a line: 8 MB of a cell and what stands around it. */
const LINE_CHARS_MAX = 8 * 1024 * 1024 + 64 * 1024

async function read(content: string): Promise<{ line: number; cell: string | null }[]> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'file.jsonl')
  writeFileSync(path, content)
  const rows: { line: number; cell: string | null }[] = []
  for await (const batch of jsonlImport.read(path, { zone: 'UTC' })) {
    for (const { line, cells } of batch) rows.push({ line, cell: cells[0] ?? null })
  }
  return rows.slice(1)
}

const refused = async (content: string): Promise<string> => {
  const fault = await read(content).catch((error: unknown) => error)
  return fault instanceof Failure ? String(fault.text) : 'not refused'
}

test('a character or an escape that two pieces share stays whole', async () => {
  const texts = ['😀é😀', '\\"\n\t', '\u0001\\', 'ends\\\\']
  for (const text of texts) {
    const row = JSON.stringify({ A: text })
    for (let before = 0; before <= row.length + 4; before++) {
      const lead = ' '.repeat(PIECE_BYTES - before)
      expect(await read(`${lead}${row}\n${row}`)).toEqual([
        { line: 1, cell: text },
        { line: 2, cell: text },
      ])
    }
  }
})

test('a mark at the begin, CR LF, blank lines and none at the end are no matter', async () => {
  const rows = ['\uFEFF{"A":"1"}', '', '   ', '{"A":2}', '{"A":null}'].join('\r\n')
  const told = [
    { line: 1, cell: '1' },
    { line: 4, cell: '2' },
    { line: 5, cell: null },
  ]
  expect(await read(rows)).toEqual(told)
  expect(await read(`${rows}\r\n`)).toEqual(told)
})

test('a line of just so many characters is one, one more is told to be too long', async () => {
  const long = (length: number): string => `{"A":"${'x'.repeat(length - 8)}"}`
  for (const end of ['', '\n', '\n{"A":1}']) {
    const [first] = await read(`${long(LINE_CHARS_MAX)}${end}`)
    expect(first?.cell).toHaveLength(LINE_CHARS_MAX - 8)
    const told = await refused(`{"A":1}\n\n${long(LINE_CHARS_MAX + 1)}${end}`)
    expect(told).toBe('Line 3 is too long')
  }
})

test('a member named __proto__ is refused in a long line as in a short one', async () => {
  const told = "Line 2 has the member '__proto__', which the first line does not have"
  for (const text of ['x', 'x'.repeat(PIECE_BYTES)]) {
    expect(await refused(`{"A":1}\n{"A":"${text}","__proto__":{"B":1}}`)).toBe(told)
    const [row] = await read(`{"A":{"__proto__":1,"B":"${text}"}}`)
    expect(row?.cell).toEndWith(`"B":"${text}"}`)
  }
})

test('marks within texts are no values', async () => {
  const text = `${',[\\"'.repeat(JSON_VALUES_MAX)}\\\\`
  const [row] = await read(`{"A":"${text}","B":1}`)
  expect(row?.cell).toBe(String(JSON.parse(`"${text}"`)))
  const list = (values: number): string => `{"A":[${'1,'.repeat(values - 1)}1]}`
  // The list is one of them.
  expect(await read(list(JSON_VALUES_MAX - 1))).toHaveLength(1)
  const deep = `{"A":${'['.repeat(JSON_VALUES_MAX)}${']'.repeat(JSON_VALUES_MAX)}}`
  for (const line of [list(JSON_VALUES_MAX), deep]) {
    const told = await refused(`{"A":1}\n${line}`)
    expect(told).toMatch(/^Line 2 holds more than 100.?000 values$/)
  }
})
