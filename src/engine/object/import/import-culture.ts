/** How people of a culture (`de-DE`, `en-US`) write numbers, days, and yes or no. */
import { invalid } from '../../../kernel/failure.ts'
import { Lru } from '../../../kernel/lru.ts'
import { say } from '../../../kernel/messages.ts'

/** The order of day and month in a date that ends with its year, as `03/04/2026`. */
export type DayOrder = 'dayFirst' | 'monthFirst'

/** Reads texts of a culture; undefined for a text of another one. */
export interface Culture {
  /** A numeral with a dot and without groups. */
  readNumber: (text: string) => string | undefined
  /** Undefined for plain English, which is written in both, and where years come first. */
  dayOrder: DayOrder | undefined
  /**
   * `YYYY-MM-DD`, with `THH:mm:ss` where a time follows; by an order of days in place of
   * the culture's. Without either, a text that needs one is not a date.
   */
  readDay: (text: string, order?: DayOrder) => string | undefined
  /** The two numbers before the year, where the order alone tells which of them is the day. */
  readOpenDay: (text: string) => readonly [number, number] | undefined
  /** `HH:mm:ss`, of a time alone. */
  readTime: (text: string) => string | undefined
  /** `true` or `false`. */
  readBoolean: (text: string) => string | undefined
}

/** The cultures that cells are read by. */
export interface CellCultures {
  /** Of numerals; undefined where the file itself says that they are written with a dot. */
  numbers: Culture | undefined
  /** Of days, and of yes and no. */
  words: Culture
}

const known = new Lru<string, Culture>(200)

/** The culture of a tag. @throws invalid for an unknown one */
export function requireCulture(tag: string): Culture {
  const name = findTag(tag)
  if (name === undefined) {
    throw invalid(say`Unknown culture '${tag.slice(0, 40)}'. Use one like de-DE or en-US.`, {
      code: 'UNKNOWN_CULTURE',
    })
  }
  return known.find(name) ?? known.keep(name, planCulture(name))
}

/** The culture of a language, or of one in a region; that of English where it is unknown here. */
export const findCulture = (locale: string): Culture => requireCulture(findTag(locale) ?? 'en')

/** The culture of who asks: yes and no also as the engine's answers to them have it. */
export function cultureOfRequest(locale: string, language: string): Culture {
  const own = findCulture(locale)
  const spoken = findCulture(language)
  return { ...own, readBoolean: (text) => own.readBoolean(text) ?? spoken.readBoolean(text) }
}

/** The tag as it is spelt; undefined for an unknown language, region or spelling. */
function findTag(tag: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i.test(tag)) return undefined
  try {
    const locale = new Intl.Locale(tag.replaceAll('_', '-'))
    const { region } = locale
    if (Intl.NumberFormat.supportedLocalesOf(locale.toString()).length === 0) return undefined
    const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    return region === undefined || regions.of(region) ? locale.toString() : undefined
  } catch {
    return undefined
  }
}

/** No numeral and no day has so many characters. */
const isLong = (text: string): boolean => text.length > 100

/** Days in the one form that every culture reads alike, but for times of twelve hours. */
const ISO = /^\s*\d{4}-\d\d-\d\d(?!.{0,20}[ap]\.?m\.?\s*$)/i

const planCulture = (tag: string): Culture => {
  const toDigits = planDigits(tag)
  const readNumber = planNumber(tag)
  const format = new Intl.DateTimeFormat(tag)
  const isForeign = format.resolvedOptions().calendar !== 'gregory'
  const dayOrder = isForeign ? undefined : findDayOrder(tag, format)
  const takesShort = !isYearFirst(format)
  return {
    dayOrder,
    readNumber: (text) => (isLong(text) ? undefined : readNumber(toDigits(text.trim()))),
    readDay: (text, order = dayOrder) =>
      isLong(text) || ISO.test(text) || isForeign
        ? undefined
        : readDay(splitDay(toDigits(text.trim()), takesShort), order),
    readOpenDay: (text) =>
      isLong(text) || isForeign
        ? undefined
        : readOpenDay(splitDay(toDigits(text.trim()), takesShort)),
    readTime: (text) => (isLong(text) ? undefined : readClock(toDigits(text.trim()))),
    readBoolean: planBoolean(tag),
  }
}

