/** Aggregates as SQL: exact, in whole units of a field's last decimal place. */
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { Field } from '../../model/compiled/field.ts'
import { composeUnitsSql, DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { QueryAggregateFunction } from './schema.ts'

/** An aggregate, in three steps: of a row, over rows, and as JSON. */
interface AggregatePlan {
  type: FieldType
  scale: number | undefined
  /** The value of a row that is aggregated; undefined for the rows themselves. */
  operand: string | undefined
  /** The value of a row of the whole that a share is of; undefined for all groups. */
  whole?: string
  /** SQL over the columns of operand and whole. */
  over: (operand: string, whole: string | undefined) => string
  /** SQL for the order of groups. */
  order: (over: string) => string
  /** SQL for the result as JSON. */
  toJson: (over: string) => string
}

const asIs = (over: string): string => over

const isCount = (fn: QueryAggregateFunction): boolean => fn === 'count' || fn === 'countDistinct'

/** True when a function takes a field of a type. */
export function isAggregable(fn: QueryAggregateFunction, type: FieldType): boolean {
  const { isOrdered, number, structure } = FIELD_KINDS[type]
  if (isCount(fn)) return structure === undefined
  return fn === 'min' || fn === 'max' ? isOrdered : number !== undefined
}

/** Plans an aggregate; `operand` is the value that the field shows; see `isAggregable`. */
export function planAggregate(
  fn: QueryAggregateFunction,
  field: Field | undefined,
  operand: string | undefined,
): AggregatePlan {
  if (operand === undefined) return planCount(() => 'count(*)', undefined)
  if (!field) return planCount((each) => `count(${each})`, operand)
  if (fn === 'count') return planCount((each) => `count(${each})`, operand)
  if (fn === 'countDistinct') return planCount((each) => `count(DISTINCT ${each})`, operand)
  const { type } = field
  const scale = scaleOf(field)
  if (fn === 'min' || fn === 'max') {
    const toJson = (over: string): string => FIELD_KINDS[type].toJsonSql(over, field)
    return { type, scale, operand, over: (each) => `${fn}(${each})`, order: asIs, toJson }
  }
  const units = composeWhole(field, operand)
  if (fn === 'sum') {
    const over = (each: string): string => `sum(${each})`
    const toJson = (sum: string): string => composeNumeral(sum, sum, scale)
    return { type, scale, operand: units, over, order: asIs, toJson }
  }
  return planAverage(units, scale, type)
}

/** A number in whole units of its last place. */
const composeWhole = (field: Field, operand: string): string =>
  FIELD_KINDS[field.type].number === 'scaled'
    ? composeUnits(operand, scaleOf(field))
    : `CAST(${operand} AS INTEGER)`

/** Decimals of a percentage. */
const SHARE_SCALE = 2

/**
 * Plans a percentage: of the rows for which the condition holds among those of their group; without
 * a condition of the group among all groups. Nothing of nothing is none.
 */
export function planShare(
  field: Field | undefined,
  operand: string | undefined,
  condition: string,
): AggregatePlan {
  const units = field && operand !== undefined ? composeWhole(field, operand) : '1'
  const isOfAll = condition === ''
  return {
    type: 'Decimal',
    scale: SHARE_SCALE,
    operand: isOfAll ? units : `CASE WHEN ${condition} THEN ${units} ELSE 0 END`,
    ...(!isOfAll && { whole: units }),
    over: (part, whole) => {
      const all = whole === undefined ? `sum(sum(${part})) OVER ()` : `sum(${whole})`
      return `round(100.0 * sum(${part}) / nullif(${all}, 0), ${SHARE_SCALE})`
    },
    order: asIs,
    toJson: asIs,
  }
}

/** Plans the average over groups, of their sums, or of their numbers of rows without a field. */
export function planMean(
  field: Field | undefined,
  operand: string | undefined,
  per: string,
): AggregatePlan {
  const units = field && operand !== undefined ? composeWhole(field, operand) : (operand ?? '1')
  const scale = field ? Math.max(scaleOf(field), SHARE_SCALE) : SHARE_SCALE
  const factor = 10 ** (field ? scaleOf(field) : 0)
  return {
    type: 'Decimal',
    scale,
    operand: `CASE WHEN ${per} IS NOT NULL THEN ${units} END`,
    whole: `CASE WHEN ${operand ?? '1'} IS NOT NULL THEN ${per} END`,
    over: (sum, groups) =>
      `round(sum(${sum}) / ${factor}.0 / nullif(count(DISTINCT ${groups}), 0), ${scale})`,
    order: asIs,
    toJson: asIs,
  }
}

const scaleOf = ({ type, scale }: Field): number =>
  FIELD_KINDS[type].number === 'scaled' ? (scale ?? DECIMAL_SCALE_DEFAULT) : 0

const planCount = (
  over: (operand: string) => string,
  operand: string | undefined,
): AggregatePlan => ({
  type: 'Integer',
  scale: undefined,
  operand,
  over,
  order: asIs,
  toJson: asIs,
})

/** Decimals of the average of whole numbers; that of Decimals has their own, and at least two. */
const AVERAGE_SCALE = 6
const AVERAGE_SCALE_MIN = 2

/** Sum and count as one text, so that the division can be exact: `sum/count`. */
function planAverage(units: string, scale: number, type: FieldType): AggregatePlan {
  const wanted =
    FIELD_KINDS[type].number === 'scaled' ? Math.max(scale, AVERAGE_SCALE_MIN) : AVERAGE_SCALE
  const sum = (pair: string): string => `CAST(${pair} AS INTEGER)`
  const count = (pair: string): string =>
    `CAST(substr(${pair}, instr(${pair}, '/') + 1) AS INTEGER)`
  return {
    type: 'Decimal',
    scale: wanted,
    operand: units,
    over: (each) => `sum(${each}) || '/' || count(${each})`,
    order: (pair) => `CAST(${sum(pair)} AS REAL) / ${count(pair)}`,
    toJson: (pair) => composeQuotient(pair, sum(pair), count(pair), { scale, wanted }),
  }
}

/** The quotient rounded half away from zero: whole units and the remainder, apart. */
function composeQuotient(
  pair: string,
  sum: string,
  count: string,
  { scale, wanted }: { scale: number; wanted: number },
): string {
  const finer = 10 ** (wanted - scale)
  const rest = `(2 * (abs(${sum}) % ${count}) * ${finer} + ${count}) / (2 * ${count})`
  // A number that is rounded to nothing has no sign.
  const isSome = `2 * abs(${sum}) * ${finer} >= ${count}`
  const sign = `CASE WHEN ${sum} < 0 AND ${isSome} THEN '-' ELSE '' END`
  const units = `(abs(${sum}) / ${count} + (${rest}) / ${finer})`
  if (scale === 0) {
    const numeral = `printf('%s%d.%0${wanted}d', ${sign}, ${units}, (${rest}) % ${finer})`
    return `CASE WHEN ${pair} IS NOT NULL THEN json(${numeral}) END`
  }
  const all = `(abs(${sum}) / ${count} * ${finer} + ${rest})`
  return composeNumeral(pair, all, wanted, sign)
}

/** A whole number of units as a JSON number with its decimals. */
function composeNumeral(
  value: string,
  units: string,
  scale: number,
  sign = `CASE WHEN ${units} < 0 THEN '-' ELSE '' END`,
): string {
  if (scale === 0) return units
  const factor = 10 ** scale
  const numeral =
    `printf('%s%d.%0${scale}d', ${sign}, ` + `abs(${units}) / ${factor}, abs(${units}) % ${factor})`
  return `CASE WHEN ${value} IS NOT NULL THEN json(${numeral}) END`
}

/** Units beyond which a double cannot hold each one. */
const UNITS_MAX = '9e18'

/** A Decimal in units of its last place; one that is too large is an overflow, never a guess. */
function composeUnits(operand: string, scale: number): string {
  const shifted = composeUnitsSql(operand, scale)
  return (
    `CASE WHEN ${operand} IS NULL THEN NULL WHEN abs(${operand} * 1e${scale}) < ${UNITS_MAX} ` +
    `THEN CAST(${shifted} AS INTEGER) ELSE abs(-9223372036854775807 - (${operand} IS NOT NULL)) END`
  )
}
