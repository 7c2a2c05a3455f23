/**
 * Date words of filters, which the server resolves in the zone of the user: `today`, `thisMonth`,
 * and counted ones: `last7Days` is today and the six days before.
 */
import { language, say } from '../texts/texts.ts'

/** Words for days and spans, in the order in which they are offered. */
export const DATE_WORDS = [
  'today',
  'yesterday',
  'tomorrow',
  'thisWeek',
  'lastWeek',
  'nextWeek',
  'thisMonth',
  'lastMonth',
  'nextMonth',
  'thisQuarter',
  'lastQuarter',
  'nextQuarter',
  'thisYear',
  'lastYear',
  'nextYear',
  'monthToDate',
  'quarterToDate',
  'yearToDate',
] as const

/** Sides of today that a counted word reaches to. */
export const DATE_SIDES = ['last', 'next'] as const

/** Units of a counted word. */
export const DATE_UNITS = ['Days', 'Weeks', 'Months', 'Years'] as const

/** A counted word: `last7Days`. */
export interface CountedWord {
  side: (typeof DATE_SIDES)[number]
  count: number
  unit: (typeof DATE_UNITS)[number]
}

/** The greatest count of a counted word. */
export const DATE_COUNT_MAX = 9999

const COUNTED = /^(last|next)([1-9]\d{0,3})(days|weeks|months|years)$/i

/** The counted word that a value is; undefined for another. */
export function readCounted(value: unknown): CountedWord | undefined {
  const [, start, count, end] = (typeof value === 'string' && COUNTED.exec(value)) || []
  const side = DATE_SIDES.find((each) => each === start?.toLowerCase())
  const unit = DATE_UNITS.find((each) => each.toLowerCase() === end?.toLowerCase())
  return side && unit && { side, count: Number(count), unit }
}

/** `{ side: 'last', count: 7, unit: 'Days' }` → `last7Days`. */
export const writeCounted = ({ side, count, unit }: CountedWord): string => side + count + unit

/** The word for days that a value is; undefined for another. */
export const readDateWord = (value: unknown): (typeof DATE_WORDS)[number] | undefined =>
  typeof value === 'string'
    ? DATE_WORDS.find((each) => each.toLowerCase() === value.toLowerCase())
    : undefined

/** True for a word of either kind. */
export const isDateWord = (value: unknown): boolean =>
  readDateWord(value) !== undefined || readCounted(value) !== undefined

/** A word for days as a list has it: `This month`. */
export function sayDateItem(word: (typeof DATE_WORDS)[number]): string {
  const text = say(`dateIn_${word}`)
  return text.charAt(0).toLocaleUpperCase(language.value) + text.slice(1)
}

/**
 * A date word behind an operator: `the last 7 days` as in “before the last 7 days”, with `isWithin`
 * `in the last 7 days`; undefined for another value.
 */
export function sayDateWord(value: unknown, isWithin: boolean): string | undefined {
  const word = readDateWord(value)
  if (word) return say(isWithin ? `dateIn_${word}` : `dateSpan_${word}`)
  const counted = readCounted(value)
  if (!counted) return undefined
  const span = say(`date_${counted.side}${counted.unit}`, { count: counted.count })
  return isWithin ? say('dateWithin', { span }) : span
}
