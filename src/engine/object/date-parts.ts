/** Parts of a date that rows are grouped by, as SQL; a DateTime is taken in the caller's zone. */
import { listSpans, type ZoneSpan } from '../../kernel/zone-spans.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'

export const DATE_PARTS = [
  ...(['hour', 'day', 'weekday', 'week', 'month', 'quarter', 'year'] as const),
] as const
export type DatePart = (typeof DATE_PARTS)[number]

/** The type of each part's groups. */
export const PART_TYPES: Readonly<Record<DatePart, FieldType>> = {
  hour: 'Integer',
  day: 'Date',
  weekday: 'Integer',
  week: 'Text',
  month: 'Text',
  quarter: 'Text',
  year: 'Text',
}

/** Parts that a day does not have. */
export const TIME_PARTS: ReadonlySet<DatePart> = new Set(['hour'])

/** The Thursday of a day's week says which week of which year it is (ISO 8601). */
const TO_THURSDAY = "'-3 days', 'weekday 4'"

/**
 * A part of a date: an hour 0 to 23, a day `2026-11-21`, a weekday 1 (Monday) to 7, an ISO week
 * `2026-W47`, a month `2026-11`, a quarter `2026-Q4`, a year `2026`. NULL for a text without one.
 */
export function composePart(column: string, type: FieldType, part: DatePart, zone: string): string {
  const isInstant = FIELD_KINDS[type].moment === 'instant'
  return composePartOf(isInstant ? `${column}, ${composeShift(column, zone)}` : column, part)
}

/** The same of a local time as SQLite's functions take it: a day, or an instant and a shift. */
export function composePartOf(local: string, part: DatePart): string {
  const format = (text: string, time = local): string => `strftime('${text}', ${time})`
  const compose: Readonly<Record<DatePart, () => string>> = {
    hour: () => `CAST(${format('%H')} AS INTEGER)`,
    day: () => `date(${local})`,
    weekday: () => `(CAST(${format('%w')} AS INTEGER) + 6) % 7 + 1`,
    week: () => {
      const thursday = `${local}, ${TO_THURSDAY}`
      const week = `printf('%02d', (${format('%j', thursday)} + 6) / 7)`
      return `${format('%Y-W', thursday)} || ${week}`
    },
    month: () => format('%Y-%m'),
    quarter: () => `${format('%Y-Q')} || ((${format('%m')} + 2) / 3)`,
    year: () => format('%Y'),
  }
  return compose[part]()
}

/** Ranges that a CASE tells apart: by halves the parser's stack is too small for New York. */
const RANGES_MAX = 4

/** The shift that turns an instant into local time: that of the span it falls in, by quarters. */
function composeShift(column: string, zone: string): string {
  const compose = (list: readonly ZoneSpan[]): string => {
    const size = Math.ceil(list.length / RANGES_MAX)
    if (list.length <= 1) return `'${list[0]?.shift ?? ''}'`
    const ranges = Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
      list.slice(index * size, (index + 1) * size),
    )
    const [last = '', ...before] = ranges.map(compose).reverse()
    const tests = before
      .reverse()
      .map((shift, index) => `WHEN ${column} < '${ranges[index + 1]?.[0]?.from}' THEN ${shift}`)
    return `CASE ${tests.join(' ')} ELSE ${last} END`
  }
  return compose(listSpans(zone))
}

/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000

/** The names of the days of the week from Monday on. */
export function listWeekdays(language: string | undefined): string[] {
  const names = new Intl.DateTimeFormat(language ?? 'en', { weekday: 'long', timeZone: 'UTC' })
  return Array.from({ length: 7 }, (_, at) => names.format(MONDAY + at * DAY_MS))
}