/** Digits of other scripts as those that are counted with here. */
function planDigits(tag: string): (text: string) => string {
  const own = [...new Intl.NumberFormat(tag, { useGrouping: false }).format(9876543210)].reverse()
  if (own.join('') === '0123456789') return (text) => text
  return (text) =>
    [...text].map((each) => (own.includes(each) ? String(own.indexOf(each)) : each)).join('')
}

/** Marks that look alike are one: blanks of every width, apostrophes. */
const composeMark = (mark: string): string =>
  /\s/.test(mark) ? '[ \\u00A0\\u2009\\u202F]' : /['’]/.test(mark) ? "['’]" : `\\${mark}`

function planNumber(tag: string): (text: string) => string | undefined {
  const format = new Intl.NumberFormat(tag, { useGrouping: 'always', minimumFractionDigits: 1 })
  const parts = format.formatToParts(123456789.5)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? '.'
  const integers = parts.flatMap(({ type, value }) => (type === 'integer' ? [value.length] : []))
  const size = integers.at(-2) ?? 3
  const [group, decimal] = [composeMark(find('group')), composeMark(find('decimal'))]
  const grouped = `\\d{1,${size}}(?:${group}\\d{${size}})*${group}\\d{3}`
  const numeral = new RegExp(
    `^([+\\-−]?)(${grouped}|\\d*)(?:${decimal}(\\d+))?(?:[eE]([+-]?\\d{1,3}))?$`,
  )
  return (text) => {
    const [, sign, whole = '', fraction, exponent] = numeral.exec(text) ?? []
    if (sign === undefined || (whole === '' && fraction === undefined)) return undefined
    const minus = sign === '' || sign === '+' ? '' : '-'
    const tail = exponent === undefined ? '' : `e${exponent}`
    const places = fraction === undefined ? '' : `.${fraction}`
    return `${minus}${whole.replaceAll(/\D/g, '') || '0'}${places}${tail}`
  }
}

const DAYS = String.raw`^(\d{1,4})(\. ?|[/ -])(\d{1,2})\2(\d{1,4})\.?`
const TIMES = String.raw`(?:(?:,? +|T)(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([ap])\.?m\.?)?)?$`
const DAY = new RegExp(DAYS + TIMES, 'i')

/** Of a culture that writes the year first, that of a day and a month alone (Swedish: `3/4`). */
function findDayOrder(tag: string, format: Intl.DateTimeFormat): DayOrder | undefined {
  const { language, region } = new Intl.Locale(tag)
  if (language === 'en' && region === undefined) return undefined
  const isDayFirst = (each: Intl.DateTimeFormat): boolean => {
    const order = each.formatToParts(0).map(({ type }) => type)
    return order.indexOf('day') < order.indexOf('month')
  }
  if (!isYearFirst(format)) return isDayFirst(format) ? 'dayFirst' : 'monthFirst'
  const short = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'numeric' })
  return isDayFirst(short) ? 'dayFirst' : undefined
}

const isYearFirst = (format: Intl.DateTimeFormat): boolean =>
  format.formatToParts(0).find(({ type }) => type !== 'literal')?.type === 'year'

/** The last year that two digits mean: 49 is 2049, 50 is 1950. */
const SHORT_YEAR_LAST = 49

/**
 * The parts of a date in the order of the text. A year has four digits, or two at the end behind a
 * dot or a slash, where the culture does not begin with the year: `1.5.26`, `5/1/26`.
 */
