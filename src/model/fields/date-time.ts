import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { isDate, isDaySql } from './date.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'
import { isTime } from './time.ts'

const INVALID = say`Must be a date and time with Z or an offset, like 2026-05-31T13:45:00Z`
const INSTANT =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,12}))?([Zz]|[+-]\d\d(?::?\d\d)?)$/
const MINUTE_MS = 60_000

/** GLOB pattern of the beginning of an instant, as SQL without its last quote. */
const MINUTE_GLOB = `'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]*`
/** Format of an instant in UTC for `strftime`, as SQL. */
const UTC = `'%Y-%m-%dT%H:%M:%fZ'`

/**
 * An instant, stored in UTC as `YYYY-MM-DDTHH:mm:ss.sssZ`: always three decimals, so that the order
 * of the texts is the order of the instants. Finer fractions are cut off.
 */
export const dateTime: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.DateTime',
  number: undefined,
  moment: 'instant',
  isDated: true,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'given',
  takesBounds: true,
  isOrdered: true,
  matchesParts: false,
  isServedAsStored: true,
  characters: 19,
  parse(value) {
    if (isBlank(value)) return null
    const instant = typeof value === 'string' ? toUtc(trimBlanks(value)) : undefined
    return instant ?? new FieldFault(INVALID)
  },
  toJsonSql: textToJsonSql,
  // SQLite takes 24:00 and 30 February, and rounds fractions of a thousandth.
  fromText: (text) => ({
    value: `strftime(${UTC}, ${text})`,
    isLossless:
      `(${text} GLOB ${MINUTE_GLOB}Z' OR ${text} GLOB ${MINUTE_GLOB}[-+][0-9][0-9]:[0-9][0-9]') ` +
      `AND ${isDaySql(`substr(${text}, 1, 10)`)} AND substr(${text}, 12, 2) < '24' ` +
      `AND ${text} NOT GLOB '*.[0-9][0-9][0-9][0-9]*' AND strftime(${UTC}, ${text}) >= '0001'`,
  }),
  compare: compareText,
}

/**
 * Returns the instant in UTC with milliseconds; undefined for any other text, or outside of the
 * years 0001 to 9999.
 */
function toUtc(value: string): string | undefined {
  const match = INSTANT.exec(value)
  if (match === null) return undefined
  const [, day = '', minutes = '', seconds = ':00', fraction, zone = 'Z'] = match
  if (!isDate(day) || !isTime(minutes + seconds)) return undefined
  if (fraction !== undefined && match[3] === undefined) return undefined
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const milliseconds = (fraction ?? '').slice(0, 3).padEnd(3, '0')
  const local = Date.parse(`${day}T${minutes}${seconds}.${milliseconds}Z`)
  const utc = new Date(local - offset * MINUTE_MS)
  const year = utc.getUTCFullYear()
  return year >= 1 && year <= 9999 ? utc.toISOString() : undefined
}

function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
