/** The answer of an import: counts, faults of rows, and the file of those left out. */
import { Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { Tx } from '../../../store/store.ts'
import { takeDispatch } from '../after-write/pending-events.ts'
import type { ImportFault, MadeFile } from '../import-schema.ts'
import { isErrorHead } from './column-headers.ts'
import type { DayOrders } from './import-day-order.ts'
import { placeFault, RecordGroups, type RecordRows } from './import-details.ts'
import type { ImportStage, LineText } from './import-stage.ts'
import type { ImportWork } from './import-work.ts'
import { maskErrors, type ShowsField } from '../rules/masked-faults.ts'
import type { ObjectActionResult } from '../schema.ts'
import { describeFile, planMadeFor, planSheet, writeSheet } from '../sheet-file.ts'
import type { SheetColumn, SheetRow } from '../../sheets/format.ts'
import { type Cells, RowPage } from '../../sheets/row-page.ts'

/** Facts of an import before it is written. */
export interface ImportFacts {
  rows: number
  unchanged: number
  ignored: readonly string[]
  failed: number
  /** Number of the file's last line. */
  lines: number
  errorFile: MadeFile | null
  /** Rows with faults, of a dry run alone. */
  faults: ImportFault[] | undefined
  /** Takes how many rows are written. */
  onProgress: (rows: number) => void
}

/** Returns the answer of the import. */
export function toResult(
  { request, view }: ImportWork,
  { rows, unchanged, failed, errorFile, faults, ignored }: ImportFacts,
  { id, inserted, updated, tx }: { id: number; inserted: number; updated: number; tx: Tx },
): ObjectActionResult {
  return {
    Action: 'import',
    Keys: null,
    Ignored: [...ignored],
    Dispatch: request.dryRun
      ? []
      : [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
    Import: {
      ImportId: request.dryRun ? null : String(id),
      Inserted: inserted,
      Updated: updated,
      Skipped: unchanged,
      Failed: failed,
      Rows: rows,
      ErrorFile: errorFile,
      ...(faults && { Faults: faults }),
    },
  }
}

/** Entries of `fieldErrors`. */
const REPORTED_MAX = 1000

/** Rows that a dry run lists with their cells, and the characters of those cells. */
const LISTED_MAX = 200
const LISTED_CHARACTERS_MAX = 200_000

const toText = (line: number, faults: FieldErrors, language: string): LineText => ({
  line,
  text: Object.entries(faults)
    .map(([field, message]) => {
      const text = renderMessage(message, language)
      return field === '' ? text : `${field}: ${text}`
    })
    .join('; '),
})

/** Rows that cannot be written. */
export class ImportFaults {
  readonly #reported: FieldErrors = {}
  readonly #lines = new Set<number>()
  #count = 0
  #reportedCount = 0
  readonly #shows: ShowsField
  readonly #language: string | undefined
  /** Rows have lines, whose faults are of the rows of the file that they stand in. */
  hasLines = false
  #texts: LineText[] = []
  /** Faults of the first lines, where their texts are given out. */
  readonly #listed = new Map<number, Record<string, string>>()

  /**
   * With a language the texts of all of them are given out, by `takeTexts`. Faults of fields that
   * `shows` refuses are reported as faults of their rows.
   */
  constructor(shows: ShowsField, language?: string) {
    this.#shows = shows
    this.#language = language
  }

  /** Faults of one line by field; '' is the row itself. */
  add(line: number, found: FieldErrors): void {
    const faults = maskErrors(found, this.#shows)
    if (this.#lines.size < LINES_MAX) {
      if (!this.#lines.has(line)) this.#count++
      this.#lines.add(line)
    } else this.#count++
    if (this.#language !== undefined) {
      this.#texts.push(toText(line, faults, this.#language))
      this.#list(line, faults, this.#language)
    }
    for (const [field, message] of Object.entries(faults)) {
      if (this.#reportedCount >= REPORTED_MAX) return
      const name = nameFault(placeFault(line, field, this.hasLines))
      if (name in this.#reported) continue
      this.#reported[name] = message
      this.#reportedCount++
    }
  }

  #list(line: number, faults: FieldErrors, language: string): void {
    for (const [field, message] of Object.entries(faults)) {
      const place = placeFault(line, field, this.hasLines)
      if (!this.#listed.has(place.line) && this.#listed.size >= LISTED_MAX) return
      const row = this.#listed.getOrInsertComputed(place.line, () => ({}))
      row[place.field] ??= renderMessage(message, language)
    }
  }

  /** Faults of a line by column, of the first lines with any; undefined for other lines. */
  find(line: number): Readonly<Record<string, string>> | undefined {
    return this.#listed.get(line)
  }

  /** Rows with faults. */
  get count(): number {
    return this.#count
  }

  /** Takes the texts added since the last call. */
  takeTexts(): LineText[] {
    return this.#texts.splice(0)
  }

  /** 400 with `fieldErrors`. */
  toFailure(): Failure {
    const text =
      this.#count === 1
        ? say`1 row has errors. Nothing was imported.`
        : say`${this.#count} rows have errors. Nothing was imported.`
    return new Failure('validation', text, { fieldErrors: this.#reported })
  }
}

/** Lines that are counted once; beyond them a line with two kinds of faults counts twice. */
const LINES_MAX = 200_000

/** The key of a fault in `fieldErrors`: `Rows[13].Lines.Quantity`. */
const nameFault = ({ line, field }: { line: number; field: string }): string =>
  field === '' ? `Rows[${line}]` : `Rows[${line}].${field}`

/** How the rows were read, for those that are written back. */
interface ReadingFacts {
  settle: DayOrders['settle']
  /** Places of columns whose numbers are as the file shows them. */
  shownPlaces: readonly number[]
}

/**
 * Makes the file, in the format that came where it can be written, ready to be mended and sent
 * again.
 */
export async function makeErrorFile(
  work: ImportWork,
  imported: ImportStage,
  { rows, reader }: { rows: number; reader: ReadingFacts },
): Promise<MadeFile> {
  const { parts, view, grant, mutation, format } = work
  const isWritten = parts.formats.exportNames.includes(format.name)
  const writer = parts.formats.requireExport(isWritten ? format.name : 'xlsx')
  const requested = { view, grant, context: mutation.context }
  const word = renderMessage(say`errors`, parts.language)
  const file = await parts.made.make(planMadeFor(requested, writer, word), async (path) => {
    const batches = readBad(work, imported, reader)
    try {
      const head = (await batches.next()).value?.[0]?.row.cells
      if (!head) throw new Error('A file that had rows has none')
      // The column of the last attempt goes.
      const places = head.flatMap((cell, at) => (isErrorHead(cell ?? '') ? [] : [at]))
      const pick = (cells: Cells): Cells => places.map((at) => cells[at] ?? null)
      const sheet = planSheet(requested, planColumns(pick(head), parts.language))
      return await writeSheet(writer, sheet, path, async (sink) => {
        for await (const batch of batches) {
          const rows = batch.map(({ row, text }) => [...pick(reader.settle(row.cells)), text])
          await sink.write(RowPage.of(rows))
        }
      })
    } finally {
      await batches.return(undefined)
    }
  })
  return describeFile(parts.made, file, rows)
}

/** The first rows with faults, with their cells as the file has them. */
export async function listFaults(
  work: ImportWork,
  imported: ImportStage,
  { faults, reader }: { faults: ImportFaults; reader: ReadingFacts },
): Promise<ImportFault[]> {
  const listed: ImportFault[] = []
  let characters = 0
  for await (const batch of readBad(work, imported, reader)) {
    for (const { row } of batch) {
      const found = faults.find(row.line)
      if (!found || row.line === 1) continue
      characters += row.cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0)
      if (listed.length === LISTED_MAX || characters > LISTED_CHARACTERS_MAX) return listed
      listed.push({ Line: row.line, Cells: [...row.cells], FieldErrors: { ...found } })
    }
  }
  return listed
}

/** A row of a record with faults; `text` says what is wrong, in the first row of the record. */
interface BadRow {
  row: SheetRow
  text: string | null
}

/** The head, then bad rows in batches. */
async function* readBad(
  work: ImportWork,
  imported: ImportStage,
  { shownPlaces }: Pick<ReadingFacts, 'shownPlaces'>,
): AsyncGenerator<BadRow[], undefined> {
  const { format, file, grant } = work
  const errors = imported.errors()
  let next = await errors.next()
  const { details } = imported.plan
  let groups: RecordGroups | undefined
  let isHead = true
  /** A bad record comes with all its lines, the first of them with what is wrong. */
  const pick = async function* (records: readonly RecordRows[]): AsyncGenerator<BadRow[]> {
    const bad: BadRow[] = []
    for (const { row, lines } of records) {
      if (next.done || next.value.line !== row.line) continue
      const { text } = next.value
      for (const each of new Set([row, ...lines]))
        bad.push({ row: each, text: each === row ? text : null })
      next = await errors.next()
    }
    if (bad.length > 0) yield bad
  }
  const options = { zone: grant.caller.timeZone, listShown: () => shownPlaces }
  for await (const rows of format.read(file.path, options)) {
    const [head] = rows
    if (isHead && head) {
      isHead = false
      if (details.length > 0) groups = new RecordGroups(head.cells.length, details)
      yield [{ row: head, text: null }]
      continue
    }
    yield* pick(groups ? groups.push(rows) : rows.map((row) => ({ row, lines: [] })))
  }
  yield* pick(groups?.end() ?? [])
}

function planColumns(headers: Cells, language: string): SheetColumn[] {
  const error = renderMessage(say`Error`, language)
  return [...headers.map((head) => String(head ?? '')), error].map((label) => ({
    name: label,
    label,
    type: 'Text',
  }))
}
