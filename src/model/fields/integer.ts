import { compareNumbers, FieldFault, isBlank, type FieldKind } from './field-kind.ts'
import { say } from '../../kernel/messages.ts'

const INVALID = say`A whole number is needed here`

/** A whole number within ±(2^53 - 1), which every JSON client reads exactly. */
export const integer: FieldKind = {
  sqlType: 'INTEGER',
  parse(value) {
    if (isBlank(value)) return null
    const number = toNumber(value)
    if (number === undefined || !Number.isInteger(number)) return new FieldFault(INVALID)
    if (!Number.isSafeInteger(number)) return new FieldFault(say`The number is too large`)
    return number === 0 ? 0 : number
  },
  toJsonSql: (expression) => `CAST(${expression} AS INTEGER)`,
  compare: compareNumbers,
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && /^\s*[+-]?\d{1,30}\s*$/.test(value)) return Number(value)
  return undefined
}
