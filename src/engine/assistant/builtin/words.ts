/** A question as words: as typed, and in the form to compare. */

/** A word of a question, a number, a day or a text in quotes. */
export interface QuestionWord {
  kind: 'word' | 'number' | 'day' | 'code' | 'quoted'
  /** The word as it was typed, without its quotes. */
  text: string
  /** The word without case and marks, for comparison. */
  plain: string
  /** The value of a number. */
  number?: number
  /** The date of a day: `YYYY-MM-DD`. */
  day?: string
  /** True for the later part of a compound, which stands right behind the one before. */
  isGlued?: boolean
  /** The entity of the record whose name it is. */
  rowOf?: string
}

/** Endings of a language that turn a plural or a verb form into its stem. */
export interface Endings {
  /** Endings from the longest, each with the text in its place. */
  endings: readonly (readonly [string, string])[]
  /** Word ends that only look like endings. */
  keptEndings: readonly string[]
  /** True where a plural may have an umlaut: `Aufträge` of `Auftrag`; `does` is not `dos`. */
  hasUmlauts: boolean
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** A text without case, accents and signs of one keyboard: `Müller` and `MUELLER` are the same. */
export const toPlain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => UMLAUTS[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[’`´]/g, "'")

const DAY_ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const DAY_POINTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?$/
const DAY_SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/
const NUMBER = /^-?\d+(?:[.,']\d+)*(?:[km])?$/i
const QUOTED = /"([^"]{1,200})"|“([^”]{1,200})[”“]|„([^“”]{1,200})[“”]|'([^']{2,200})'(?=\W|$)/
const SIGN = /[<>]=?|=|[€$£%,]/
/** Marks within a word do not end it, as in `SO-2026-00012`; a point behind a number is its. */
const TYPED = /-?[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_]|['’.,:/@+&-](?=[\p{L}\p{N}]))*(?:\.(?=$|\s|,))?/u
const PART = new RegExp([QUOTED, SIGN, TYPED].map(({ source }) => source).join('|'), 'gu')

/** The words of a question; numbers are read as its language writes them. */
export function splitWords(question: string, decimal: '.' | ',', today: string): QuestionWord[] {
  return [...question.matchAll(PART)].map((found) => {
    const quoted = found[1] ?? found[2] ?? found[3] ?? found[4]
    if (quoted !== undefined) return { kind: 'quoted', text: quoted, plain: toPlain(quoted) }
    return readWord(found[0], decimal, today)
  })
}

function readWord(typed: string, decimal: '.' | ',', today: string): QuestionWord {
  const day = readDay(typed, today)
  if (day !== undefined) return { kind: 'day', text: typed, plain: typed, day }
  const text = typed.length > 1 ? typed.replace(/\.$/, '') : typed
  const plain = toPlain(text)
  const number = NUMBER.test(text) ? readNumber(text, decimal) : undefined
  if (number !== undefined) return { kind: 'number', text, plain, number }
  const isCode = /\d/.test(text) && text.length > 2 && !/^(?:q|h)[1-4]$/i.test(text)
  return { kind: isCode ? 'code' : 'word', text, plain }
}

/** A number in the notation of a language, or in the other one where it fits that alone. */
function readNumber(text: string, decimal: '.' | ','): number | undefined {
  const [, digits = '', scale = ''] = /^(.*?)([km]?)$/i.exec(text) ?? []
  const group = decimal === '.' ? ',' : '.'
  const isGrouped = (mark: string, end: string): boolean =>
    new RegExp(`^-?\\d{1,3}(?:[${mark}']\\d{3})+(?:[${end}]\\d+)?$`).test(digits)
  const isPlain = (end: string): boolean => new RegExp(`^-?\\d+(?:[${end}]\\d+)?$`).test(digits)
  const marks = [
    isGrouped(group, decimal) || isPlain(decimal) ? [group, decimal] : undefined,
    isGrouped(decimal, group) || isPlain(group) ? [decimal, group] : undefined,
  ].find((each) => each !== undefined)
  if (!marks) return undefined
  const [grouping = '', point = ''] = marks
  const bare = digits.replaceAll(grouping, '').replaceAll("'", '').replace(point, '.')
  const factor = scale.toLowerCase() === 'k' ? 1000 : scale === '' ? 1 : 1_000_000
  return Number(bare) * factor
}

/** A day in one of the notations that people type; without a year that of today. */
function readDay(text: string, today: string): string | undefined {
  const [, isoYear, isoMonth, isoDay] = DAY_ISO.exec(text) ?? []
  if (isoYear !== undefined) return toDay(isoYear, isoMonth, isoDay)
  const points = DAY_POINTS.exec(text)
  if (points) {
    const year = points[3] ?? today.slice(0, 4)
    return toDay(year.length === 2 ? `20${year}` : year, points[2], points[1])
  }
  // A day before the month, unless it can only be a month: 05/13/2026.
  const [, first, second, year] = DAY_SLASHES.exec(text) ?? []
  if (year === undefined) return undefined
  return Number(second) > 12 ? toDay(year, first, second) : toDay(year, second, first)
}

function toDay(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDay(text) ? text : undefined
}

function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** The stem that a word is compared by: without the ending of a plural or of a verb form. */
export function toStem(plain: string, { endings, keptEndings, hasUmlauts }: Endings): string {
  const shorten = hasUmlauts ? shortenUmlaut : shortenDouble
  if (plain.length < 4 || keptEndings.some((kept) => plain.endsWith(kept))) return plain
  for (const [ending, instead] of endings) {
    if (!plain.endsWith(ending) || plain.length - ending.length < 3) continue
    const stem = plain.slice(0, -ending.length) + instead
    return stem.length > 3 ? shorten(stem) : stem
  }
  return shorten(plain)
}

/** `cancell` is `cancel`. */
const shortenDouble = (stem: string): string => stem.replace(/([bdglmnprt])\1$/, '$1')

/** `auftraeg` is `auftrag`, too. */
const shortenUmlaut = (stem: string): string =>
  shortenDouble(stem).replace(/([aou])e(?=[^aeiou])/g, '$1')

/** The stems of a text's words. */
export const stemText = (text: string, endings: Endings): string[] =>
  text
    .split(/[^\p{L}\p{N}\p{M}'€$%<>=-]+/u)
    .filter((part) => part !== '')
    .map((part) => toStem(toPlain(part), endings))
