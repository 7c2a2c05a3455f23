/** JSON Lines: one object a row; the members of the first one are the head, with later ones. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { COLUMNS_MAX } from './csv-records.ts'
import type { ImportFormat, ReadOptions, SheetRow } from './format.ts'
import { readText } from './text-file.ts'

/** Characters of a line. */
const LINE_CHARS_MAX = 16 * 1024 * 1024

export const jsonlImport: ImportFormat = {
  name: 'jsonl',
  extensions: ['.jsonl', '.ndjson'],
  read: readJsonLines,
}

/** The head is the first row's: a member that only later rows have is refused with its line. */
async function* readJsonLines(
  path: string,
  { signal, columns = [] }: ReadOptions,
): AsyncGenerator<SheetRow[]> {
  const documents = new Set(columns.filter(({ type }) => type === 'Json').map(({ name }) => name))
  let names: ReadonlyMap<string, number> | undefined
  let line = 0
  for await (const lines of readLines(path, signal)) {
    const rows: SheetRow[] = []
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const members = readMembers(text, line, documents)
      if (!names) {
        names = new Map(members.map(([name], at) => [name, at]))
        if (names.size > COLUMNS_MAX) throw unreadable(line)
        yield [{ line: 1, cells: [...names.keys()] }]
      }
      rows.push({ line, cells: placeCells(members, names, line) })
    }
    if (rows.length > 0) yield rows
  }
}

const unreadable = (line: number) =>
  invalid(say`Line ${line} is no JSON object`, { code: 'UNREADABLE_FILE' })

/** A value may be nested deeper than it could be written again: that is no row either. */
function readMembers(text: string, line: number, documents: ReadonlySet<string>): Member[] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.entries(value).map(([name, each]) => [name, toCell(each, documents.has(name))])
    }
  } catch {
    // Told below, like any other text that is no object.
  }
  throw unreadable(line)
}

function placeCells(
  members: readonly Member[],
  names: ReadonlyMap<string, number>,
  line: number,
): (string | null)[] {
  const cells = new Array<string | null>(names.size).fill(null)
  for (const [name, value] of members) {
    const at = names.get(name)
    if (at === undefined) {
      throw invalid(say`Line ${line} has the member '${name.slice(0, 80)}', the first has not`, {
        code: 'UNREADABLE_FILE',
      })
    }
    cells[at] = value
  }
  return cells
}

type Member = [name: string, cell: string | null]

/** A document that is a text is one in quotation marks: bare, it would be another document. */
function toCell(value: unknown, isDocument: boolean): string | null {
  if (value === null || value === undefined) return null
  return isDocument || typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function* readLines(path: string, signal?: AbortSignal): AsyncGenerator<string[]> {
  let rest = ''
  let line = 0
  for await (const piece of readText(path, signal)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    line += lines.length
    if (rest.length > LINE_CHARS_MAX) throw unreadable(line + 1)
    if (lines.length > 0) yield lines
  }
  if (rest !== '') yield [rest]
}
