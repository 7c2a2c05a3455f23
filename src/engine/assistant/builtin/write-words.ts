/** Words of sentences that want a record written, and the places of words in such a sentence. */
import type { Language } from './language.ts'
import WRITES from './languages/writes.json'
import { type QuestionWord, splitWords, toPlain } from './words.ts'

const ROLES = [
  'polite',
  'politeEnds',
  'softeners',
  'owners',
  'asks',
  'each',
  'sets',
  'marks',
  'creates',
  'particles',
  'to',
  'of',
  'fresh',
  'called',
  'ones',
  'belongs',
  'clauses',
  'is',
  'yes',
  'no',
  'weekdayLeads',
] as const

/** Words of writes by their roles, plain. */
export type WriteWords = Readonly<Record<(typeof ROLES)[number], readonly string[]>>

function toWords(data: WriteWords): WriteWords {
  const plain: Record<(typeof ROLES)[number], readonly string[]> = { ...data }
  for (const role of ROLES) plain[role] = data[role].map(toPlain)
  return plain
}

const ALL: Readonly<Record<string, WriteWords>> = {
  en: toWords(WRITES.en),
  de: toWords(WRITES.de),
}

/** The words of a language. */
export function writeWordsOf({ name }: Language): WriteWords {
  const found = ALL[name]
  if (!found) throw new Error(`There are no words for writes in ${name}`)
  return found
}

/** A word with its place in the text. */
export interface PlacedWord extends QuestionWord {
  start: number
  end: number
}

/** The words of a text with their places, quotes included. */
export function placeWords(text: string, language: Language, today: string): PlacedWord[] {
  let from = 0
  return splitWords(text, language.decimal, today).map((word) => {
    const at = text.indexOf(word.text, from)
    const isQuoted = word.kind === 'quoted'
    const [start, end] = [at - Number(isQuoted), at + word.text.length + Number(isQuoted)]
    from = end
    return { ...word, start, end }
  })
}

/** A sentence without the words of courtesy around it. */
export function dropCourtesy(text: string, language: Language): string {
  const { polite, politeEnds } = writeWordsOf(language)
  let rest = text.trim().replace(/(?:\s*[?!]|(?<!\d)\.)+$/, '')
  for (let before = ''; before !== rest;) {
    before = rest
    for (const phrase of polite) rest = cutStart(rest, phrase)
    for (const phrase of politeEnds) rest = cutEnd(rest, phrase)
  }
  return rest
}

/** A text without the words that it begins with; unchanged where it does not. */
function cutStart(text: string, phrase: string): string {
  const count = phrase.split(' ').length
  const [head = ''] = new RegExp(`^(?:\\S+\\s+){${count}}`).exec(text) ?? []
  return toPlain(head)
    .replace(/[,\s]+/g, ' ')
    .trim() === phrase
    ? text.slice(head.length)
    : text
}

function cutEnd(text: string, phrase: string): string {
  const count = phrase.split(' ').length
  const [tail = ''] = new RegExp(`(?:[\\s,]+[^\\s,]+){${count}}$`).exec(text) ?? []
  const said = toPlain(tail)
    .replace(/[,\s]+/g, ' ')
    .trim()
  return tail !== '' && said === phrase ? text.slice(0, -tail.length).trimEnd() : text
}

/** A text without its quotes. */
export const unquote = (text: string): string => text.trim().replace(/^["“„'](.*)["”“']$/s, '$1')
