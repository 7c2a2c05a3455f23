import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { isDate, isDaySql } from './date.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'
import { isTime } from './time.ts'

const INVALID = say`Must be a date and time with Z or an offset, like 2026-05-31T13:45:00Z`
const CLOCK = String.raw`(\d\d:\d\d)(:\d\d)?`
const FRACTION = String.raw`(?:[.,](\d+))?`
const OFFSET = String.raw`[+-]\d\d(?::?\d\d)?`
/** The zone's short name (Go), or its name in brackets (Java): the offset before it is enough. */
const ZONE_NAME = String.raw`(?: [A-Z]{3,5}|\[[^\]]*\])?`
const INSTANT = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d)[Tt ]${CLOCK}${FRACTION} ?([Zz]|UTC|GMT|${OFFSET})${ZONE_NAME}$`,
)
const NAME = '([A-Z][a-z]{2})'
const COMMENT = String.raw`(?: \([^)]*\))?`
/** `Tue, 03 Mar 2026 10:00:00 GMT`: RFC 1123, and RFC 5322 with an offset. */
const MAIL = new RegExp(
  String.raw`^(?:${NAME}, )?(\d{1,2}) ${NAME} (\d{4}) ${CLOCK} (GMT|UTC|UT|Z|${OFFSET})${COMMENT}$`,
)
/** `Tue Mar 03 2026 11:00:00 GMT+0100 (Central European Time)`, as JavaScript writes instants. */
const SCRIPT = new RegExp(
  String.raw`^${NAME} ${NAME} (\d\d) (\d{4}) ${CLOCK} GMT(${OFFSET})${COMMENT}$`,
)
/** Most characters of an instant: its fraction may be long. */
const LENGTH_MAX = 1000
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')
const MINUTE_MS = 60_000

/** GLOB pattern of the beginning of an instant, as SQL without its last quote. */
const MINUTE_GLOB = `'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]*`
/** Format of an instant in UTC for `strftime`, as SQL. */
const UTC = `'%Y-%m-%dT%H:%M:%fZ'`

/**
 * An instant, stored in UTC as `YYYY-MM-DDTHH:mm:ss.sssZ`: always three decimals, so that the order
 * of the texts is the order of the instants. Finer fractions are cut off. Read are the spellings of
 * databases and languages, each with its offset from UTC: `2026-03-03 11:00:00.0000000 +01:00`,
 * `2026-03-03 10:00:00 UTC`, `Tue, 03 Mar 2026 10:00:00 GMT`.
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
    const instant = typeof value === 'string' ? readInstant(trimBlanks(value)) : undefined
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

/** The parts of an instant in its text; the day is `YYYY-MM-DD`. */
interface InstantParts {
  day: string
  minutes: string
  seconds: string | undefined
  fraction?: string | undefined
  zone: string
}

/**
 * Returns the instant of a text in UTC with milliseconds; undefined for any other text, or outside
 * of the years 0001 to 9999.
 */
export function readInstant(text: string): string | undefined {
  if (text.length > LENGTH_MAX) return undefined
  const match = INSTANT.exec(text)
  if (match === null) return readNamedMonth(text)
  const [, day = '', minutes = '', seconds, fraction, zone = 'Z'] = match
  return toUtc({ day, minutes, seconds, fraction, zone })
}

/** Reads the spellings with names of months in English, which a wrong name of the day refuses. */
function readNamedMonth(text: string): string | undefined {
  const mail = MAIL.exec(text)
  if (mail) {
    const [, weekday, day = '', month = '', year = '', minutes = '', seconds, zone = 'Z'] = mail
    return toUtc({ day: composeDay({ weekday, year, month, day }), minutes, seconds, zone })
  }
  const script = SCRIPT.exec(text)
  if (!script) return undefined
  const [, weekday, month = '', day = '', year = '', minutes = '', seconds, zone = 'Z'] = script
  return toUtc({ day: composeDay({ weekday, year, month, day }), minutes, seconds, zone })
}

/** `YYYY-MM-DD`; '' for a day that does not exist, or has another name. */
function composeDay(parts: {
  weekday: string | undefined
  year: string
  month: string
  day: string
}): string {
  const month = String(MONTHS.indexOf(parts.month) + 1).padStart(2, '0')
  const day = `${parts.year}-${month}-${parts.day.padStart(2, '0')}`
  if (!isDate(day)) return ''
  const { weekday } = parts
  const isNamed = weekday === undefined || WEEKDAYS[new Date(day).getUTCDay()] === weekday
  return isNamed ? day : ''
}

function toUtc(parts: InstantParts): string | undefined {
  const { day, minutes, seconds = ':00', fraction = '', zone } = parts
  if (!isDate(day) || !isTime(minutes + seconds)) return undefined
  if (fraction !== '' && parts.seconds === undefined) return undefined
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const local = Date.parse(`${day}T${minutes}${seconds}.${milliseconds}Z`)
  const utc = new Date(local - offset * MINUTE_MS)
  const year = utc.getUTCFullYear()
  return year >= 1 && year <= 9999 ? utc.toISOString() : undefined
}

/** Names of UTC and signed hours; none of the names begins with a sign. */
function offsetMinutes(zone: string): number | undefined {
  const sign = zone[0]
  if (sign !== '+' && sign !== '-') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 23 || minutes > 59) return undefined
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes)
}
