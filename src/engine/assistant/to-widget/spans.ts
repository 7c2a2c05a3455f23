/** Days and date words of a filter as SQL, seen from the reader's own `@Today`. Pure. */
import { isDate } from '../../../model/fields/date.ts'
import { quoteText } from '../../../model/sql/quote.ts'

/** The first day of a span and the first one after it, as SQL. */
interface SqlSpan {
  first: string
  next: string
}

/** The beginning of a span as modifiers of a date, and the steps to the one before and after. */
const STARTS: Readonly<Record<string, { start: string; last: string; next: string }>> = {
  week: { start: "'+1 day', 'weekday 1', '-7 days'", last: "'-7 days'", next: "'+7 days'" },
  month: { start: "'start of month'", last: "'-1 month'", next: "'+1 month'" },
  quarter: {
    start: "'start of month', '-' || ((strftime('%m', @Today) - 1) % 3) || ' months'",
    last: "'-3 months'",
    next: "'+3 months'",
  },
  year: { start: "'start of year'", last: "'-1 year'", next: "'+1 year'" },
}

const NEAR: Readonly<Record<string, readonly [string, string]>> = {
  yesterday: ["'-1 day'", "'+0 days'"],
  today: ["'+0 days'", "'+1 day'"],
  tomorrow: ["'+1 day'", "'+2 days'"],
}

const COUNTED = /^(last|next)([1-9][0-9]{0,3})(day|week)s$/
const SPANNED = /^(this|last|next)(week|month|quarter|year)$/
const BEGUN = /^(month|quarter|year)todate$/

const day = (...modifiers: readonly string[]): string => `date(@Today, ${modifiers.join(', ')})`

/** The span of a day or a date word; undefined for one that SQL cannot say alike. */
export function composeSpan(value: string): SqlSpan | undefined {
  if (isDate(value)) {
    const next = Temporal.PlainDate.from(value).add({ days: 1 }).toString()
    return next.startsWith('+') ? undefined : { first: quoteText(value), next: quoteText(next) }
  }
  const word = value.toLowerCase()
  const near = Object.hasOwn(NEAR, word) ? NEAR[word] : undefined
  if (near) return { first: day(near[0]), next: day(near[1]) }
  return composeCounted(word) ?? composeSpanned(word)
}

/** `last7Days`: today and the six days before. Months and years are not as long as each other. */
function composeCounted(word: string): SqlSpan | undefined {
  const [, side, count, unit] = COUNTED.exec(word) ?? []
  if (side === undefined) return undefined
  const days = Number(count) * (unit === 'week' ? 7 : 1)
  return side === 'last'
    ? { first: day(`'-${days - 1} days'`), next: day("'+1 day'") }
    : { first: day("'+0 days'"), next: day(`'+${days} days'`) }
}

function composeSpanned(word: string): SqlSpan | undefined {
  const begun = BEGUN.exec(word)?.[1]
  const [, side, span = begun ?? ''] = SPANNED.exec(word) ?? []
  const known = Object.hasOwn(STARTS, span) ? STARTS[span] : undefined
  if (!known) return undefined
  const { start, last, next } = known
  if (begun !== undefined) return { first: day(start), next: day("'+1 day'") }
  if (side === 'last') return { first: day(start, last), next: day(start) }
  if (side === 'next') return { first: day(start, next), next: day(start, next, next) }
  return { first: day(start), next: day(start, next) }
}
