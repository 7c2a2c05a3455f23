/** Conditional formats of a widget on the rows of its dataset, and how a figure compares. */
import type { SqlValue } from '../../store/sql.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { FormatRule, Tone } from '../../model/compiled/widget.ts'
import {
  addNumbers,
  divideNumbers,
  readNumber,
  toNumeral,
  writeNumber,
} from '../../model/fields/exact-number.ts'
import { type ConditionField, type FieldShape, plainShape } from '../../model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { holdsWhen } from '../object/rules/field-condition.ts'
import { parseValue } from '../object/value.ts'
import type { ReportCellText, ReportRow } from './aggregate.ts'

/** The caller's zone, and the present day there for date words. */
interface Clock {
  zone: string
  today: string
}

/** The tone of a cell. */
export type FindTone = (column: string, row: ReportRow) => Tone | undefined

/** @throws invalid, from the function, for a condition with an unknown date word */
export function planTones(formats: readonly FormatRule[], clock: Clock): FindTone {
  const tests = formats.map((format) => ({ ...format, holds: planTest(format, clock) }))
  return (column, row) =>
    tests.find((test) => (test.column === undefined || test.column === column) && test.holds(row))
      ?.tone
}

function planTest({ when }: FormatRule, clock: Clock): (row: ReportRow) => boolean {
  const key = when.field.toLowerCase()
  const field = shapeOf(when.field, when.type)
  const evaluation = { view: { fieldByName: new Map([[key, field]]) }, ...clock }
  return (row) =>
    holdsWhen(when, new Map([[key, toStored(row[when.field] ?? null, field)]]), evaluation)
}

const shapeOf = (name: string, type: FieldType): ConditionField => ({
  ...plainShape(name, type),
  name,
})

/**
 * Returns the stored form of a cell; null for a cell that is not a value of the type. A number
 * stays its numeral, of whatever size.
 */
function toStored(cell: ReportCellText, field: FieldShape): SqlValue {
  if (FIELD_KINDS[field.type].number !== undefined) return toNumeral(cell ?? '') ?? null
  const parsed = parseValue(field, cell)
  return parsed.fault === undefined ? parsed.value : null
}

/** The comparison of a figure with another. */
interface Comparison {
  /** The figure less the other one, as a cell. */
  difference: string
  /** Difference as a percentage of the other figure, to one decimal; null where that is 0. */
  percent: string | null
  trend: 'good' | 'bad' | 'even'
}

const PERCENT_PLACES = 1

/** Undefined if one of them is not a number. `better` is where the figure should move. */
export function compareFigures(
  figure: ReportCellText,
  other: ReportCellText,
  better: 'up' | 'down',
): Comparison | undefined {
  const [now, before] = [readNumber(figure ?? ''), readNumber(other ?? '')]
  if (!now || !before) return undefined
  const difference = addNumbers(now, { ...before, units: -before.units })
  const base = { ...before, units: before.units < 0n ? -before.units : before.units }
  const share = { ...difference, units: difference.units * 100n }
  const percent = divideNumbers(share, base, PERCENT_PLACES)
  const isUp = difference.units > 0n
  return {
    difference: writeNumber(difference),
    percent: percent ? writeNumber(percent) : null,
    trend: difference.units === 0n ? 'even' : isUp === (better === 'up') ? 'good' : 'bad',
  }
}
