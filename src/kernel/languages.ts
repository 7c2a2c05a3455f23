/** The language of a caller's answers: `Accept-Language` by RFC 9110 and RFC 4647, Lookup. */

/** A language tag as settings, users and models write it: `de`, `pt-BR`. */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/

const TAG_CHARACTERS_MAX = 35

/**
 * Checks that a text is a language tag, `de-AT` for instance, and not too long for one: one that
 * programs can write numbers and days by, which `de-a1` is not (RFC 5646, 2.1).
 */
export const isLanguageTag = (text: string): boolean =>
  text.length <= TAG_CHARACTERS_MAX && LANGUAGE_TAG.test(text) && isWellFormed(text)

function isWellFormed(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** Longest `Accept-Language` header that is read, in characters. */
export const HEADER_CHARACTERS_MAX = 1000

interface LanguageRange {
  range: string
  quality: number
}

const RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)$/
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Returns the best of the available languages, the fallback where the header names none of them.
 * Ranges go by quality, then by their order; each is cut from its end until it fits (`de-AT` takes
 * `de`), `*` is any language that no range names, and `q=0` rules a language out.
 */
export function pickLanguage(
  header: string | null,
  languages: readonly string[],
  fallback: string,
): string {
  if (header === null || header === '' || header.length > HEADER_CHARACTERS_MAX) return fallback
  const ranges = parseRanges(header)
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ range }) => range))
  const byName = new Map(languages.map((language) => [language.toLowerCase(), language]))
  const isTaken = (name: string): boolean => byName.has(name) && !refused.has(name)
  for (const { range } of ranges.filter(({ quality }) => quality > 0)) {
    const names = range === '*' ? [fallback.toLowerCase(), ...byName.keys()] : shorten(range)
    const found = names.find(isTaken)
    if (found !== undefined) return byName.get(found) ?? fallback
  }
  return fallback
}

/** A language with its region, where it has one. */
const LOCALE = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/

/**
 * The tag that a header wants most, in lower case; where it names no region, with the first one
 * that it names for the same language elsewhere. Undefined where the header wants no language.
 */
export function pickLocale(header: string | null): string | undefined {
  if (header === null || header.length > HEADER_CHARACTERS_MAX) return undefined
  const wanted = parseRanges(header).filter(
    ({ range, quality }) => quality > 0 && LOCALE.test(range),
  )
  const [first] = wanted
  if (!first || first.range.includes('-')) return first?.range
  return wanted.find(({ range }) => range.startsWith(`${first.range}-`))?.range ?? first.range
}

/** Parses the ranges by falling quality; malformed ones are left out. */
function parseRanges(header: string): LanguageRange[] {
  const ranges = header
    .toLowerCase()
    .split(',')
    .flatMap((part): LanguageRange[] => {
      const [range = '', weight = 'q=1'] = part.split(';').map((piece) => piece.trim())
      const quality = WEIGHT.exec(weight)?.[1]
      return RANGE.test(range) && quality !== undefined ? [{ range, quality: Number(quality) }] : []
    })
  return ranges.sort((a, b) => b.quality - a.quality)
}

/** `zh-hant-tw`, `zh-hant`, `zh`; a single letter goes with what it introduces. */
export function shorten(range: string): string[] {
  const names: string[] = []
  for (let parts = range.split('-'); parts.length > 0; parts = parts.slice(0, -1)) {
    if (parts.at(-1)?.length === 1 && parts.length > 1) continue
    names.push(parts.join('-'))
  }
  return names
}
