/** Phrases for days: `last month`, `in March 2026`, `since 1 May`, `the last 30 days`. */
import { type DayRange, findDayRange } from '../../../kernel/date-words.ts'
import type { CalendarSpan, Known } from './language.ts'
import type { Segment } from './segments.ts'

/** Days that a question names. */
export interface Period extends DayRange {
  /** The operator, as filters have it. */
  operator: 'eq' | 'between' | 'ge' | 'gt' | 'lt' | 'le'
  value: string | [string, string]
  /** The span, if it is one of the calendar's. */
  span: CalendarSpan | undefined
  /** The days that it begins and ends with, where both are the same span: `from 2024 to 2025`. */
  ends?: readonly [EndDays, EndDays]
  /** The segments of its words: from the first to before the last. */
  start: number
  end: number
}

type EndDays = DayRange & { span?: CalendarSpan | undefined }
type Part = EndDays & { word?: string; end: number; hasOwnYear?: boolean }
type Day = Temporal.PlainDate

/** All periods of a question, from left to right. */
export function findPeriods(segments: readonly Segment[], today: string): Period[] {
  const found: Period[] = []
  for (let at = 0; at < segments.length;) {
    const period = readPeriod(segments, at, today)
    if (period) found.push(period)
    at = period?.end ?? at + 1
  }
  return found
}

function readPeriod(
  segments: readonly Segment[],
  start: number,
  today: string,
): Period | undefined {
  const known = segments[start]?.known
  if (known?.concepts.has('between') || known?.period.has('since')) {
    const first = readDays(segments, skipStops(segments, start + 1), today)
    const joins = first && segments[first.end]?.known
    const isTo = joins?.concepts.has('to') || joins?.period.has('until')
    const second =
      first && isTo ? readDays(segments, skipStops(segments, first.end + 1), today) : undefined
    if (first && second) return joinDays(first, second, start)
    if (known.concepts.has('between')) return undefined
  }
  const bound = known && findBound(known)
  if (bound) {
    const days = readDays(segments, skipStops(segments, start + 1), today)
    // `from last month` is within it, `since last month` is not.
    const isWithin =
      days && (days.from !== days.to || days.word !== undefined) && known.period.has('on')
    if (days && !isWithin) return toBound(bound, days, start)
  }
  const isLed = known?.period.has('on') === true
  const days = readDays(segments, isLed ? skipStops(segments, start + 1) : start, today)
  return days && toPeriod(days, start)
}

/** From the first days to the second; without a year of their own, the last before the second. */
function joinDays(first: Part, second: Part, start: number): Period {
  let from = Temporal.PlainDate.from(first.from)
  const to = Temporal.PlainDate.from(second.to)
  // `from March to May 2025`: the year of May is that of March.
  while (first.hasOwnYear !== true && Temporal.PlainDate.compare(from, to) > 0)
    from = from.subtract({ years: 1 })
  const range = toPeriod({ from: from.toString(), to: second.to, end: second.end }, start)
  const isAlike = first.span === second.span && from.toString() === first.from
  return isAlike ? { ...range, ends: [first, second] } : range
}

type Bound = 'ge' | 'gt' | 'lt' | 'le'

function findBound({ period, concepts }: Known): Bound | undefined {
  if (period.has('on') && !period.has('since')) return undefined
  if (period.has('since')) return 'ge'
  if (period.has('before')) return 'lt'
  if (period.has('after')) return 'gt'
  if (period.has('until')) return 'le'
  return concepts.has('lt') ? 'lt' : concepts.has('gt') ? 'gt' : undefined
}

function toBound(operator: Bound, days: Part, start: number): Period {
  const { from, to, span, end } = days
  const value = operator === 'ge' || operator === 'lt' ? from : to
  return { from, to, operator, value, span, start, end }
}

function toPeriod({ from, to, span, word, end }: Part, start: number): Period {
  const range = { from, to, span, start, end }
  if (word !== undefined) return { ...range, operator: 'eq', value: word }
  if (from === to) return { ...range, operator: 'eq', value: from }
  return { ...range, operator: 'between', value: [from, to] }
}

/** Words without a meaning of their own, such as articles. */
function skipStops(segments: readonly Segment[], from: number): number {
  let at = from
  while (isArticle(segments[at])) at++
  return at
}
/** A word before days that says nothing; one that names a field says by what to group. */
const isArticle = (segment: Segment | undefined): boolean =>
  segment?.known?.isStop === true && segment.meanings.length === 0 && !isDays(segment)
const isDays = ({ known, words }: Segment): boolean =>
  known?.month !== undefined || known?.span !== undefined || words[0]?.kind === 'number'

