/** Rows of a file as typed values: the text of a cell becomes the value of its field. */
import { isBlankText, normalizeText, trimBlanks } from '../../../kernel/blanks.ts'
import type { FieldErrors } from '../../../kernel/failure.ts'
import { Message, noun, say } from '../../../kernel/messages.ts'
import { startOfDay } from '../../../kernel/zones.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { readInstant } from '../../../model/fields/date-time.ts'
import type { Moment } from '../../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { isTime } from '../../../model/fields/time.ts'
import type { CellCultures } from './import-culture.ts'
import type { DayOrders } from './import-day-order.ts'
import { ColumnLookup, isNamed } from './import-lookups.ts'
import type {
  ImportColumn,
  ImportColumns,
  ImportPlan,
  OwnReference,
  StagedLine,
} from './import-plan.ts'
import { listTexts, readKeys } from './list-cells.ts'
import { MANY, planOptionTexts } from '../read/option-texts.ts'
import { type ParsedValue, parseValue } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'
import type { SheetRow } from '../../sheets/format.ts'
import { isErrorText } from '../../sheets/xlsx-rows.ts'

/** A row with its values, in the order of `ImportColumns.values`, `.lists` and `.keys`. */
export interface ImportRow {
  line: number
  values: SqlValue[]
  /** The cells that they were read from, by the places of the file. */
  cells: readonly (string | null)[]
  /** Lists of keys as JSON. */
  lists: SqlValue[]
  keys: SqlValue[]
  stamp: SqlValue
  /** Texts that name records of the same entity, in the order of `ImportPlan.own`. */
  own: readonly (OwnText | undefined)[]
  /** A column of which it has a key or number that a new record could not keep. */
  unkept: ImportColumn | undefined
  faults: FieldErrors | undefined
  /** Lines of its details; undefined where the file has none. */
  details?: readonly StagedLine[] | undefined
}

/** A text that names a record: by the key that it is, or by what the record is called. */
interface OwnText {
  text: string
  isKey: boolean
}

/** Prefix of a key that is a number, so that it does not read like the label of another row. */
export const NUMBER_KEY = '\u0001'

type ReadCell = (text: string) => ParsedValue

interface Reader {
  column: ImportColumn
  read: ReadCell
  /** Reads what the file itself says is a number, where `read` reads it as people write it. */
  readTyped?: ReadCell | undefined
  lookup: ColumnLookup | undefined
  /** The texts of a cell that are looked up; without it the cell is one. */
  listTexts?: (cell: string) => string[]
}

/** Reads batches of rows. */
export class CellReader {
  readonly #columns: ImportColumns
  readonly #values: readonly Reader[]
  readonly #lists: readonly Reader[]
  readonly #keys: readonly Reader[]
  readonly #stamp: Reader | undefined
  readonly #own: readonly OwnReference[]
  readonly #lookups: readonly Reader[]
  /** Ignored columns of which no value has come yet. */
  readonly #unfilled: Set<ImportColumn>
  /** Names of the fields that are read, by the place of their column. */
  readonly #nameAt: ReadonlyMap<number, string>

  constructor(
    scope: ViewAccess,
    { columns, own }: Pick<ImportPlan, 'columns' | 'own'>,
    { cultures, orders }: { cultures: CellCultures; orders: DayOrders },
  ) {
    this.#own = own
    const readers = new Map<ImportColumn, Reader>()
    const readerOf = (column: ImportColumn): Reader => {
      const reader = readers.get(column) ?? planReader({ ...scope, cultures, orders }, column)
      readers.set(column, reader)
      return reader
    }
    this.#columns = columns
    this.#values = columns.values.map(readerOf)
    this.#lists = columns.lists.map(readerOf)
    this.#keys = columns.keys.map(readerOf)
    this.#stamp = columns.stamp && readerOf(columns.stamp)
    this.#lookups = [...readers.values()].filter(({ lookup }) => lookup)
    this.#unfilled = new Set(columns.ignored)
    this.#nameAt = new Map([...readers.keys()].map(({ at, field }) => [at, field.name]))
  }

