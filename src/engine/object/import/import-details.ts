/**
 * Records with their lines in one file: heads as `Lines.Product` are columns of a detail. A record
 * begins with the row that says it; the rows below it bring further lines, their cells of the
 * record being blank or the same.
 */
import { type FieldErrors, invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Detail } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { HeaderScope } from './column-headers.ts'
import type { CellReader } from './import-cells.ts'
import {
  type DetailColumns,
  type ImportColumns,
  planImportColumns,
  type StagedLine,
} from './import-plan.ts'
import { requireView } from '../read/find-view.ts'
import { Heads, listLanguages, toHeadKey } from '../read/heads.ts'
import type { SheetRow } from '../../sheets/format.ts'

/** The columns of a file: those of the object itself, and those of its details. */
export function planFileColumns(
  head: Pick<SheetRow, 'cells' | 'areMembers'>,
  scope: HeaderScope,
): { columns: ImportColumns; details: DetailColumns[] } {
  const found = findDetailHeads(head.cells, scope)
  const details = found.map((each) => {
    const { view, grant, request } = planDetailScope(each, scope)
    const inner = { view, grant, request, isDetail: true }
    const columns = planImportColumns({ cells: each.heads }, inner)
    return { detail: each.detail, view, grant, columns: { ...columns, blank: [] } }
  })
  const elsewhere = listPlacesOf(found)
  return { columns: planImportColumns(head, { ...scope, elsewhere }), details }
}

/** A detail that heads of a file name. */
interface DetailHeads {
  detail: Detail
  /** The heads behind the detail's name, by their places; null elsewhere. */
  heads: (string | null)[]
}

/** The places of heads that are a detail's, where a file of new records may have them. */
export const listDetailPlaces = (
  headers: readonly (string | null)[],
  scope: HeaderScope,
): ReadonlySet<number> => listPlacesOf(findDetailHeads(headers, scope))

const listPlacesOf = (found: readonly DetailHeads[]): ReadonlySet<number> =>
  new Set(found.flatMap(({ heads }) => heads.flatMap((each, at) => (each === null ? [] : [at]))))

/**
 * Finds the heads of details: a detail by its name or its label in any language, a dot, a head of
 * its view. A head that is the object's own is none.
 */
function findDetailHeads(
  headers: readonly (string | null)[],
  { view, grant, request: { mapping } }: HeaderScope,
): DetailHeads[] {
  if (view.details.length === 0) return []
  const own = new Heads(view, grant)
  const languages = listLanguages(grant)
  const named = new Map(
    view.details.flatMap((detail) =>
      [detail.name, ...languages.map((language) => renderMessage(detail.label, language))].map(
        (name) => [toHeadKey(name), detail] as const,
      ),
    ),
  )
  const found = new Map<Detail, (string | null)[]>()
  for (const [at, given] of headers.entries()) {
    const mapped = given === null ? null : mapping.get(toHeadKey(given))
    const head = mapped === undefined ? given : mapped
    const dot = head?.indexOf('.') ?? -1
    const detail = head && dot > 0 ? named.get(toHeadKey(head.slice(0, dot))) : undefined
    if (!detail || !head || own.find(head) !== undefined) continue
    const heads = found.getOrInsertComputed(detail, () => headers.map(() => null))
    heads[at] = head.slice(dot + 1).trim()
  }
  return [...found].map(([detail, heads]) => ({ detail, heads }))
}

/** @throws denied without the right to add lines, invalid where the file is not of new records */
function planDetailScope({ detail }: DetailHeads, { grant, request }: HeaderScope): HeaderScope {
  const name = renderMessage(detail.label, grant.caller.language)
  if (request.mode !== 'insert' || request.takeover) {
    throw invalid(say`'${name}' can only come with new records. Import it as a file of its own.`, {
      code: 'DETAILS_OF_STORED',
    })
  }
  const { caller, model, allCompanies } = grant
  const view = requireView(model, detail.view)
  return {
    view,
    grant: Grant.require(caller, model, view.resource, ['Create'], { allCompanies }),
    request: {
      mode: 'insert',
      keyFields: [],
      mapping: new Map(),
      keepKeys: false,
      takeover: false,
    },
  }
}

/** A record's row with the rows of its lines, the first of which may be its own. */
export interface RecordRows {
  row: SheetRow
  lines: SheetRow[]
}

const LINES_MAX = 5000

/** Puts the rows of a file together to records. */
export class RecordGroups {
  readonly #own: readonly number[]
  readonly #details: readonly number[]
  #open: RecordRows | undefined

  constructor(width: number, details: readonly Pick<DetailColumns, 'columns'>[]) {
    const places = new Set(details.flatMap(({ columns }) => listPlaces(columns)))
    this.#details = [...places]
    this.#own = Array.from({ length: width }, (_, at) => at).filter((at) => !places.has(at))
  }

