import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'

/** Databases write a fraction of nothing but zeros. */
const NO_FRACTION = /^(\d\d:\d\d:\d\d)[.,]0+$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

/** A time of the day without a zone, stored as `HH:mm:ss`; `10:00:00.000` is read as one, too. */
export const time: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.String',
  number: undefined,
  moment: 'time',
  isDated: false,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'given',
  takesBounds: true,
  isOrdered: true,
  matchesParts: false,
  isServedAsStored: true,
  characters: 0,
  parse(value) {
    if (isBlank(value)) return null
    const wanted = typeof value === 'string' ? trimBlanks(value).replace(NO_FRACTION, '$1') : ''
    if (!isTime(wanted)) return new FieldFault(say`Must be a time (HH:mm or HH:mm:ss)`)
    return wanted.length === 5 ? `${wanted}:00` : wanted
  },
  toJsonSql: textToJsonSql,
  fromText: (text) => ({
    value: `time(${text})`,
    isLossless:
      `${text} GLOB '[0-9][0-9]:*' AND ${text} < '24' ` +
      `AND time(${text}) IN (${text}, ${text} || ':00')`,
  }),
  compare: compareText,
}

/** True when the text is a time of the day, as `HH:mm` or `HH:mm:ss`. */
export function isTime(value: string): boolean {
  return TIME.test(value)
}
