import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A day of the calendar, `YYYY-MM-DD`; only days that exist, years 0001 to 9999. */
export const date: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.DateOnly',
  number: undefined,
  moment: 'day',
  isDated: true,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'given',
  takesBounds: true,
  isOrdered: true,
  matchesParts: false,
  isServedAsStored: true,
  characters: 10,
  parse(value) {
    if (isBlank(value)) return null
    const wanted = typeof value === 'string' ? trimBlanks(value) : ''
    return isDate(wanted) ? wanted : new FieldFault(say`Must be a date (YYYY-MM-DD)`)
  },
  toJsonSql: textToJsonSql,
  fromText: (text) => ({ value: text, isLossless: isDaySql(text) }),
  compare: compareText,
}

/** True when the text is a day that exists, as `YYYY-MM-DD`. */
export function isDate(value: string): boolean {
  const match = DATE.exec(value)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0))
}

/** Returns SQL that tests whether a text is an existing day, from the year 1 on. */
export function isDaySql(text: string): string {
  return `(date(${text}) IS ${text} AND ${text} >= '0001')`
}
