import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareNumbers, FieldFault, type FieldKind, isBlank } from './field-kind.ts'

const WORDS: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['1', 1],
  ['false', 0],
  ['0', 0],
])

/** True or false, stored as 1 or 0. */
export const boolean: FieldKind = {
  sqlType: 'INTEGER',
  clrType: 'System.Boolean',
  number: undefined,
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: true,
  structure: undefined,
  key: 'given',
  takesBounds: false,
  isOrdered: false,
  matchesParts: false,
  isServedAsStored: false,
  characters: 0,
  parse(value) {
    if (isBlank(value)) return null
    const known =
      typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
    const parsed = known ? WORDS.get(trimBlanks(String(value)).toLowerCase()) : undefined
    return parsed ?? new FieldFault(say`Must be true or false`)
  },
  toJsonSql: (expression) =>
    `CASE WHEN ${expression} THEN json('true') ` +
    `WHEN ${expression} IS NOT NULL THEN json('false') END`,
  fromText: (text) => ({
    value: `lower(${text}) IN ('true', '1')`,
    isLossless: `lower(${text}) IN ('true', '1', 'false', '0')`,
  }),
  compare: compareNumbers,
}
