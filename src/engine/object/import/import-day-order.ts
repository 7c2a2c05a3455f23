/** The order of day and month in a column of dates: one order for the whole column. */
import { Failure, type FieldErrors, invalid, validation } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { FieldType } from '../../../model/compiled/field-features.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Culture, DayOrder } from './import-culture.ts'
import type { ImportColumn, ImportColumns } from './import-plan.ts'
import type { SheetRow } from '../../sheets/format.ts'

/** A value of a column, which of all values may be told. */
interface Told {
  line: number
  text: string
}

/** Evidence from the values of a column. */
interface Evidence {
  /** By the order that they have: one with a number over 12 says it. */
  sayers: Partial<Record<DayOrder, Told>>
  /** One that is a day in both orders, and not the same. */
  open: Told | undefined
}

/** Where a day begins whose year does not: cheap, since every cell of such a column is asked. */
const BEGINS_OPEN = /^\s*\p{Nd}{1,2}[/ -]/u

const TEXT_CHARACTERS = 40

/**
 * The orders of one file. That of a culture that was named holds; else the column tells it, by one
 * value with a day over 12, else the request's language does. The file is read a second time for
 * that, and only if it has such days: rows are checked when their column's order is known.
 */
export class DayOrders {
  readonly #columns: readonly ImportColumn[]
  readonly #words: Culture
  readonly #orders = new Map<number, DayOrder>()
  #isDecided: boolean

  constructor(
    { values, keys }: Pick<ImportColumns, 'values' | 'keys'>,
    { words, isNamed }: { words: Culture; isNamed: boolean },
  ) {
    const columns = new Set([...values, ...keys])
    this.#columns = [...columns].filter(({ field }) => isDay(field.type))
    this.#words = words
    this.#isDecided = this.#columns.length === 0 || (isNamed && words.dayOrder !== undefined)
  }

  /** Of the column at a place of the file; undefined where nothing but the culture says it. */
  find(at: number): DayOrder | undefined {
    return this.#orders.get(at)
  }

  /**
   * Cells of a row for a file of its own, which does not have the rows that told the order: days
   * that could be read in both orders are written with their year first.
   */
  settle(cells: SheetRow['cells']): SheetRow['cells'] {
    if (this.#orders.size === 0) return cells
    return cells.map((cell, at) => {
      const order = this.#orders.get(at)
      const open = order && cell !== null ? this.#words.readOpenDay(cell) : undefined
      if (cell === null || !open?.every(isMonth)) return cell
      return this.#words.readDay(cell, order) ?? cell
    })
  }

  /** True when the rows have a day whose order the whole file has to tell first. */
  isNeeded(rows: readonly SheetRow[]): boolean {
    if (this.#isDecided) return false
    return this.#columns.some(({ at }) =>
      rows.some(({ cells }) => BEGINS_OPEN.test(cells[at] ?? '')),
    )
  }

  /**
   * Reads the whole file for what its columns say. @throws validation for a column whose values
   * contradict each other, invalid for one of which neither they nor the language tell the order.
   */
  async load(file: AsyncIterable<readonly SheetRow[]>): Promise<void> {
    this.#isDecided = true
    const all = this.#columns.map((column) => {
      const evidence: Evidence = { sayers: {}, open: undefined }
      return { column, evidence }
    })
    const yielder = new Yielder()
    let isHead = true
    for await (const rows of file) {
      if (!isHead) {
        for (const { column, evidence } of all) {
          for (const row of rows) this.#note(row, column, evidence)
        }
      }
      isHead = false
      await yielder.yieldWhenDue()
    }
    for (const { column, evidence } of all) {
      const order = this.#decide(column, evidence)
      if (order) this.#orders.set(column.at, order)
    }
  }

  #note({ line, cells }: SheetRow, { at }: ImportColumn, evidence: Evidence): void {
    const text = cells[at] ?? ''
    if (!BEGINS_OPEN.test(text)) return
    const [first, second] = this.#words.readOpenDay(text) ?? [0, 0]
    if (first === second) return
    if (isDayOnly(first) && isMonth(second)) evidence.sayers.dayFirst ??= { line, text }
    else if (isDayOnly(second) && isMonth(first)) evidence.sayers.monthFirst ??= { line, text }
    else if (isMonth(first) && isMonth(second)) evidence.open ??= { line, text }
  }

  #decide({ field }: ImportColumn, { sayers, open }: Evidence): DayOrder | undefined {
    const { dayFirst, monthFirst } = sayers
    if (dayFirst && monthFirst) throw contradiction(field.name, [dayFirst, monthFirst])
    if (dayFirst) return 'dayFirst'
    if (monthFirst) return 'monthFirst'
    if (!open || this.#words.dayOrder) return this.#words.dayOrder
    throw notTold(field, open)
  }
}

const isDay = (type: FieldType): boolean => FIELD_KINDS[type].isDated
const isMonth = (number: number): boolean => number >= 1 && number <= 12
const isDayOnly = (number: number): boolean => number >= 13 && number <= 31

const cut = (text: string): string => text.trim().slice(0, TEXT_CHARACTERS)

function notTold({ name, label }: ImportColumn['field'], { line, text }: Told): Failure {
  const day = cut(text)
  const message = say`${label}: is '${day}' day or month first? Send culture, like en-GB.`
  return invalid(message, {
    code: 'DAY_ORDER_UNKNOWN',
    fieldErrors: { [`Rows[${line}].${name}`]: message },
  })
}

function contradiction(name: string, told: readonly [Told, Told]): Failure {
  const [a = '', b = ''] = told.map(({ text }) => cut(text))
  const message = say`A column mixes dates like '${a}' and '${b}'. Write all of them the same way.`
  const faults: FieldErrors = {}
  for (const { line } of told) faults[`Rows[${line}].${name}`] = message
  return validation(faults, message)
}
