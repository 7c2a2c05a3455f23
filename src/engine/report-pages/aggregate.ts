/** Aggregated cells of a column: in totals, in subtotals, in the cells of a pivot. */
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { AggregateFunction } from '../../model/compiled/widget.ts'
import {
  addNumbers,
  compareExact,
  divideNumbers,
  type ExactNumber,
  readNumber,
  writeNumber,
} from '../../model/fields/exact-number.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'

/** A cell of a dataset. */
export type ReportCellText = string | null

/** A row of a dataset, in the data of a report. */
export type ReportRow = Readonly<Record<string, ReportCellText>>

/** Decimal places of an average beyond those of its values. */
const AVERAGE_PLACES = 4

/** Values of one column, taken one by one. Cells without a value are ignored. */
export class Aggregate {
  readonly #function: AggregateFunction
  readonly #isText: boolean
  #count = 0
  #sum: ExactNumber = { units: 0n, scale: 0 }
  #best: ReportCellText = null

  /** The type decides how minimum and maximum compare; without a type, the cells do. */
  constructor(name: AggregateFunction, type: FieldType | undefined) {
    this.#function = name
    this.#isText = type !== undefined && FIELD_KINDS[type].number === undefined
  }

  /** Takes a cell. A text that is not a number adds nothing to a sum or an average. */
  add(cell: ReportCellText): void {
    if (cell === null) return
    if (this.#function === 'count') this.#count++
    else if (this.#function === 'sum' || this.#function === 'avg') this.#addNumber(cell)
    else this.#compare(cell)
  }

  /** The result as a cell; null if there were no values, except that a count is 0. */
  get result(): ReportCellText {
    if (this.#function === 'count') return String(this.#count)
    if (this.#function === 'min' || this.#function === 'max') return this.#best
    if (this.#count === 0) return null
    if (this.#function === 'sum') return writeNumber(this.#sum)
    const count = { units: BigInt(this.#count), scale: 0 }
    const average = divideNumbers(this.#sum, count, this.#sum.scale + AVERAGE_PLACES)
    return average ? writeNumber(average) : null
  }

  #addNumber(cell: string): void {
    const number = readNumber(cell)
    if (!number) return
    this.#count++
    this.#sum = addNumbers(this.#sum, number)
  }

  #compare(cell: string): void {
    const order = this.#best === null ? 0 : compareCells(cell, this.#best, this.#isText)
    const isBetter = this.#function === 'min' ? order < 0 : order > 0
    if (this.#best === null || isBetter) this.#best = cell
  }
}

/** Orders as numbers where both are numbers, else as texts, which sorts days and instants, too. */
export function compareCells(a: string, b: string, isText = false): number {
  const [left, right] = isText ? [] : [readNumber(a), readNumber(b)]
  if (left && right) return compareExact(left, right)
  return a === b ? 0 : a < b ? -1 : 1
}
