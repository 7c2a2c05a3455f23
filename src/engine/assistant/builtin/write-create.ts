/** Sentences that want a record made: `create a customer called Acme in Coast`. */
import { type Message, say } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Language } from './language.ts'
import type { Subject } from './scope.ts'
import {
  findField,
  isOpen,
  PHRASE_MAX,
  selfLength,
  type Sentence,
  type SpokenWrite,
} from './write-sentence.ts'
import { readValue } from './write-values.ts'
import { type PlacedWord, placeWords, type WriteWords } from './write-words.ts'

/** Reads what is to be made; undefined where no object is named that the caller may create. */
export async function readCreate(sentence: Sentence): Promise<SpokenWrite | undefined> {
  const { asking, terms, rest, subjects } = sentence
  const words = placeWords(rest, asking.language, asking.today)
  const lead = [...terms.of, ...terms.fresh]
  const from = words.findIndex(({ plain }) => !lead.includes(plain))
  const named = subjects.flatMap((subject) => {
    const length = selfLength(subject, words.slice(Math.max(0, from)), asking.language)
    return length > 0 && subject.grant.may('Create') && subject.view.entity
      ? [{ subject, length }]
      : []
  })
  const [best] = named.toSorted((one, other) => other.length - one.length)
  if (!best || from < 0) return undefined
  const values: Record<string, unknown> = {}
  for (const clause of cutClauses(sentence, best.subject, words.slice(from + best.length))) {
    const read = await readClause(sentence, best.subject, clause)
    if ('refusal' in read) return { kind: 'refused', ...read }
    if (read.name in values)
      return { kind: 'refused', refusal: say`I do not understand ${say`“${clause.text}”`} here.` }
    values[read.name] = read.value
  }
  return { kind: 'create', subject: best.subject, values }
}

/** A part of a sentence that gives one value. */
interface Clause {
  words: readonly PlacedWord[]
  text: string
  isName: boolean
}

/** Parts as `called Acme` or `in Coast`; `and` and a comma begin one before a field alone. */
function cutClauses(
  { rest, terms, asking }: Sentence,
  subject: Subject,
  words: readonly PlacedWord[],
): Clause[] {
  const clauses: PlacedWord[][] = []
  const leads: string[] = []
  words.forEach((word, at) => {
    const isQuoted = word.kind === 'quoted'
    const isLead = !isQuoted && [...terms.called, ...terms.clauses, ','].includes(word.plain)
    const next = words.slice(at + 1)
    const begins =
      isLead &&
      next.length > 0 &&
      (!/^(?:and|und|,)$/.test(word.plain) ||
        fieldAtStart(subject, skipArticles(next, terms), asking.language) !== undefined ||
        [...terms.called, ...terms.clauses].includes(next[0]?.plain ?? ''))
    if (begins) {
      clauses.push([])
      leads.push(word.plain)
    } else if (clauses.length === 0) {
      clauses.push([word])
      leads.push('')
    } else clauses.at(-1)?.push(word)
  })
  return clauses.flatMap((each, at) => {
    const [first, last] = [each[0], each.at(-1)]
    if (!first || !last) return []
    const lead = leads[at] ?? ''
    const isName = lead === '' || terms.called.includes(lead)
    return [{ words: each, text: rest.slice(first.start, last.end), isName }]
  })
}

const skipArticles = (words: readonly PlacedWord[], { of }: WriteWords): readonly PlacedWord[] =>
  words.slice(
    Math.max(
      0,
      words.findIndex(({ plain }) => !of.includes(plain)),
    ),
  )

/** The field whose name a list of words begins with. */
function fieldAtStart(subject: Subject, words: readonly PlacedWord[], language: Language) {
  for (let length = Math.min(PHRASE_MAX, words.length); length > 0; length--) {
    const found = findField(subject, words.slice(0, length), language)
    if (found && found.from === 0 && found.to === length) return found
  }
  return undefined
}

type ReadClause = { name: string; value: unknown } | { refusal: Message }

async function readClause(
  { asking, lookups, terms, rest }: Sentence,
  subject: Subject,
  clause: Clause,
): Promise<ReadClause> {
  const reading = { asking, lookups, subject }
  const unread = { refusal: say`I do not understand ${say`“${clause.text}”`} here.` }
  const own = subject.fields.filter((at) => isOpen(subject, at, true))
  if (clause.isName) {
    const [display] = subject.view.entity?.display ?? []
    const at = own.find(
      ({ field }) => field.column?.name === display && FIELD_KINDS[field.type].isText,
    )
    if (!at) return unread
    const read = await readValue(reading, at, clause.text)
    return 'refusal' in read ? read : { name: at.field.name, value: read.value }
  }
  const words = skipArticles(clause.words, terms)
  const found = fieldAtStart(subject, words, asking.language)
  if (found) {
    const behind = words.slice(found.to)
    const from = behind.findIndex(({ plain }) => !terms.is.includes(plain))
    const [first, last] = [behind[from], behind.at(-1)]
    if (!first || !last) return unread
    if (!own.includes(found.at)) return { refusal: say`${found.at.field.label} cannot be set` }
    const read = await readValue(reading, found.at, rest.slice(first.start, last.end))
    return 'refusal' in read ? read : { name: found.at.field.name, value: read.value }
  }
  const fits: { name: string; value: unknown }[] = []
  for (const at of own) {
    if (at.field.options.length === 0 && at.field.references === undefined) continue
    const read = await readValue(reading, at, clause.text)
    if ('value' in read && read.isExact) fits.push({ name: at.field.name, value: read.value })
  }
  const [only, second] = fits
  return only && !second ? only : unread
}
