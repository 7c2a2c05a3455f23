/** Days and instants as the serial numbers of spreadsheets (1900 system): days since 1899-12-30. */
import { utcOffsetMinutes } from '../../kernel/zones.ts'
import { isDate } from '../../model/fields/date.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ZERO = Date.UTC(1899, 11, 30)
/** 1900-03-01: one spreadsheet counts a day before it that never existed, another does not. */
const FIRST = 61
/** 9999-12-31. */
const LAST = 2_958_465

const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/

/**
 * The serial of a day (`YYYY-MM-DD`) as a numeral; undefined for days on which spreadsheets differ.
 */
export function dateToSerial(text: string): string | undefined {
  return isDate(text) ? composeShared(Date.parse(text) - ZERO) : undefined
}

/** The fraction of a day that has passed at a time (`HH:mm:ss`). */
export function timeToSerial(text: string): string | undefined {
  const match = TIME.exec(text)
  if (!match) return undefined
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)
  return String(seconds / 86_400)
}

/**
 * Converts instants (ISO, UTC) to serials of the date and time that clocks of a zone show;
 * undefined for one that cannot be read back: in the second pass of an hour that comes twice.
 */
export function instantsToSerials(zone: string): (cell: TextCell) => string | undefined {
  const offsetAt = rememberOffsets(zone)
  return (cell) => {
    const instant = readInstant(cell)
    const offset = instant === undefined ? undefined : offsetAt(instant)
    if (instant === undefined || offset === undefined) return undefined
    return composeShared(instant + offset - ZERO)
  }
}

/** A text at its place among others, in UTF-8. */
interface TextCell {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

const composeShared = (milliseconds: number): string | undefined =>
  milliseconds >= FIRST * DAY_MS && milliseconds < (LAST + 1) * DAY_MS
    ? composeSerial(milliseconds)
    : undefined

/** Parts of a day: written as twice eight digits, more than a double has beside the days. */
const PARTS = 1e8

/** Composes a serial in whole numbers: a double's shortest numeral takes several times as long. */
function composeSerial(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS)
  const rest = (milliseconds - days * DAY_MS) * PARTS
  if (rest === 0) return String(days)
  const part = Math.floor(rest / DAY_MS)
  const small = Math.round(((rest - part * DAY_MS) * PARTS) / DAY_MS)
  return small === PARTS
    ? `${days}.${padPart(part + 1)}`
    : `${days}.${padPart(part)}${padPart(small)}`
}

const padPart = (part: number): string => String(PARTS + part).slice(1)

const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** First year: no spreadsheet counts days before it. */
const YEAR_FIRST = 1900

/** Characters between the numbers of an instant, by their place. */
const MARKS: readonly (readonly [at: number, code: number])[] = [
  ...'4-7-10T13:16:'.matchAll(/(\d+)(\D)/g),
].map(([, at, mark]) => [Number(at), mark?.charCodeAt(0) ?? 0])
const POINT = 46
const ZULU = 90
const WHOLE_LENGTH = 20
const SPLIT_LENGTH = 24

/**
 * Reads the milliseconds of a stored instant, whole seconds or milliseconds; in place, which is far
 * faster than `Date.parse`.
 */
function readInstant({ bytes, from, to }: TextCell): number | undefined {
  const isSplit = to - from === SPLIT_LENGTH
  if ((!isSplit && to - from !== WHOLE_LENGTH) || bytes[to - 1] !== ZULU) return undefined
  for (const [at, code] of MARKS) if (bytes[from + at] !== code) return undefined
  if (isSplit && bytes[from + 19] !== POINT) return undefined
  const year = readDigits(bytes, from, 4)
  const month = readDigits(bytes, from + 5, 2)
  const day = readDigits(bytes, from + 8, 2)
  const hour = readDigits(bytes, from + 11, 2)
  const minute = readDigits(bytes, from + 14, 2)
  const second = readDigits(bytes, from + 17, 2)
  const part = isSplit ? readDigits(bytes, from + 20, 3) : 0
  const days = month === 2 && !isLeap(year) ? 28 : (DAYS_OF_MONTHS[month - 1] ?? 0)
  // Comparisons with NaN are false.
  const isTime = hour < 24 && minute < 60 && second < 60 && part >= 0
  if (!isTime || !(year >= YEAR_FIRST) || !(day >= 1 && day <= days)) return undefined
  return Date.UTC(year, month - 1, day, hour, minute, second, part)
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Reads digits as a number; NaN for other characters. */
function readDigits(bytes: Uint8Array, from: number, count: number): number {
  let number = 0
  for (let at = from; at < from + count; at++) {
    const digit = (bytes[at] ?? 0) - 48
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN
  }
  return number
}

/** Zones change clocks at a full quarter of an hour today; in old days at any second. */
const QUARTER_MS = 15 * MINUTE_MS
const SETTLED = Date.UTC(1980, 0, 1)
const OFFSETS_MAX = 50_000

/**
 * Remembers the offsets of a zone, looked up once for each day around which the clocks do not
 * change; undefined where the clock time means another instant.
 */
function rememberOffsets(zone: string): (instant: number) => number | undefined {
  const settled = new Map<number, number>()
  const known = new Map<number, number>()
  const find = (start: number): number => {
    let offset = known.get(start)
    if (offset === undefined) {
      if (known.size >= OFFSETS_MAX) known.clear()
      known.set(start, (offset = offsetOf(start, zone)))
    }
    return offset
  }
  const settle = (day: number): number => {
    const offset = find(day)
    const isSettled = offset === find(day - DAY_MS) && offset === find(day + DAY_MS)
    if (settled.size >= OFFSETS_MAX) settled.clear()
    settled.set(day, isSettled ? offset : Number.NaN)
    return isSettled ? offset : Number.NaN
  }
  return (instant) => {
    if (instant >= SETTLED) {
      const day = instant - (instant % DAY_MS)
      const offset = settled.get(day) ?? settle(day)
      if (!Number.isNaN(offset)) return offset
    }
    const offset =
      instant >= SETTLED ? find(instant - (instant % QUARTER_MS)) : offsetOf(instant, zone)
    return instantOf(instant + offset, zone) === instant ? offset : undefined
  }
}

/** The instant of a time of the zone's clocks, the first one where it comes twice. */
const instantOf = (local: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(local)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(zone).epochMilliseconds

const offsetOf = (instant: number, zone: string): number =>
  Number.isNaN(instant) ? Number.NaN : utcOffsetMinutes(new Date(instant), zone) * MINUTE_MS
