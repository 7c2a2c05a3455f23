import { trimBlanks } from '../../kernel/blanks.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { LongNumeral } from '../../kernel/numerals.ts'
import { compareNumbers, FieldFault, type FieldKind, isBlank } from './field-kind.ts'

const INVALID = say`Must be a whole number`
const TOO_LARGE = say`The number is too large`

/** A whole number within ±(2^53 - 1), which every JSON client reads exactly. */
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
    if (number === undefined || !Number.isInteger(number)) return new FieldFault(INVALID)
    if (!Number.isSafeInteger(number)) return new FieldFault(TOO_LARGE)
    return number === 0 ? 0 : number
  },
  toJsonSql: (expression) => `CAST(${expression} AS INTEGER)`,
  fromText: (text) => ({
    value: `CAST(${text} AS INTEGER)`,
    isLossless: `CAST(CAST(${text} AS INTEGER) AS TEXT) = ${text}`,
  }),
  compare: compareNumbers,
}

/** A numeral that no double has is too large, or has places that a double cuts off. */
const explainLong = ({ text }: LongNumeral): Message =>
  Number.isSafeInteger(Math.trunc(Number(text))) ? INVALID : TOO_LARGE

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && /^[+-]?\d{1,30}$/.test(trimBlanks(value)))
    return Number(trimBlanks(value))
  return undefined
}
