/** Days and instants as the serial numbers of spreadsheets (1900 system): days since 1899-12-30. */
import { utcOffsetMinutes } from '../../kernel/zones.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ZERO = Date.UTC(1899, 11, 30)
/** 1900-03-01: one spreadsheet counts a day before it that never was, another does not. */
const FIRST = 61
/** 9999-12-31. */
const LAST = 2_958_465

const DATE = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/

/** The serial of a day (`YYYY-MM-DD`); undefined for what every spreadsheet has not the same. */
export function dateToSerial(text: string): number | undefined {
  return DATE.test(text) ? requireShared((Date.parse(text) - ZERO) / DAY_MS) : undefined
}

/** The part of a day that a time (`HH:mm:ss`) is. */
export function timeToSerial(text: string): number | undefined {
  const match = TIME.exec(text)
  if (!match) return undefined
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) / 86_400
}

/** From instants (ISO, UTC) to the serials of the date and time that clocks of a zone show then. */
export function instantsToSerials(zone: string): (text: string) => number | undefined {
  const offsetAt = rememberOffsets(zone)
  return (text) => {
    if (!INSTANT.test(text)) return undefined
    const instant = Date.parse(text)
    return requireShared((instant + offsetAt(instant) - ZERO) / DAY_MS)
  }
}

const requireShared = (serial: number): number | undefined =>
  serial >= FIRST && serial < LAST + 1 ? serial : undefined

/** Clocks of our time are set at a full quarter of an hour; those of old days at any second. */
const QUARTER_MS = 15 * MINUTE_MS
const SETTLED = Date.UTC(1980, 0, 1)
const OFFSETS_MAX = 50_000

/** The offsets of a zone, asked once for each day on which the clocks are not set. */
function rememberOffsets(zone: string): (instant: number) => number {
  const known = new Map<number, number>()
  const find = (start: number): number => {
    let offset = known.get(start)
    if (offset === undefined) {
      if (known.size >= OFFSETS_MAX) known.clear()
      known.set(start, (offset = offsetOf(start, zone)))
    }
    return offset
  }
  return (instant) => {
    if (!(instant >= SETTLED)) return offsetOf(instant, zone)
    const day = instant - (instant % DAY_MS)
    const offset = find(day)
    return offset === find(day + DAY_MS) ? offset : find(instant - (instant % QUARTER_MS))
  }
}

const offsetOf = (instant: number, zone: string): number =>
  Number.isNaN(instant) ? Number.NaN : utcOffsetMinutes(new Date(instant), zone) * MINUTE_MS