function splitDay(text: string, takesShort: boolean): DayParts | undefined {
  const match = DAY.exec(text)
  if (!match) return undefined
  const [, first = '', mark = '', second = '', third = ''] = match
  const isYearFirst = first.length === 4
  const [written, a, b] = isYearFirst ? [first, second, third] : [third, first, second]
  const isShort = takesShort && written.length === 2 && /^[./]/.test(mark)
  const year = isShort ? `${Number(written) > SHORT_YEAR_LAST ? 19 : 20}${written}` : written
  if (year.length !== 4 || a.length > 2 || b.length > 2) return undefined
  // Dots follow a day that comes first.
  return { year, a, b, isYearFirst, hasDots: mark.startsWith('.'), time: match.slice(5) }
}

interface DayParts {
  /** Four digits. */
  year: string
  /** The other two numbers, in the order of the text. */
  a: string
  b: string
  isYearFirst: boolean
  hasDots: boolean
  time: (string | undefined)[]
}

function readDay(parts: DayParts | undefined, order: DayOrder | undefined): string | undefined {
  if (!parts) return undefined
  const { year, a, b, isYearFirst, hasDots } = parts
  const isKnown = isYearFirst || hasDots || a.padStart(2, '0') === b.padStart(2, '0')
  if (!isKnown && order === undefined) return undefined
  const isTurned = !isYearFirst && (hasDots || order === 'dayFirst')
  const [month, day] = isTurned ? [b, a] : [a, b]
  const time = readTime(parts.time)
  if (time === undefined) return undefined
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time}`
}

function readOpenDay(parts: DayParts | undefined): readonly [number, number] | undefined {
  if (!parts || parts.isYearFirst || parts.hasDots) return undefined
  return [Number(parts.a), Number(parts.b)]
}

const CLOCK = /^(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?: ?([ap])\.?m\.?)?$/i

function readClock(text: string): string | undefined {
  const match = CLOCK.exec(text)
  return match ? readTime(match.slice(1))?.slice(1) : undefined
}

/** '' without a time; undefined for an invalid one. */
function readTime(parts: readonly (string | undefined)[]): string | undefined {
  const [hours, minutes = '', seconds = '00', half] = parts
  if (hours === undefined) return ''
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12)) return undefined
  const noon = half?.toLowerCase() === 'p' ? 12 : 0
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + noon
  return `T${String(hour).padStart(2, '0')}:${minutes}:${seconds}`
}

/** Yes, no, true and false, by language. A data table. */
const WORDS: Readonly<Record<string, string>> = {
  cs: 'ano ne pravda nepravda',
  da: 'ja nej sand falsk',
  de: 'ja nein wahr falsch',
  en: 'yes no true false',
  es: 'sí no verdadero falso',
  et: 'jah ei tõene väär',
  fi: 'kyllä ei tosi epätosi',
  fr: 'oui non vrai faux',
  hr: 'da ne istina laž',
  hu: 'igen nem igaz hamis',
  it: 'sì no vero falso',
  lt: 'taip ne tiesa netiesa',
  lv: 'jā nē patiess aplams',
  nb: 'ja nei sann usann',
  nl: 'ja nee waar onwaar',
  pl: 'tak nie prawda fałsz',
  pt: 'sim não verdadeiro falso',
  ro: 'da nu adevărat fals',
  ru: 'да нет истина ложь',
  sk: 'áno nie pravda nepravda',
  sl: 'da ne res neres',
  sv: 'ja nej sant falskt',
  tr: 'evet hayır doğru yanlış',
  uk: 'так ні істина хибність',
}

/** True and false as databases and programs write them, whatever the language. */
const PROGRAM_WORDS: readonly (readonly [string | undefined, string])[] = [
  ...['t', 'y', 'on', '-1', '1.0'].map((word) => [word, 'true'] as const),
  ...['f', 'n', 'off', '0.0'].map((word) => [word, 'false'] as const),
]

function planBoolean(tag: string): (text: string) => string | undefined {
  const { language } = new Intl.Locale(tag)
  const [yes, no, right, wrong] = (WORDS[language] ?? '').split(' ')
  const said = new Map([
    ...PROGRAM_WORDS,
    [yes, 'true'],
    [right, 'true'],
    [no, 'false'],
    [wrong, 'false'],
  ])
  return (text) => said.get(text.trim().toLocaleLowerCase(tag))
}
