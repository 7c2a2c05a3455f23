/**
 * The order of texts, as people have it: letters first, then accents, then case. SQLite in the
 * package takes no collations, so a text has a key, an expression that an index can hold: the
 * letters of the text, the text without regard to case, and the text, each compared by code point.
 *
 * Letters are without accents and in lower case; ß is ss, æ ae, œ oe, þ th, ø o, đ d, ł l. An
 * expression of an index cannot go through a text, and SQLite's parser takes no deep one: so the
 * first four characters beyond ASCII count as their letters, or all of them where they are of one
 * list of `COMMON`; accents behind the fourth decide last. A sign among the four is passed over. A
 * text with a letter of another script is compared by code point, as digits and signs of ASCII are.
 *
 * Another expression is another index: raise `TEXT_ORDER` with it.
 */
import type { Column } from '../compiled/entity.ts'
import type { Field } from '../compiled/field.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** Version of the text order, part of the names of indexes. */
export const TEXT_ORDER = 1

/** Characters of a text that it is sorted by: no text takes long. */
const SORTED_CHARACTERS = 250

/** Characters beyond ASCII that are looked up in a text. */
const LOOKED_UP = 4

/** Letters that Unicode does not take apart, each with its plain spelling: `ß` is `ss`. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ŀ: 'l',
  ŉ: 'n',
  ſ: 's',
}

/** Ranges of accented Latin letters: European, Pinyin and Vietnamese ones. */
const RANGES = [
  [0xc0, 0x17f],
  [0x1a0, 0x1b0],
  [0x1cd, 0x1dc],
  [0x218, 0x21b],
  [0x1e9e, 0x1e9e],
  [0x1ea0, 0x1ef9],
] as const

/** Letters that are spelt with two, in either case. */
const PAIRS = [...'ßẞæÆœŒþÞ']

/** Sets of letters: texts with one set alone beyond ASCII get their keys several times as fast. */
const COMMON = [[...'äöüßÄÖÜé'], [...'éèêáàóíúçñ'], [...'åäöøæéÅÄÖØ']]

const ACCENTS = /[\u0300-\u036f]/g

/** The letters of one character, in lower case. */
function toLetters(character: string): string {
  const lower = character.toLowerCase()
  return LETTERS[lower] ?? lower.normalize('NFD').replace(ACCENTS, '')
}

/** Letters of `RANGES`, each with its replacement. */
function listLetters(): Map<string, string> {
  const all = new Map<string, string>()
  for (const [first, last] of RANGES) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const letters = toLetters(character)
      if (/^[a-z]$/.test(letters)) all.set(character, letters)
    }
  }
  return all
}

/** Printable ASCII in lower case, the commonest first: each is tried in turn. */
const PLAIN = ((): string => {
  const common = ' enairstolhducmgpbfkwvyzxjq-.'
  const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at))
  return common + all.filter((each) => !/[A-Z]/.test(each) && !common.includes(each)).join('')
})()

/** Greek, and all that comes behind it but for signs. */
const OTHER_SCRIPTS = '*[\u0370-\u1dff\u2e80-\u{10ffff}]*'

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