  /** The records that end in further rows. @throws invalid for one of too many lines */
  push(rows: readonly SheetRow[]): RecordRows[] {
    const done: RecordRows[] = []
    for (const row of rows) {
      if (!row.broken && row.cells.every(isNothing)) continue
      const hasLine = this.#hasLine(row)
      if (this.#open && hasLine && this.#continues(row, this.#open.row)) {
        this.#open.lines.push(row)
        if (this.#open.lines.length > LINES_MAX) throw tooMany(this.#open.row.line)
        continue
      }
      if (this.#open) done.push(this.#open)
      this.#open = { row, lines: hasLine ? [row] : [] }
    }
    return done
  }

  /** The last record. */
  end(): RecordRows[] {
    const last = this.#open
    this.#open = undefined
    return last ? [last] : []
  }

  #hasLine({ cells, broken }: SheetRow): boolean {
    return this.#details.some(
      (at) => !isNothing(cells[at]) || broken?.some((cell) => cell.at === at),
    )
  }

  #continues({ cells, broken }: SheetRow, first: SheetRow): boolean {
    return this.#own.every(
      (at) =>
        (isNothing(cells[at]) || cells[at] === first.cells[at]) &&
        !broken?.some((cell) => cell.at === at),
    )
  }
}

const isNothing = (cell: string | null | undefined): boolean => (cell ?? '').trim() === ''

const tooMany = (line: number) =>
  invalid(say`The record on line ${line} has more than ${LINES_MAX} lines`, {
    code: 'TOO_MANY_LINES',
  })

const listPlaces = ({ values, lists, unkept, ignored }: ImportColumns): number[] =>
  [...values, ...lists, ...unkept, ...ignored].map(({ at }) => at)

/** The lines of a record, with what is wrong with them (`Lines[13].Quantity`, by line). */
interface ReadLines {
  lines: StagedLine[]
  faults: FieldErrors | undefined
}

/** Reads the lines of records. */
export class LineReader {
  readonly #details: readonly { own: DetailColumns; reader: CellReader; places: Set<number> }[]

  constructor(details: readonly { own: DetailColumns; reader: CellReader }[]) {
    this.#details = details.map(({ own, reader }) => ({
      own,
      reader,
      places: new Set(listPlaces(own.columns)),
    }))
  }

  /** Names of the columns whose values were dropped: `Lines.Amount`. */
  listDropped(): string[] {
    return this.#details.flatMap(({ own, reader }) =>
      reader.listDropped().map((name) => `${own.detail.name}.${name}`),
    )
  }

  /** The lines of each record, in the order of the records. */
  async read(records: readonly RecordRows[]): Promise<ReadLines[]> {
    const read = new Map(records.map((record) => [record, emptyLines()]))
    for (const { own, reader, places } of this.#details) {
      const rows = records.flatMap((record) =>
        record.lines.flatMap((row) => (isFilled(row, places) ? [{ record, row }] : [])),
      )
      const typed = await reader.read(rows.map(({ row }) => row))
      for (const [at, row] of typed.entries()) {
        const to = read.get(rows[at]?.record ?? NO_RECORD)
        if (!to) continue
        const name = `${own.detail.name}[${row.line}]`
        const faults = row.unkept ? { [row.unkept.field.name]: SERVER_KEY } : row.faults
        for (const [field, fault] of Object.entries(faults ?? {})) {
          to.faults = { ...to.faults, [field === '' ? name : `${name}.${field}`]: fault }
        }
        const values = toValues(own.columns, row)
        to.lines.push({ detail: own.detail.name, line: row.line, values })
      }
    }
    return records.map((record) => read.get(record) ?? emptyLines())
  }
}

const NO_RECORD: RecordRows = { row: { line: 0, cells: [] }, lines: [] }
const SERVER_KEY = say`The server assigns the key of a new record. Leave it out.`

const emptyLines = (): ReadLines => ({ lines: [], faults: undefined })

const isFilled = ({ cells, broken }: SheetRow, places: ReadonlySet<number>): boolean =>
  [...places].some((at) => !isNothing(cells[at])) ||
  (broken?.some(({ at }) => places.has(at)) ?? false)

/** Values as a submit names them; lists are lists of keys. */
function toValues(
  { values, lists }: ImportColumns,
  row: { values: readonly SqlValue[]; lists: readonly SqlValue[] },
): Record<string, unknown> {
  const own = values.map(({ field }, at) => [field.name, row.values[at] ?? null])
  const keys = lists.map(({ field }, at) => {
    const list = row.lists[at] ?? null
    return [field.name, list === null ? null : (JSON.parse(String(list)) as unknown)]
  })
  return Object.fromEntries([...own, ...keys]) as Record<string, unknown>
}

/** `Lines[13].Quantity`: the detail, the line of the file, the field. */
const LINE_FAULT = /^([A-Za-z]\w*)\[(\d+)\](?:\.(.*))?$/

/** The line of the file and the column that a fault of a record is of; '' for the whole line. */
export function placeFault(
  line: number,
  field: string,
  hasLines: boolean,
): { line: number; field: string } {
  const match = hasLines ? LINE_FAULT.exec(field) : null
  if (!match) return { line, field }
  const [, detail = '', at, own] = match
  return { line: Number(at), field: own === undefined ? detail : `${detail}.${own}` }
}
