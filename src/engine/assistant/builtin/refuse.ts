/**
 * Refusals that help: the words that were not understood as they were typed, what comes near them,
 * and questions about the same object that can be answered. None tells what the caller may not see:
 * a field that is hidden from them reads like a word that means nothing.
 */
import { Message, noun, say } from '../../../kernel/messages.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { type Ambiguity, nameOfField } from './ambiguity.ts'
import type { Draft, UnknownText } from './draft.ts'
import { type Elsewhere, findElsewhere } from './elsewhere.ts'
import type { Language } from './language.ts'
import { Lookups } from './lookups.ts'
import { listNearNames } from './near-names.ts'
import { isGrounded } from './reading.ts'
import { isNumberOfRecord } from './record-number.ts'
import type { Subject } from './scope.ts'
import { listPatterns, rankSubjects } from './suggest.ts'
import {
  type Asked,
  LONG_QUESTION,
  type NotUnderstood,
  understand,
  WORDS_MAX,
} from './understand.ts'
import { resolveValues } from './values.ts'

/** The answer to a question that was not understood. */
export interface Refusal {
  message: Message
  /** Three questions at most, each of which is understood. */
  suggestions: readonly string[]
}

const SUGGESTIONS_MAX = 3
/** Questions that are tried for them. */
const TRIED_MAX = 8
/** Most words that a refusal names. */
const NAMED_MAX = 3
/** Characters of a word that are repeated. */
const TEXT_MAX = 60

/** Says why a question was not understood, and what could be asked. */
export async function refuse(
  by: AssistantCall,
  asked: Asked,
  found: NotUnderstood,
): Promise<Refusal> {
  const { unread: draft } = found
  const lookups = new Lookups(by)
  // Of a long one no word is looked up again, and each correction would be read as it was.
  const isShort = found.words.length <= LONG_QUESTION
  const missing = isShort ? await completeMissing(lookups, found) : found.missing
  const unknowns = draft ? listMissing(draft, missing).slice(0, NAMED_MAX) : []
  const near = draft
    ? await listNearNames(lookups, draft, { unknowns, isLong: !isShort })
    : new Map<string, readonly string[]>()
  const elsewhere: Elsewhere[] = []
  for (const unknown of unknowns) {
    if (!draft || !isShort) break
    const names = near.get(unknown.text) ?? []
    const isMany = draft.unknown.length > NAMED_MAX
    const isTold = isMany || names.length > 0 || !unknown.isName || isNumberOfRecord(draft, unknown)
    const other = isTold
      ? undefined
      : await findElsewhere(lookups, found.subjects, { draft, unknown })
    if (other) elsewhere.push(other)
  }
  const questions =
    draft && isShort
      ? [
          ...distinguish(draft, found.ambiguity),
          ...elsewhere.map((each) => askElsewhere(found.language, each)),
          ...correct(draft, near),
          ...without(draft, missing),
        ]
      : []
  const suggestions = await tryAll(by, asked, questions, found)
  const told = tell({ ...found, missing }, near)
  const sentences = elsewhere.map(tellElsewhere)
  const message = sentences.reduce((before, each) => new Message('{0} {1}', [before, each]), told)
  return { message, suggestions }
}

/** The words that mean nothing, where a word that leads to them was met first: `by color`. */
async function completeMissing(
  lookups: Lookups,
  { unread, missing }: NotUnderstood,
): Promise<readonly string[]> {
  const isLookedUp = !unread || unread.unknown.every(({ text }) => missing.includes(text))
  const further = isLookedUp ? [] : await resolveValues(lookups, unread)
  return further.length > 0 ? further : missing
}

/** The unknown texts of a reading that were found nowhere. */
const listMissing = (draft: Draft | undefined, missing: readonly string[]): UnknownText[] =>
  (draft?.unknown ?? []).filter(({ text, found }) => !found && missing.includes(text))

function tell(
  { unread: draft, missing, words, wordCount, ambiguity }: NotUnderstood,
  near: ReadonlyMap<string, readonly string[]>,
): Message {
  if (wordCount !== undefined)
    return say`A question has at most ${WORDS_MAX} words; this one has ${wordCount}.`
  if (ambiguity) return tellAmbiguity(ambiguity)
  const unknown = listMissing(draft, missing)
  const records = unknown.filter((each) => draft && isNumberOfRecord(draft, each))
  const strange = unknown.filter((each) => !records.includes(each)).map(({ text }) => text)
  const isWhole = missing.length >= words.length && unknown.length === 0
  const idle = missing.filter((text) => unknown.every((each) => each.text !== text))
  const sentences = [
    ...records.slice(0, NAMED_MAX).flatMap(({ text }) => (draft ? [noRecord(draft, text)] : [])),
    ...(strange.length > 0 ? [say`I do not know ${quote(strange)} here.`] : []),
    ...(idle.length > 0 && !isWhole ? [say`I do not understand ${quote(idle)} here.`] : []),
    ...strange.flatMap((text) => {
      const names = near.get(text) ?? []
      return names.length > 0 ? [say`Spelled alike: ${quote(names)}.`] : []
    }),
  ]
  const [first, ...rest] = sentences
  if (!first) return say`I know the words of this question, but not how to answer it.`
  return rest.reduce((before, each) => new Message('{0} {1}', [before, each]), first)
}

const tellElsewhere = ({ name, filter, subject, count }: Elsewhere): Message =>
  say`“${shorten(name)}” is a ${noun(filter.at.label)} of ${noun(subject.label)} (${count}).`

