/** Date words of filters, resolved in the caller's zone; weeks begin on Monday (ISO 8601). */

/** Days from the first to the last, both included. */
export interface DayRange {
  from: string
  to: string
}

type Word = (today: Temporal.PlainDate) => [Temporal.PlainDate, Temporal.PlainDate]

const week = (day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] => {
  const monday = day.subtract({ days: day.dayOfWeek - 1 })
  return [monday, monday.add({ days: 6 })]
}
const month = (day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] => [
  day.with({ day: 1 }),
  day.with({ day: day.daysInMonth }),
]
const quarter = (day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] => {
  const first = day.with({ day: 1, month: day.month - ((day.month - 1) % 3) })
  return [first, first.add({ months: 3 }).subtract({ days: 1 })]
}
const year = (day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] => [
  day.with({ day: 1, month: 1 }),
  day.with({ day: 31, month: 12 }),
]

const WORDS: Readonly<Record<string, Word>> = {
  today: (d) => [d, d],
  yesterday: (d) => [d.subtract({ days: 1 }), d.subtract({ days: 1 })],
  tomorrow: (d) => [d.add({ days: 1 }), d.add({ days: 1 })],
  thisweek: week,
  lastweek: (d) => week(d.subtract({ days: 7 })),
  nextweek: (d) => week(d.add({ days: 7 })),
  thismonth: month,
  lastmonth: (d) => month(d.with({ day: 1 }).subtract({ months: 1 })),
  nextmonth: (d) => month(d.with({ day: 1 }).add({ months: 1 })),
  thisquarter: quarter,
  lastquarter: (d) => quarter(d.with({ day: 1 }).subtract({ months: 3 })),
  nextquarter: (d) => quarter(d.with({ day: 1 }).add({ months: 3 })),
  thisyear: year,
  lastyear: (d) => year(d.with({ day: 1 }).subtract({ years: 1 })),
  nextyear: (d) => year(d.with({ day: 1 }).add({ years: 1 })),
  monthtodate: (d) => [month(d)[0], d],
  quartertodate: (d) => [quarter(d)[0], d],
  yeartodate: (d) => [year(d)[0], d],
}

/** The words as they are mostly written: for those who look for one. */
export const DATE_WORDS: readonly string[] = [
  'today',
  'yesterday',
  'tomorrow',
  ...['Week', 'Month', 'Quarter', 'Year'].flatMap((span) =>
    ['this', 'last', 'next'].map((side) => `${side}${span}`),
  ),
  'last7Days',
  'next30Days',
  'last12Months',
  ...['month', 'quarter', 'year'].map((span) => `${span}ToDate`),
]

/** Checks that a word means days. */
export const isDateWord = (word: string): boolean =>
  Object.hasOwn(WORDS, word.toLowerCase()) || COUNTED.test(word.toLowerCase())

/**
 * `last7Days` is today and the six days before; `next30Days` today and the 29 after. The last
 * twelve months end today and begin on the day after the same date twelve months ago:
 * `last12Months` on 2026-11-21 is from 2025-11-22. So do weeks and years.
 */
const COUNTED = /^(last|next)([1-9][0-9]{0,3})(day|week|month|year)s$/

/** The days that a word means, seen from `today` (`YYYY-MM-DD`); undefined for no such word. */
export function findDayRange(word: string, today: string): DayRange | undefined {
  const key = word.toLowerCase()
  const day = Temporal.PlainDate.from(today)
  const counted = COUNTED.exec(key)
  const known = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined
  const range = counted ? countedRange(day, counted) : known?.(day)
  return range && { from: range[0].toString(), to: range[1].toString() }
}

/** Days of four-digit years, as they are stored. */
const FIRST_DAY = Temporal.PlainDate.from('0001-01-01')
const LAST_DAY = Temporal.PlainDate.from('9999-12-31')

const latest = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? other : one
const earliest = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? one : other

function countedRange(
  day: Temporal.PlainDate,
  match: RegExpExecArray,
): [Temporal.PlainDate, Temporal.PlainDate] {
  const span = { [`${match[3]}s`]: Number(match[2]) }
  if (match[1] === 'last') return [latest(day.subtract(span).add({ days: 1 }), FIRST_DAY), day]
  return [day, earliest(day.add(span).subtract({ days: 1 }), LAST_DAY)]
}