type Reader = (segments: readonly Segment[], at: number, today: Day) => Part | undefined

/** The first that reads it. */
const READERS: readonly Reader[] = [
  readDay,
  readSide,
  readAgo,
  readWeek,
  readMonth,
  readDayOfMonth,
  readQuarter,
  readYear,
]

function readDays(segments: readonly Segment[], at: number, today: string): Part | undefined {
  const day = Temporal.PlainDate.from(today)
  for (const read of READERS) {
    const part = read(segments, at, day)
    if (part) return part
  }
  return undefined
}

const numberAt = (segments: readonly Segment[], at: number): number | undefined => {
  const segment = segments[at]
  const [word] = segment?.words ?? []
  return word?.kind === 'number' ? word.number : segment?.known?.number
}

const WORDS: Readonly<Record<number, string>> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' }

function readDay(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const segment = segments[at]
  const [word] = segment?.words ?? []
  if (word?.day !== undefined)
    return { from: word.day, to: word.day, span: 'day', end: at + 1, hasOwnYear: true }
  const days = segment?.known?.day
  if (days === undefined) return undefined
  const day = today.add({ days }).toString()
  const name = WORDS[days]
  return { from: day, to: day, span: 'day', end: at + 1, ...(name && { word: name }) }
}

/** `this month`, `last week`, `the last 30 days`, `this year so far`. */
function readSide(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const period = segments[at]?.known?.period
  const side = (['this', 'last', 'next'] as const).find((each) => period?.has(each))
  const single = findSpanWord(segments[at])
  if (single) return wordPart(single, today, at + 1)
  if (side === undefined) return undefined
  const count = numberAt(segments, at + 1)
  const span = segments[at + (count === undefined ? 1 : 2)]?.known?.span
  if (span === undefined) return undefined
  if (count === undefined) {
    if (span === 'day') return undefined
    const part = wordPart(`${side}${capital(span)}`, today, at + 2)
    const isSoFar = segments[at + 2]?.known?.period.has('soFar') === true
    if (!part || !isSoFar) return part && { ...part, span }
    return { from: part.from, to: today.toString(), span, end: at + 3 }
  }
  if (side === 'this' || count < 1 || count > 9999) return undefined
  if (span === 'day') return wordPart(`${side}${count}Days`, today, at + 3)
  return { ...countSpans(side, { span, count }, today), end: at + 3 }
}

/** `diesjährig` and the like: a word that is a whole period, as the data of a language name it. */
function findSpanWord(segment: Segment | undefined): string | undefined {
  for (const name of segment?.known?.period ?? []) if (name.startsWith('=')) return name.slice(1)
  return undefined
}

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

function wordPart(word: string, today: Day, end: number): Part | undefined {
  const range = findDayRange(word, today.toString())
  const span = (['Week', 'Month', 'Quarter', 'Year'] as const).find((each) => word.endsWith(each))
  return range && { ...range, word, end, span: span?.toLowerCase() as CalendarSpan | undefined }
}

interface Spans {
  span: CalendarSpan
  count: number
}

/** The last months are whole ones and this one up to today. */
function countSpans(side: 'last' | 'next', { span, count }: Spans, today: Day): DayRange {
  const length = durationOf({ span, count })
  return side === 'last'
    ? { from: today.subtract(length).add({ days: 1 }).toString(), to: today.toString() }
    : { from: today.toString(), to: today.add(length).subtract({ days: 1 }).toString() }
}

function durationOf({ span, count }: Spans): Temporal.DurationLike {
  if (span === 'quarter') return { months: 3 * count }
  return { [`${span}s`]: count }
}

/** `3 months ago`, `vor 3 Monaten`: the whole month. */
function readAgo(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const isBefore = segments[at]?.known?.period.has('agoBefore') === true
  const from = isBefore ? at + 1 : at
  const count = numberAt(segments, from)
  const span = segments[from + 1]?.known?.span
  if (count === undefined || span === undefined) return undefined
  const isAfter = segments[from + 2]?.known?.period.has('ago') === true
  if (!isBefore && !isAfter) return undefined
  const day = today.subtract(durationOf({ span, count }))
  return { ...wholeOf(day, span), span, end: from + (isBefore ? 2 : 3) }
}

function wholeOf(day: Day, span: CalendarSpan): DayRange {
  if (span === 'day') return { from: day.toString(), to: day.toString() }
  const range = findDayRange(`this${capital(span)}`, day.toString())
  return range ?? { from: day.toString(), to: day.toString() }
}

