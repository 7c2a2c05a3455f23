/**
 * JSON Lines: one object a row, by field name, each value in wire form. The members of the first
 * row are the head, with those of later ones.
 */
import { invalid } from '../../kernel/failure.ts'
import { parseJsonInTurns } from '../../kernel/json-in-turns.ts'
import { holdsMoreValues } from '../../kernel/json-values.ts'
import { isBrief, writeJsonInTurns } from '../../kernel/json-writing.ts'
import { JSON_VALUES_MAX } from '../../kernel/limits.ts'
import { say } from '../../kernel/messages.ts'
import { LongNumeral, parseJsonExactly } from '../../kernel/numerals.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { CELL_CHARS_MAX, COLUMNS_MAX } from './csv-records.ts'
import type {
  ExportFormat,
  ImportFormat,
  ReadOptions,
  RowSink,
  SheetPlan,
  SheetRow,
} from './format.ts'
import { HashedFile } from './hashed-file.ts'
import { JsonRows } from './json-rows.ts'
import type { RowPage } from './row-page.ts'
import { readText } from './text-file.ts'

export const jsonlExport: ExportFormat = {
  name: 'jsonl',
  contentType: 'application/jsonl; charset=utf-8',
  extension: '.jsonl',
  open: async (sheet, path) => new JsonlSink(await HashedFile.create(path), sheet),
}

class JsonlSink implements RowSink {
  readonly #file: HashedFile
  readonly #rows: JsonRows

  constructor(file: HashedFile, { columns }: SheetPlan) {
    this.#file = file
    this.#rows = new JsonRows(columns)
  }

  async write(page: RowPage): Promise<void> {
    const bytes = this.#rows.compose(page, NOTHING, LINE_END)
    if (bytes.length > 0) await this.#file.write(bytes)
  }

  close(): Promise<{ size: number; sha256: string }> {
    return this.#file.close()
  }

  abort(): Promise<void> {
    return this.#file.abort()
  }
}

const NOTHING = new Uint8Array()
const LINE_END = Buffer.from('\n')

/** Most characters of a line: as many as a cell may have, and some for the rest of the row. */
const LINE_CHARS_MAX = CELL_CHARS_MAX + 64 * 1024

/** Most characters of a line, and of a value of a longer one, that are read in one turn. */
const SHORT_CHARACTERS = 64 * 1024

/** Deepest nesting of a long line: SQLite reads no JSON that is deeper. */
const ROW_DEPTH_MAX = 1000

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
  const documents = new Set(
    columns
      .filter(({ type }) => FIELD_KINDS[type].structure === 'document')
      .map(({ name }) => name),
  )
  let names: ReadonlyMap<string, number> | undefined
  let line = 0
  for await (const lines of readLines(path, signal)) {
    const rows: SheetRow[] = []
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const members =
        text.length > SHORT_CHARACTERS
          ? await readLongLine(text, line, documents)
          : readMembers(parse(text), line, documents)
      if (!names) {
        names = new Map(members.map(([name], at) => [name, at]))
        if (names.size > COLUMNS_MAX) throw unreadable(line)
        yield [{ line: 1, cells: [...names.keys()], areMembers: true }]
      }
      rows.push(placeCells(members, names, line))
    }
    if (rows.length > 0) yield rows
  }
}

const unreadable = (line: number) =>
  invalid(say`Line ${line} is not a JSON object`, { code: 'UNREADABLE_FILE' })

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    return undefined
  }
}

/** Reads the members of a row. A value nested too deeply to be written again is unreadable, too. */
function readMembers(value: unknown, line: number, documents: ReadonlySet<string>): Member[] {
  try {
    return listMembers(value, line).map(([name, each]) => [
      name,
      toCell(each, documents.has(name)),
      typeof each === 'string',
    ])
  } catch (error) {
    throw error instanceof RangeError ? unreadable(line) : error
  }
}

/** The same for a long line, while others have turns. */
async function readLongLine(
  text: string,
  line: number,
  documents: ReadonlySet<string>,
): Promise<Member[]> {
  requireFew(text, line)
  const value = await parseLong(text, line)
  const members: Member[] = []
  for (const [name, each] of listMembers(value, line)) {
    const isText = typeof each === 'string'
    const isLong = typeof each === 'object' && !isBrief(each, SHORT_CHARACTERS)
    const cell = isLong ? await writeLong(each) : toCell(each, documents.has(name))
    members.push([name, cell, isText])
  }
  return members
}

async function parseLong(text: string, line: number): Promise<unknown> {
  try {
    const { value, depth } = await parseJsonInTurns(text, () => {}, { keepsPrototype: true })
    if (depth <= ROW_DEPTH_MAX) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw unreadable(line)
}

async function writeLong(value: unknown): Promise<string> {
  const pieces: string[] = []
  await writeJsonInTurns(value, (piece) => pieces.push(piece))
  return pieces.join('')
}

/** The members of an object. @throws invalid for another value, and for too many */
function listMembers(value: unknown, line: number): [name: string, value: unknown][] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || Object.keys(value).length > COLUMNS_MAX) throw unreadable(line)
  return Object.entries(value)
}

function placeCells(
  members: readonly Member[],
  names: ReadonlyMap<string, number>,
  line: number,
): SheetRow {
  const cells = new Array<string | null>(names.size).fill(null)
  const written: number[] = []
  for (const [name, value, isText] of members) {
    const at = names.get(name)
    if (at === undefined) {
      throw invalid(
        say`Line ${line} has the member '${name.slice(0, 80)}', which the first line does not have`,
        {
          code: 'UNREADABLE_FILE',
        },
      )
    }
    cells[at] = value
    // Numbers of JSON read the same in every culture.
    if (isText) written.push(at)
  }
  return { line, cells, written }
}

type Member = [name: string, cell: string | null, isText: boolean]

/** A document that is a text stays in quotation marks: bare, it would be another document. */
function toCell(value: unknown, isDocument: boolean): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof LongNumeral) return value.text
  return isDocument || typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function* readLines(path: string, signal?: AbortSignal): AsyncGenerator<string[]> {
  /** Parts of the present line that came in earlier pieces. */
  let parts: string[] = []
  let length = 0
  let line = 1
  for await (const piece of readText(path, signal)) {
    const lines: string[] = []
    let from = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      requireShort(length + end - from, line + lines.length)
      lines.push(parts.join('') + piece.slice(from, end))
      parts = []
      length = 0
      from = end + 1
    }
    parts.push(piece.slice(from))
    length += piece.length - from
    line += lines.length
    requireShort(length, line)
    if (lines.length > 0) yield lines
  }
  if (length > 0) yield [parts.join('')]
}

function requireShort(length: number, line: number): void {
  if (length <= LINE_CHARS_MAX) return
  throw invalid(say`Line ${line} is too long`, { code: 'UNREADABLE_FILE' })
}

/** Refuses a line with too many values, before they are made. */
function requireFew(text: string, line: number): void {
  if (!holdsMoreValues(text, JSON_VALUES_MAX)) return
  throw invalid(say`Line ${line} holds more than ${JSON_VALUES_MAX} values`, {
    code: 'UNREADABLE_FILE',
  })
}
