/** Labels as people write them, made of the names that programs have. */
import type { AdoptedColumn, AdoptedEntity, AdoptedModel } from './adopted.ts'
import {
  ACRONYMS,
  GERMAN_APART,
  GERMAN_ENDS,
  GERMAN_SMALL,
  GERMAN_WORDS,
  PARTS,
  SHORT_FORMS,
  UMLAUTS,
} from './label-words.ts'
import { splitWords } from './names.ts'
import type { NameLanguage } from './plurals.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'

/** Least words of a language that tell it. */
const WORDS_MIN = 3

/** Finds the language of a source by the words of its names. */
export function findLanguage(names: readonly string[]): NameLanguage {
  const all = new Set(names.flatMap(splitWords))
  const german = [...all].filter((word) => GERMAN_WORDS.has(word)).length
  return german >= WORDS_MIN && german * 10 >= all.size ? 'de' : 'en'
}

/** Gives entities, views, columns and lists labels where the default is not what people write. */
export function planLabels({ entities, language }: AdoptedModel): void {
  const manys = entities.map(({ viewLabel = '' }) => toLabel(viewLabel, language))
  entities.forEach((entity, at) => {
    const many = manys[at] ?? ''
    const isTwice = manys.indexOf(many) < at
    entity.label = unlessUsual(toLabel(entity.label ?? entity.name, language), entity.name)
    entity.viewLabel = unlessUsual(isTwice ? toLabel(entity.view, language) : many, entity.view)
    planColumnLabels(entity, language)
  })
  for (const entity of entities)
    for (const list of entity.lists) {
      const target = entities.find(({ view }) => view === list.target)
      if (target) list.label = unlessUsual(target.viewLabel ?? toWords(target.view), list.name)
    }
}

const unlessUsual = (label: string, name: string): string | undefined =>
  label === '' || label === toWords(name) ? undefined : label

function planColumnLabels(entity: AdoptedEntity, language: NameLanguage): void {
  const labels = entity.columns.map((column) => planLabel(column, language))
  entity.columns.forEach((column, at) => {
    const label = labels[at] ?? ''
    const isTwice = labels.filter((each) => each === label).length > 1
    const own = isTwice ? toLabel(column.profile.column.name, language) : label
    column.label = unlessUsual(own, column.name)
  })
}

function planLabel(column: AdoptedColumn, language: NameLanguage): string {
  const raw = column.profile.column.name
  const whole = toLabel(raw, language)
  if (column.references) {
    const [, stem = whole] = /^(.+?)[ -](?:ID|FK|key|no\.|number|Nr\.|code)$/i.exec(whole) ?? []
    return capitalize(stem.replace(/^(?:ID|FK) (?=.)/, ''))
  }
  // A flag is read as a question: `is_active` is "Active".
  const [, claim = ''] = /^(?:Is|Ist) (.+)$/.exec(whole) ?? []
  return FIELD_KINDS[column.type].isFlag && claim !== '' ? capitalize(claim) : whole
}

/** A name in words: `CUSTOMER_VAT_ID` is "Customer VAT ID", `orderdate` "Order date". */
export function toLabel(raw: string, language: NameLanguage = 'en'): string {
  const parts = splitParts(raw)
  const isShouted = raw === raw.toUpperCase() && /\p{Lu}{4}/u.test(raw)
  const written = parts.map((part) => writeWord(part, isShouted, language))
  const text = language === 'de' ? joinGerman(written) : joinEnglish(written)
  return capitalize(text)
}

const PART = new RegExp(
  // Words that capitals or hyphens would cut.
  '(?:MwSt|GmbH|IPv[46]|[Ee]-?[Mm]ail)(?!\\p{Ll})|' +
    '\\p{Lu}+(?!\\p{Ll})\\d*|\\p{Lu}?\\p{Ll}+\\d*|[\\p{Lo}\\p{N}]+|[^\\s\\p{L}\\p{N}_.$-]+',
  'gu',
)

