import { trimBlanks } from '../../kernel/blanks.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { LongNumeral } from '../../kernel/numerals.ts'
import { readNumber, writeNumber } from './exact-number.ts'
import { compareNumbers, FieldFault, type FieldKind, isBlank } from './field-kind.ts'

const INVALID = say`Must be a whole number`
const TOO_LARGE = say`The number is too large`
const SHORTENED = say`A spreadsheet has shortened the number. Show all its digits and save again.`

/**
 * A whole number within ±(2^53 - 1), which every JSON client reads exactly. A text may have a point
 * with nothing but zeros behind it, or an exponent: `5.0` and `5e3`, as programs write columns with
 * gaps.
 */
export const integer: FieldKind = {
  sqlType: 'INTEGER',
  clrType: 'System.Int64',
  number: 'whole',
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'numbered',
  takesBounds: true,
  isOrdered: true,
  matchesParts: false,
  isServedAsStored: true,
  characters: 0,
  parse(value) {
    if (isBlank(value)) return null
    if (value instanceof LongNumeral) return new FieldFault(explainLong(value))
    const number = toNumber(value)
    if (number instanceof FieldFault) return number
    if (number === undefined || !Number.isInteger(number)) return new FieldFault(INVALID)
    if (!Number.isSafeInteger(number)) return new FieldFault(TOO_LARGE)
    return number === 0 ? 0 : number
  },
  toJsonSql: (expression) => `CAST(${expression} AS INTEGER)`,
  fromText: (text) => {
    const real = `CAST(${text} AS REAL)`
    const isReal = composeIsWholeReal(text)
    return {
      value: `CASE WHEN ${isReal} THEN CAST(${real} AS INTEGER) ELSE CAST(${text} AS INTEGER) END`,
      isLossless: `(CAST(CAST(${text} AS INTEGER) AS TEXT) = ${text} OR ${isReal})`,
    }
  },
  compare: compareNumbers,
}

/** SQL that tests for a whole number with a point or an exponent, so short that a double has it. */
const composeIsWholeReal = (text: string): string =>
  `(length(${text}) < 16 AND ${text} GLOB '*[.eE]*' AND ${text} NOT GLOB '*[eE]*[0-9][0-9]' ` +
  `AND CASE WHEN json_valid(${text}) THEN json_type(${text}) = 'real' END IS 1 ` +
  `AND CAST(${text} AS REAL) = CAST(CAST(${text} AS REAL) AS INTEGER))`

/** A numeral that no double has is too large, or has places that a double cuts off. */
const explainLong = ({ text }: LongNumeral): Message =>
  Number.isSafeInteger(Math.trunc(Number(text))) ? INVALID : TOO_LARGE

const WHOLE = /^[+-]?\d{1,30}$/
/** Longer numerals are never within the bounds. */
const DIGITS_MAX = 30
/** Six digits of a number of twelve or more, as spreadsheets show them: the others are lost. */
const SHOWN_SHORT = /^[+-]?\d\.\d{5}e\+?(?:1[1-9]|[2-9]\d)$/i

function toNumber(value: unknown): number | FieldFault | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const text = trimBlanks(value)
  if (WHOLE.test(text)) return Number(text)
  if (SHOWN_SHORT.test(text)) return new FieldFault(SHORTENED)
  const number = readNumber(text)
  const whole = number && writeNumber(number)
  if (whole === undefined || !/^-?\d+$/.test(whole)) return undefined
  return whole.length > DIGITS_MAX ? new FieldFault(TOO_LARGE) : Number(whole)
}
