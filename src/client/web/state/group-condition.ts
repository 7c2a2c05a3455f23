/** The conditions that the rows of a group meet. */
import type { Schemas } from '../api/wire.ts'

/** Parts of dates that rows can be grouped by, as the explorer has them. */
export const DATE_PARTS = ['day', 'week', 'month', 'quarter', 'year'] as const

/** A part of a date. */
export type DatePart = (typeof DATE_PARTS)[number]

/** First and last day of a part of a date, as the explorer writes it: `2026-11`, `2026-W53`. */
const RANGES: Readonly<Record<DatePart, (text: string) => [Date, Date]>> = {
  day: (text) => [dayOf(text), dayOf(text)],
  week: (text) => {
    const [year = 0, week = 1] = text.split('-W').map(Number)
    // The fourth of January is in the first week; weeks begin on Monday.
    const fourth = new Date(Date.UTC(year, 0, 4))
    const monday = 4 - ((fourth.getUTCDay() + 6) % 7) + (week - 1) * 7
    return [new Date(Date.UTC(year, 0, monday)), new Date(Date.UTC(year, 0, monday + 6))]
  },
  month: (text) => {
    const [year = 0, month = 1] = text.split('-').map(Number)
    return [new Date(Date.UTC(year, month - 1, 1)), new Date(Date.UTC(year, month, 0))]
  },
  quarter: (text) => {
    const [year = 0, quarter = 1] = text.split('-Q').map(Number)
    const month = (quarter - 1) * 3
    return [new Date(Date.UTC(year, month, 1)), new Date(Date.UTC(year, month + 3, 0))]
  },
  year: (text) => [dayOf(`${text}-01-01`), dayOf(`${text}-12-31`)],
}

const dayOf = (text: string): Date => new Date(`${text}T00:00:00Z`)

const textOf = (day: Date): string => day.toISOString().slice(0, 10)

const isDatePart = (text: string | undefined): text is DatePart =>
  text !== undefined && Object.hasOwn(RANGES, text)

/** True for a group whose rows can be found by conditions: it names no part, or one of these. */
export function hasCondition(name: string): boolean {
  const [, part] = name.split(':')
  return part === undefined || isDatePart(part)
}

/** The conditions of a group by its name (`Status`, `OrderedAt:month`) and its value. */
export function groupCondition(name: string, value: unknown): Schemas['Filter'][] {
  const [Field = '', part] = name.split(':')
  if (value === null) return [{ Field, Operator: 'isNull' }]
  if (!isDatePart(part)) return [{ Field, Operator: 'eq', Value: value as string }]
  const [from, to] = RANGES[part](String(value))
  return [
    { Field, Operator: 'ge', Value: textOf(from) },
    { Field, Operator: 'le', Value: textOf(to) },
  ]
}