const askElsewhere = ({ patterns }: Language, { name, filter, subject }: Elsewhere): string =>
  [subject.label, filter.at.label, name].reduce(
    (text, each, at) => text.replace(`{${at}}`, () => each),
    patterns.valued,
  )

const noRecord = ({ subject: { view } }: Draft, text: string): Message =>
  say`There is no ${noun(view.entity?.label ?? view.label)} ${shorten(text)}.`

const shorten = (text: string): string =>
  text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text

/** The first of some texts, each in quotation marks. */
function quote(texts: readonly string[]): Message {
  const quoted = texts.slice(0, NAMED_MAX).map((text) => say`“${shorten(text)}”`)
  return quoted.reduce((before, each) => new Message('{0}, {1}', [before, each]))
}

/** Fields of two meanings that are named. */
const MEANINGS_MAX = 3

function tellAmbiguity({ text, fields, nameOf }: Ambiguity): Message {
  if (nameOf !== undefined)
    return say`“${shorten(text)}” is also a name of ${nameOf}. Quote it to ask for that.`
  const names = fields.slice(0, MEANINGS_MAX).map((at) => new Message('{0}', [nameOfField(at)]))
  const list = names.reduce((before, each) => say`${before} or ${each}`)
  return say`“${shorten(text)}” can be of ${list} here. Please say which.`
}

/** The question once for each of the two meanings, with the field named that the words are of. */
function* distinguish(draft: Draft, ambiguity: Ambiguity | undefined): Iterable<string> {
  if (!ambiguity) return
  const { start, end, fields, isPeriod, text, nameOf } = ambiguity
  const putFirst = (put: string) => (at: number) =>
    at === start ? put : at > start && at < end ? '' : undefined
  if (nameOf !== undefined) {
    const whole = writeWords(draft, () => undefined)
    // A phrase may end with the name: `customer Note`.
    const write = (put: string): string =>
      start < 0 ? whole.replace(text, () => put) : writeWords(draft, putFirst(put))
    yield write(`"${text}"`)
    yield write(text.toLowerCase())
    // `in` says that days are meant.
    const isDays = draft.periods.some((each) => each.start <= start && start < each.end)
    if (isDays) yield writeWords(draft, (at) => (at === start - 1 ? 'in' : undefined))
    return
  }
  const isValue = draft.clauseOf(start) === 'value' || draft.unknown.some(isAt(start))
  for (const { via, label } of fields.slice(0, MEANINGS_MAX)) {
    const name = via ? `${via.label} ${label}` : label
    const put = isPeriod || isValue ? `${name} ${text}` : name
    yield writeWords(draft, putFirst(put))
  }
}

const isAt =
  (start: number) =>
  ({ segments }: UnknownText): boolean =>
    segments.includes(start)

/** The question with a name in the place of the word that comes near it. */
function* correct(draft: Draft, near: ReadonlyMap<string, readonly string[]>): Iterable<string> {
  for (const { text, segments } of draft.unknown)
    for (const name of near.get(text) ?? [])
      yield writeWords(draft, (at) =>
        segments.includes(at) ? (at === segments[0] ? name : '') : undefined,
      )
}

/** The question without the words that were not understood, and what leads to them. */
function* without(draft: Draft, missing: readonly string[]): Iterable<string> {
  const left = new Set<number>()
  for (const { text, segments } of draft.unknown)
    if (missing.includes(text)) for (const at of segments) left.add(at)
  for (const at of [...left])
    for (let before = at - 1; isLeading(draft, before); before--) left.add(before)
  const kept = draft.segments.filter((_, at) => !left.has(at) && !draft.isBare(at))
  // Of a known word that nothing was made of its opposite would be left: `without orders`.
  if (left.size === 0 || kept.length < 2 || !missing.every((text) => isUnknown(draft, text))) return
  yield writeWords(draft, (at) => (left.has(at) ? '' : undefined))
}

const isUnknown = ({ unknown }: Draft, missing: string): boolean =>
  unknown.some(({ text }) => text === missing)

const isLeading = (draft: Draft, at: number): boolean =>
  draft.isFree(at) &&
  (draft.isBare(at) || draft.has(at, 'groupBy', 'with', 'having', 'not', 'without', 'sortBy'))

/** The words of a question, some of them replaced. */
const writeWords = (draft: Draft, put: (at: number) => string | undefined): string =>
  draft.segments
    .map(({ text, words }, at) => put(at) ?? (words[0]?.kind === 'quoted' ? `"${text}"` : text))
    .filter((text) => text !== '')
    .join(' ')
    .replaceAll(' ,', ',')

/** The first three questions that are understood, as the caller asks them. */
async function tryAll(
  by: AssistantCall,
  { object }: Asked,
  questions: readonly string[],
  found: NotUnderstood,
): Promise<string[]> {
  const subject = findSubject(found)
  const patterns = subject ? listPatterns(found.language, subject, found.unread) : []
  const others = rankSubjects(found).filter((each) => each !== subject)
  const further = others.flatMap((each) => listPatterns(found.language, each).slice(0, 1))
  const suggestions: string[] = []
  const all = new Set([...questions, ...patterns, ...further])
  for (const text of [...all].slice(0, TRIED_MAX)) {
    const read = await understand(by, { text, object, before: [] })
    if ('draft' in read) suggestions.push(text)
    if (suggestions.length === SUGGESTIONS_MAX) break
  }
  return suggestions
}

/** The object that a question is about: the one that it names, or that the caller looks at. */
function findSubject(found: NotUnderstood): Subject | undefined {
  const { unread, context } = found
  if (unread && unread.selfAt >= 0) return unread.subject
  return context ?? (unread && isGrounded(unread) ? unread.subject : rankSubjects(found)[0])
}
