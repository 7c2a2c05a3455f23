/** Names of months and days, first day of the week and the order of a date, of each language. */
import { say } from '../texts/texts.ts'

interface TypedDate {
  day: number
  month: number
  year: number
}

const known = new Map<string, ReturnType<typeof makeTexts>>()

/** The texts of a date picker; made once a language. */
export function dateTexts(name: string): ReturnType<typeof makeTexts> {
  const made = known.get(name) ?? makeTexts(name)
  known.set(name, made)
  return made
}

function makeTexts(name: string) {
  const names = (count: number, options: Intl.DateTimeFormatOptions, dayOf: (n: number) => Date) =>
    Array.from({ length: count }, (_, n) =>
      new Intl.DateTimeFormat(name, { ...options, timeZone: 'UTC' }).format(dayOf(n)),
    )
  const day = (n: number): Date => new Date(Date.UTC(2023, 0, 1 + n))
  const month = (n: number): Date => new Date(Date.UTC(2023, n, 1))
  const order = orderOf(name)
  return {
    monthNames: names(12, { month: 'long' }, month),
    weekdays: names(7, { weekday: 'long' }, day),
    weekdaysShort: names(7, { weekday: 'short' }, day),
    firstDayOfWeek: 1,
    today: say('today'),
    cancel: say('cancel'),
    formatDate: ({ day: d, month: m, year }: TypedDate) =>
      new Intl.DateTimeFormat(name, { timeZone: 'UTC', dateStyle: 'short' }).format(
        new Date(Date.UTC(year, m, d)),
      ),
    parseDate: (text: string) => parseDate(text, order),
  }
}

/** The order of day, month and year in a language: `['day', 'month', 'year']` in German. */
const orderOf = (name: string): string[] =>
  new Intl.DateTimeFormat(name)
    .formatToParts(new Date(0))
    .map(({ type }) => type)
    .filter((type) => type === 'day' || type === 'month' || type === 'year')

/** The day that a text means in a language, as `2026-10-03`; undefined where it means none. */
export function parseDateText(text: string, name: string): string | undefined {
  const date = parseDate(text, orderOf(name))
  if (!date) return undefined
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${String(date.year).padStart(4, '0')}-${two(date.month + 1)}-${two(date.day)}`
}

/** A date as it is typed: in the order of the language, or as ISO; without a year, this year. */
function parseDate(text: string, order: readonly string[]): TypedDate | undefined {
  const numbers = text.match(/\d+/g)?.map(Number) ?? []
  if (numbers.length < 2 || numbers.length > 3) return undefined
  const isIso = /^\s*\d{4}\D/.test(text)
  const named = isIso ? ['year', 'month', 'day'] : order
  const used = numbers.length === 2 ? named.filter((each) => each !== 'year') : named
  const {
    day = 0,
    month = 0,
    year = new Date().getFullYear(),
  } = Object.fromEntries(used.map((part, at) => [part, numbers[at] ?? 0]))
  const full = year < 100 ? 2000 + year : year
  const made = new Date(Date.UTC(full, month - 1, day))
  const isReal = made.getUTCMonth() === month - 1 && made.getUTCDate() === day
  return isReal ? { day, month: month - 1, year: full } : undefined
}