  /** Rows without a single value are skipped. */
  async read(rows: readonly SheetRow[]): Promise<ImportRow[]> {
    const filled = rows.filter(
      ({ cells, broken }) => broken ?? cells.some((cell) => cell !== null && cell !== ''),
    )
    for (const { column, lookup, listTexts: split = toTexts } of this.#lookups) {
      const texts = filled.flatMap(({ cells }) => split(cells[column.at] ?? ''))
      await lookup?.load(texts)
    }
    return filled.map((row) => this.#readRow(row))
  }

  #readRow(sheetRow: SheetRow): ImportRow {
    const { line, cells, broken } = sheetRow
    const { unkept } = this.#columns
    const row: ImportRow = {
      line,
      cells,
      values: [],
      lists: [],
      keys: [],
      stamp: null,
      own: [],
      unkept: unkept.find(({ at }) => isFilled(cells[at])),
      faults: undefined,
    }
    for (const each of this.#unfilled) if (isFilled(cells[each.at])) this.#unfilled.delete(each)
    const shape = this.#checkShape(cells)
    if (shape !== undefined) row.faults = { '': shape }
    if (broken || this.#columns.isGivenBack) {
      for (const { at, fault } of listBroken(sheetRow, this.#columns)) {
        const name = this.#nameOf(at)
        if (name !== undefined) row.faults = { ...row.faults, [name]: fault }
      }
    }
    for (const reader of this.#values) row.values.push(readCell(row, reader, sheetRow))
    if (this.#own.length > 0) row.own = this.#own.map((own) => this.#readOwn(row, own, cells))
    for (const reader of this.#lists) row.lists.push(readCell(row, reader, sheetRow))
    for (const reader of this.#keys) row.keys.push(readCell(row, reader, sheetRow))
    if (this.#stamp) row.stamp = readCell(row, this.#stamp, sheetRow)
    return row
  }

  /** A missing record may be a row of the file, and so may one with the label of a row. */
  #readOwn(
    row: ImportRow,
    { field, from, isLabel }: OwnReference,
    cells: readonly (string | null)[],
  ): OwnText | undefined {
    const reader = this.#values[from]
    const text = reader && normalizeText(cells[reader.column.at] ?? '')
    if (!reader?.lookup || !text) return undefined
    if (row.faults?.[field.name] !== undefined) {
      if (reader.lookup.find(text) === MANY) return undefined
      delete row.faults[field.name]
      if (Object.keys(row.faults).length === 0) row.faults = undefined
    }
    const own = parseValue(field, text)
    const isKey = own.fault === undefined && own.value === row.values[from]
    const isNumber = isKey && !isLabel && FIELD_KINDS[field.type].number === 'whole'
    return { text: isNumber ? `${NUMBER_KEY}${own.value}` : text, isKey }
  }

  /** Names of the columns whose values were dropped so far. */
  listDropped(): string[] {
    const dropped = this.#columns.ignored.filter((each) => !this.#unfilled.has(each))
    return dropped.map(({ field }) => field.name)
  }

  /** A value without a header would be lost. Cells that a row lacks at its end are empty ones. */
  #checkShape(cells: readonly (string | null)[]): Message | undefined {
    const { width } = this.#columns
    if (this.#columns.blank.some((at) => (cells[at] ?? '') !== '')) {
      return say`There is a value in a column without a header`
    }
    const isOver = cells.slice(width).some((cell) => cell !== null && cell !== '')
    return isOver ? say`The row has more cells than the header (${width})` : undefined
  }

  /** '' for a place that no head names; undefined for a column that is not read. */
  #nameOf(at: number): string | undefined {
    const { width, blank } = this.#columns
    return at >= width || blank.includes(at) ? '' : this.#nameAt.get(at)
  }
}

/** Cells without a value, with what is wrong with each. */
function listBroken(
  { cells, broken = [] }: SheetRow,
  { isGivenBack }: ImportColumns,
): { at: number; fault: Message }[] {
  // An error is a text in a file that was given back: it must not become one here.
  const texts = isGivenBack
    ? cells.flatMap((cell, at) =>
        cell !== null && isErrorText(cell)
          ? [{ at, fault: say`The cell holds the error ${cell}` }]
          : [],
      )
    : []
  return [
    ...texts,
    ...broken.map(({ at, cell, error }) => ({
      at,
      fault:
        error === undefined
          ? UNCOMPUTED
          : say`Cell ${cell} holds the error ${error}. Correct it in the spreadsheet.`,
    })),
  ]
}

const toTexts = (cell: string): string[] => [normalizeText(cell) || []].flat()

const isFilled = (cell: string | null | undefined): boolean =>
  cell !== null && cell !== undefined && !isBlankText(cell)

const UNCOMPUTED = say`The formula has no stored value. Save the file in a spreadsheet program.`

function readCell(row: ImportRow, reader: Reader, { cells, written }: SheetRow): SqlValue {
  const { at } = reader.column
  const text = cells[at]
  if (text === null || text === undefined || text === '') return null
  const isTyped = reader.readTyped && written !== undefined && !written.includes(at)
  const parsed = isTyped && reader.readTyped ? reader.readTyped(text) : reader.read(text)
  if (parsed.fault === undefined) return parsed.value
  row.faults ??= {}
  row.faults[reader.column.field.name] ??= parsed.fault
  return null
}

type CellAccess = ViewAccess & { cultures: CellCultures; orders: DayOrders }

function planReader(scope: CellAccess, column: ImportColumn): Reader {
  const { field } = column
  if (field.link) {
    const lookup = new ColumnLookup(scope, column)
    return { column, lookup, listTexts, read: readKeys(scope, column, lookup) }
  }
  if (isNamed(field)) {
    const lookup = new ColumnLookup(scope, column)
    return { column, lookup, read: (text) => readNamed(scope, column, lookup, normalizeText(text)) }
  }
  if (field.options.length > 0) {
    const find = planOptionTexts(scope.grant, field, column.isLabel)
    const read: ReadCell = (text) => {
      const value = find(text)
      return value === MANY
        ? { fault: say`${field.label}: more than one option has this name` }
        : parseValue(field, value ?? text)
    }
    return { column, read, lookup: undefined }
  }
  if (field.column?.identity)
    return { column, read: (text) => readKept(field, text), lookup: undefined }
  const { numbers } = scope.cultures
  if (numbers && FIELD_KINDS[field.type].number !== undefined) {
    const readTyped: ReadCell = (text) => parseValue(field, text)
    // What is no numeral of the culture must not be taken for one of another.
    const read: ReadCell = (text) => parseValue(field, numbers.readNumber(text) ?? NO_NUMBER)
    return {
      column,
      read: (text) => (PLAIN.test(text) ? readTyped(text) : read(text)),
      readTyped,
      lookup: undefined,
    }
  }
  return { column, read: planRead(column, scope), lookup: undefined }
}

const PLAIN = /^-?\d+$/
const NO_NUMBER = '?'

/** Numbers behind the greatest key are given to further records: enough of them must be left. */
const KEPT_KEY_MAX = 2 ** 52

function readKept(field: Field, text: string): ParsedValue {
  const parsed = parseValue(field, text)
  if (parsed.fault !== undefined || Math.abs(Number(parsed.value)) <= KEPT_KEY_MAX) return parsed
  return { fault: say`The number is too large` }
}

/** A key is taken as it is; any other text is the name of a record. */
function readNamed(
  { grant }: ViewAccess,
  { field, isLabel }: ImportColumn,
  lookup: ColumnLookup,
  text: string,
): ParsedValue {
  if (text === '') return { value: null }
  const own = parseValue(field, text)
  if (own.fault === undefined && !isLabel && FIELD_KINDS[field.type].number === 'whole') return own
  const found = lookup.find(text)
  if (found === MANY) return { fault: say`${field.label}: more than one record has this name` }
  if (found !== undefined) return { value: found }
  // A number below labels is no key: it would be that of another record.
  if (own.fault === undefined && !(isLabel && FIELD_KINDS[field.type].number === 'whole'))
    return own
  const entity = grant.model.entities.get(field.references ?? '')
  return { fault: say`${field.label}: there is no such ${noun(entity?.label ?? field.label)}` }
}

const DAY_LENGTH = 10

/** The day of a text that has a time, too: that of the zone where the text names an instant. */
function dropTime(text: string, zone: string): string {
  if (text.length <= DAY_LENGTH) return text
  const [, day, time] = LOCAL.exec(text) ?? []
  if (day !== undefined && time !== undefined) return isTime(time) ? day : text
  const instant = readInstant(text)
  if (instant === undefined) return text
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().toString()
}

/** Dates and times of a spreadsheet have no zone: they are meant in the caller's. */
function planRead(
  { field, at }: ImportColumn,
  { grant, cultures: { words }, orders }: CellAccess,
): ReadCell {
  // It is known once the file has needed it.
  const readDay = (text: string) => words.readDay(text, orders.find(at))
  const { moment, isFlag } = FIELD_KINDS[field.type]
  const plans: Readonly<Record<Moment, () => ReadCell>> = {
    instant: () => {
      const local = toInstant(grant.caller.timeZone)
      return (text) => parseValue(field, local(readDay(text) ?? trimBlanks(text)) ?? text)
    },
    day: () => {
      const { timeZone } = grant.caller
      return (text) => parseValue(field, dropTime(readDay(text) ?? trimBlanks(text), timeZone))
    },
    time: () => (text) => parseValue(field, words.readTime(text) ?? text),
  }
  if (moment) return plans[moment]()
  if (isFlag) return (text) => parseValue(field, words.readBoolean(text) ?? text)
  return (text) => parseValue(field, text)
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?)?$/

/** Characters of `10:00`. */
const MINUTES_LENGTH = 5

/** A function from local texts to instants in UTC; undefined for every other text. */
function toInstant(zone: string): (text: string) => string | undefined {
  return (text) => {
    const [, day, time, fraction = '0'] = LOCAL.exec(text) ?? []
    if (day === undefined) return undefined
    try {
      if (time === undefined) return startOfDay(day, zone).toISOString()
      const seconds = time.length === MINUTES_LENGTH ? `${time}:00` : time
      const local = Temporal.PlainDateTime.from(`${day}T${seconds}.${fraction}`)
      return new Date(local.toZonedDateTime(zone).epochMilliseconds).toISOString()
    } catch {
      return undefined
    }
  }
}