/** `week 47`, `KW 47 2025`: a week of the calendar; without a year the last one of that number. */
function readWeek(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const known = segments[at]?.known
  const week = numberAt(segments, at + 1)
  if ((known?.span ?? known?.part) !== 'week' || week === undefined) return undefined
  if (!Number.isInteger(week) || week < 1 || week > 53) return undefined
  const after = readYearAfter(segments, at + 2, today)
  const monday = findMonday(after?.year ?? today.year, week)
  const isAhead = monday !== undefined && Temporal.PlainDate.compare(monday, today) > 0
  const from = after || !isAhead ? monday : findMonday(today.year - 1, week)
  if (!from) return undefined
  const to = from.add({ days: 6 }).toString()
  return { from: from.toString(), to, span: 'week', end: after?.end ?? at + 2 }
}

/** The Monday of an ISO week; a year has 52 or 53, the first of which holds 4 January. */
function findMonday(year: number, week: number): Day | undefined {
  const fourth = Temporal.PlainDate.from({ year, month: 1, day: 4 })
  const monday = fourth.subtract({ days: fourth.dayOfWeek - 1 }).add({ weeks: week - 1 })
  return monday.yearOfWeek === year ? monday : undefined
}

/** A year after a month or a quarter: in figures, or as `of last year`. */
function readYearAfter(segments: readonly Segment[], at: number, today: Day) {
  const next = skipStops(segments, at)
  const number = numberAt(segments, next)
  if (number !== undefined && isYear(number)) return { year: number, end: next + 1 }
  const side = readSide(segments, next, today)
  if (side?.span === 'year') return { year: Number(side.from.slice(0, 4)), end: side.end }
  return undefined
}

/** A number is a year where people still speak of it: 1902 is none. */
const isYear = (number: number): boolean =>
  Number.isInteger(number) && number >= 1920 && number < 2200

function readMonth(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const month = segments[at]?.known?.month
  if (month === undefined) return undefined
  const day = numberAt(segments, at + 1)
  const isDay = day !== undefined && day >= 1 && day <= 31 && !isYear(day)
  if (isDay) {
    const after = readYearAfter(segments, at + 2, today)
    return dayPart({ year: after?.year, month, day }, today, after?.end ?? at + 2)
  }
  const after = readYearAfter(segments, at + 1, today)
  const year = after?.year ?? (month > today.month ? today.year - 1 : today.year)
  const first = Temporal.PlainDate.from({ year, month, day: 1 })
  return { ...wholeOf(first, 'month'), span: 'month', end: after?.end ?? at + 1 }
}

/** `1 May 2026`, `1st of May`. */
function readDayOfMonth(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const text = segments[at]?.words[0]?.plain ?? ''
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th|\.)?$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const next = skipStops(segments, at + 1)
  const month = segments[next]?.known?.month
  if (month === undefined) return undefined
  const after = readYearAfter(segments, next + 1, today)
  return dayPart({ year: after?.year, month, day: Number(digits) }, today, after?.end ?? next + 1)
}

function dayPart(
  { year, month, day }: { year: number | undefined; month: number; day: number },
  today: Day,
  end: number,
): Part | undefined {
  const lastDay = Temporal.PlainYearMonth.from({ year: year ?? today.year, month }).daysInMonth
  if (day < 1 || day > lastDay) return undefined
  const text = Temporal.PlainDate.from({ year: year ?? today.year, month, day }).toString()
  return { from: text, to: text, span: 'day', end }
}

function readQuarter(segments: readonly Segment[], at: number, today: Day): Part | undefined {
  const known = segments[at]?.known
  const { quarter, half } = known ?? {}
  if (quarter === undefined && half === undefined) return undefined
  const after = readYearAfter(segments, at + 1, today)
  const months = quarter === undefined ? 6 : 3
  const month = ((quarter ?? half ?? 1) - 1) * months + 1
  const year = after?.year ?? (month > today.month ? today.year - 1 : today.year)
  const first = Temporal.PlainDate.from({ year, month, day: 1 })
  const to = first.add({ months }).subtract({ days: 1 }).toString()
  const span = quarter === undefined ? undefined : ('quarter' as const)
  return { from: first.toString(), to, span, end: after?.end ?? at + 1 }
}

/** `2025`, `the year 2025`: in figures, where nothing says that it is an amount. */
function readYear(segments: readonly Segment[], at: number): Part | undefined {
  const isNamed = segments[at]?.known?.span === 'year'
  const number = numberAt(segments, isNamed ? at + 1 : at)
  const word = segments[isNamed ? at + 1 : at]?.words[0]
  if (number === undefined || !isYear(number) || !/^\d{4}$/.test(word?.text ?? '')) return undefined
  const end = at + (isNamed ? 2 : 1)
  return { from: `${number}-01-01`, to: `${number}-12-31`, span: 'year', end, hasOwnYear: true }
}