/** The words of a name as they are written, numbers apart from longer words. */
function splitParts(raw: string): string[] {
  return (raw.normalize('NFC').match(PART) ?? []).flatMap((part) => {
    const [, word, number] = /^(\p{L}{3,})(\d+)$/u.exec(part) ?? []
    return word === undefined || number === undefined || ACRONYMS.has(part.toLowerCase())
      ? [part]
      : [word, number]
  })
}

function writeWord(part: string, isShouted: boolean, language: NameLanguage): string {
  const lower = part.toLowerCase()
  const acronym = ACRONYMS.get(lower)
  if (acronym !== undefined) return acronym
  if (language === 'de') return writeUmlauts(isShouted ? lower : part)
  if (!isShouted && part.length > 1 && part === part.toUpperCase()) return part
  return SHORT_FORMS.get(lower) ?? segment(lower)
}

/** `orderdate` is `order date` where all of it are words; anything else stays as it is. */
function segment(word: string): string {
  if (PARTS.has(word) || !/^[a-z]{6,}$/.test(word)) return word
  return findParts(word)?.join(' ') ?? word
}

function findParts(word: string): string[] | undefined {
  if (word === 'id') return ['ID']
  if (PARTS.has(word) || PARTS.has(word.replace(/s$/, ''))) return [word]
  for (let at = word.length - 2; at >= 2; at--) {
    if (!PARTS.has(word.slice(0, at)) && !PARTS.has(word.slice(0, at).replace(/s$/, ''))) continue
    const rest = findParts(word.slice(at))
    if (rest) return [word.slice(0, at), ...rest]
  }
  return undefined
}

function joinEnglish(words: readonly string[]): string {
  return words
    .map((word, at) => (word === 'no' && at === words.length - 1 ? 'no.' : word))
    .join(' ')
}

/** German nouns are glued or keep their capital: "Kundennummer", "Artikel-Nr.", "Gültig bis". */
function joinGerman(words: readonly string[]): string {
  let text = ''
  for (const word of words) {
    const lower = word.toLowerCase()
    const isAcronym = word.length > 1 && word === word.toUpperCase() && /\p{Lu}/u.test(word)
    const before = /[\p{L}.]+$/u.exec(text)?.[0] ?? ''
    if (text === '') text = word
    else if (lower === 'nr') text += '-Nr.'
    else if (isAcronym && !/\d$/.test(text)) text += `-${word}`
    else if (GERMAN_SMALL.has(lower)) text += ` ${lower}`
    else if (GERMAN_ENDS.has(lower) && !isApart(before)) text += glue(before, lower)
    else text += ` ${capitalize(lower)}`
  }
  return text
}

/** "Rechnung" and "Datum" are "Rechnungsdatum", "MwSt" and "Satz" "MwSt-Satz". */
function glue(before: string, word: string): string {
  if (ACRONYMS.has(before.toLowerCase())) return `-${capitalize(word)}`
  return /(?:ung|heit|keit|schaft|ion|tät)$/.test(before) ? `s${word}` : word
}

/** An adjective stands apart from its noun, and so does what follows a small word. */
const isApart = (word: string): boolean =>
  GERMAN_SMALL.has(word.toLowerCase()) ||
  (/^(?:letzt|nächst|erst|alt|neu|gültig|offen|ander|geändert|erstellt)/i.test(word) &&
    GERMAN_APART.test(word))

function writeUmlauts(word: string): string {
  let text = word
  for (const [ascii, written] of UMLAUTS)
    text = text.replace(new RegExp(ascii, 'gi'), (found) =>
      found === found.toLowerCase() ? written : capitalize(written),
    )
  return text
}

/** The label of an option: `in_progress` is "In progress"; `PG-13` is a code and has none. */
export function toOptionLabel(value: string, language: NameLanguage): string | undefined {
  const isWord = /^(?=.{3})[a-z]+(?:[_-][a-z]+)*$|^(?=.{4})[A-Z]+(?:_[A-Z]+)*$/.test(value)
  return isWord ? toLabel(value.replaceAll('-', '_'), language) : undefined
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