function composeKey(raw: string, value: string): string {
  const letters = listLetters()
  const [known, meant] = [text([...letters.keys()].join('')), text([...letters.values()].join(''))]
  const lower = `lower(${value})`
  const special = (at: number): string =>
    at === 0
      ? `ltrim(${lower}, ${text(PLAIN)})`
      : `ltrim(substr(${special(at - 1)}, 2), ${text(PLAIN)})`
  const spell = (letters: readonly string[]): string =>
    letters.reduce((sql, each) => `replace(${sql}, ${text(each)}, ${text(toLetters(each))})`, lower)
  const lookUp = (count: number): string => {
    let sql = spell(PAIRS)
    for (let at = 0; at < count; at++) {
      const character = `substr(${special(at)}, 1, 1)`
      sql = `replace(${sql}, ${character}, substr(${meant}, instr(${known}, ${character}), 1))`
    }
    return sql
  }
  const only = (letters: readonly string[]): string =>
    `${value} NOT GLOB ${text(`*[^ -~${letters.join('')}]*`)}`
  // Only functions of every SQLite: other programs open the files, too.
  const beyond = `length(hex(${value})) / 2 - length(${value})`
  const rest = `char(1) || ${lower} || char(1) || ${value}`
  const tiers = COMMON.map((letters) => `WHEN ${only(letters)} THEN ${spell(letters)} || ${rest} `)
  // One level deep only: the sorted expression is nested deeply enough in its statement.
  return (
    `CASE WHEN typeof(${raw}) <> 'text' THEN ${raw} ` +
    `WHEN ${only([])} OR ${value} GLOB ${text(OTHER_SCRIPTS)} ` +
    `THEN ${lower} || char(1) || ${value} ${tiers.join('')}` +
    `WHEN ${beyond} = 1 THEN ${lookUp(1)} || ${rest} ELSE ${lookUp(LOOKED_UP)} || ${rest} END`
  )
}

const MARK = '"\0"'

/** Keys by whether a text may be long, of `MARK`. */
const templates = new Map<boolean, string>()

const findTemplate = (isLong: boolean): string =>
  templates.getOrInsertComputed(isLong, () =>
    composeKey(MARK, isLong ? `substr(${MARK}, 1, ${SORTED_CHARACTERS})` : MARK),
  )

/** An expression that SQLite does not compute again at each mention: a name or a parameter. */
const NAME = /^(?:"(?:[^"]|"")*"|@?\w+)$/

/**
 * Composes the sort key of a value as SQL; a value other than a text is its own key. `isLong` where
 * it may have more characters than are sorted by.
 */
export function composeTextOrder(value: string, isLong = true): string {
  if (NAME.test(value)) return findTemplate(isLong).replaceAll(MARK, value)
  const key = findTemplate(isLong).replaceAll(MARK, '_text')
  return `(SELECT ${key} FROM (SELECT ${value} AS _text LIMIT -1 OFFSET 0))`
}

/** True when a text of a column may have more characters than are sorted by. */
export const isLongText = ({ maxLength }: Pick<Column, 'maxLength'>): boolean =>
  maxLength === undefined || maxLength > SORTED_CHARACTERS

let known: Map<string, string> | undefined

const isPrintable = (character: string): boolean => character >= ' ' && character <= '~'

const spellOut = (lower: string, letters: readonly string[]): string =>
  letters.reduce((all, each) => all.replaceAll(each, toLetters(each)), lower)

/** The same key, of a text. */
export function orderText(whole: string): string {
  const value = [...whole].slice(0, SORTED_CHARACTERS).join('')
  const lower = value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (/^[ -~]*$/.test(value) || /[\u0370-\u1dff\u2e80-\u{10ffff}]/u.test(value))
    return `${lower}\x01${value}`
  known ??= listLetters()
  const isOne = Buffer.byteLength(value) - [...value].length === 1
  let letters = spellOut(lower, PAIRS)
  const special = [...lower].filter((each) => !isPrintable(each))
  for (const each of special.slice(0, isOne ? 1 : LOOKED_UP))
    letters = letters.replaceAll(each, known.get(each) ?? '')
  return `${letters}\x01${lower}\x01${value}`
}

/**
 * True when values of a field are sorted by their keys and not as they are stored: references are,
 * since people see records by their labels.
 */
export function isTextOrdered({
  type,
  options,
  references,
}: Pick<Field, 'type' | 'options' | 'references'>): boolean {
  if (!FIELD_KINDS[type].isText || references !== undefined) return false
  return options.length === 0 || !areAlike(options.map(({ value }) => value))
}

/** True when texts of a column are sorted so. Numbers of a sequence differ in their digits only. */
export const isColumnOrdered = (column: Column): boolean =>
  column.sequence === undefined && isTextOrdered(column)

/** True when some texts come in the same order by their keys and by their code points. */
function areAlike(values: readonly string[]): boolean {
  const keys = values.toSorted().map(orderText)
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key)
}
