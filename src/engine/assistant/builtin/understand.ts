/** Turns a question into the request that answers it, or into questions that could be answered. */
import { unavailable } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import { dayIn } from '../../../kernel/zones.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { type Ambiguity, findAmbiguity } from './ambiguity.ts'
import { isBeyondQueries } from './beyond.ts'
import { coverOf, listPassedOver } from './cover.ts'
import { type BuiltRequest, decide, losesOr } from './decide.ts'
import { type Asking, type Draft, findSold, hasMainMeasure, isMeasure } from './draft.ts'
import { followUp, isWhole } from './follow-up.ts'
import { findLanguage, type Language, listOthers, stemOf } from './language.ts'
import { Lookups } from './lookups.ts'
import { findNameClash } from './name-clash.ts'
import { hasNamed, joinNamed, listNamedRows, type NamedRow, toClash } from './named-rows.ts'
import { joinNames } from './names.ts'
import { isGrounded, isOfContext, type QuestionReading, readFor, requestOf } from './reading.ts'
import { findByDeed, findRelated, toRelated } from './related-rows.ts'
import { listSubjects, type Subject } from './scope.ts'
import { splitQuestion } from './spoken-numbers.ts'
import { resolveNames, resolveValues } from './values.ts'
import type { QuestionWord } from './words.ts'
import { writeWordsOf } from './write-words.ts'

/** A question with the one that it follows. */
export interface Asked {
  text: string
  /** The object that the caller looks at, by name or slug. */
  object?: string | undefined
  /** Earlier questions of the same talk, the oldest first. */
  before: readonly string[]
}

/** A question as it was understood. */
interface Understood {
  language: Language
  draft: Draft
  request: BuiltRequest
  /** The reading that was not taken. */
  alternative: { draft: Draft; request: BuiltRequest } | undefined
}

/** A question that was not understood: its unknown words. */
export interface NotUnderstood {
  context: Subject | undefined
  language: Language
  subjects: readonly Subject[]
  words: readonly QuestionWord[]
  missing: readonly string[]
  /** The likeliest reading, in which they were missing. */
  unread?: Draft | undefined
  /** Its number of words, where those are too many to be read. */
  wordCount?: number
  /** Words of it that have two meanings, where none is missing. */
  ambiguity?: Ambiguity | undefined
}

/** Most words of a question; a longer text is not a question, and takes the thread for long. */
export const WORDS_MAX = 100
/** Words from which on a question is long: fewer of its readings are worked out. */
export const LONG_QUESTION = 30
/** Most readings that are worked out, and of a long question. */
const READINGS_MAX = 8
const LONG_READINGS_MAX = 2
/** Cost beyond the best reading from which a reading cannot have been meant. */
const COST_APART = 8

/** Understands a question as the caller may ask it. */
export async function understand(
  by: AssistantCall,
  asked: Asked,
): Promise<Understood | NotUnderstood> {
  const language = findLanguage(asked.text, by.language)
  const found = await understandIn(language, by, asked)
  if ('draft' in found) return found
  for (const other of listOthers(language)) {
    const subjects = await listSubjects(by.model, by.caller, other)
    if (!found.words.some((word) => isNameIn(word, { other, subjects }, found))) continue
    const again = await understandIn(other, by, asked)
    if ('draft' in again) return again
  }
  return found
}

/** True for a word that names something in another language alone: `how many Bestellungen`. */
function isNameIn(
  word: QuestionWord,
  { other, subjects }: { other: Language; subjects: readonly Subject[] },
  known: Pick<NotUnderstood, 'language' | 'subjects'>,
): boolean {
  if (word.kind !== 'word' || known.language.words.has(word.plain)) return false
  const isKnown = (all: readonly Subject[], language: Language): boolean =>
    all.some(({ phrases }) => phrases.has(stemOf(word, language)))
  return isKnown(subjects, other) && !isKnown(known.subjects, known.language)
}

/** Understands a question by the words of one language. */
async function understandIn(
  language: Language,
  by: AssistantCall,
  asked: Asked,
): Promise<Understood | NotUnderstood> {
  const { caller, model } = by
  const today = dayIn(by.engine.clock.now(), caller.timeZone)
  const asking: Asking = { language, caller, today }
  let words = splitQuestion(asked.text, language, today)
  const subjects = await listSubjects(model, caller, language)
  const seen = asked.object?.toLowerCase()
  const context = subjects.find(
    ({ view }) => view.name.toLowerCase() === seen || view.slug.toLowerCase() === seen,
  )
  if (words.length > WORDS_MAX) {
    const [read, missing] = [words.slice(0, WORDS_MAX), words.slice(WORDS_MAX)]
    const wordCount = words.length
    const texts = missing.map(({ text }) => text)
    return { language, subjects, words: read, context, missing: texts, wordCount }
  }
  const command = findCommand(words, language, subjects)
  if (command !== undefined) return { language, subjects, words, context, missing: [command] }
  const lookups = new Lookups(by)
  const last = await readBefore(by, asked)
  const of = { asking, context, signal: by.signal }
  const named = await listNamedRows(lookups, { words, language, subjects })
  const sure = named.filter(({ isSure }) => isSure)
  const plain = words
  if (sure.length > 0) words = joinNamed(words, sure)
  let readings = await readForAll(subjects, words, of)
  const joined = await joinNames(lookups, words, readings)
  if (joined) readings = await readForAll(subjects, (words = joined), of)
  const known = { language, subjects, words, context }
  if (sure.length < named.length) {
    const called = joinNamed(plain, named)
    const byName = await readForAll(subjects, called, of)
    const told = await readByName(lookups, { readings, byName, named }, { known, asking })
    if (told) return 'draft' in told ? told : { ...told, words: called }
  }
  const followed = last && followUp(last, words, asking)
  if (!followed) return readAlone(lookups, readings, { known, asking })
  // What a question is about may be known only by a name that the data have.
  const isMarked = followed.draft.has(0, 'followUp')
  const alone = isMarked ? undefined : await readAlone(lookups, readings, { known, asking })
  const own = alone && ('draft' in alone ? alone.draft : alone.unread)
  if (alone && isWhole(own, followed.draft.has(0, 'reshapes'))) return alone
  const missing = await settle(lookups, followed.draft)
  if (missing.length === 0) followed.draft.inherit(last)
  // With what it takes over it may say less than its words do.
  if (missing.length > 0 || listUnheard(followed.draft).length > 0)
    return alone ?? readAlone(lookups, readings, { known, asking })
  return { language, draft: followed.draft, request: requestOf(followed), alternative: undefined }
}

/** The facts of a question, whatever it turns out to ask. */
type Known = Omit<NotUnderstood, 'missing' | 'unread' | 'ambiguity'>

/** A question by itself, whatever was asked before it. */
async function readAlone(
  lookups: Lookups,
  readings: readonly QuestionReading[],
  { known, asking }: { known: Known; asking: Asking },
): Promise<Understood | NotUnderstood> {
  const { words, subjects, language } = known
  const question = { words, subjects, asking }
  const lacking = await readRelated(lookups, language, await findRelated(question, 'Without'))
  if (lacking) return lacking
  const chosen = await choose(lookups, readings, known)
  if ('draft' in chosen) return chosen
  const done = (await findByDeed(question)) ?? (await findRelated(question, 'With'))
  return (await readRelated(lookups, language, done)) ?? chosen
}

/**
 * A question with words that are the name of a record, too: read so where they are nothing else;
 * where both readings are whole, neither is run.
 */
async function readByName(
  lookups: Lookups,
  of: { readings: readonly QuestionReading[]; byName: readonly QuestionReading[] } & {
    named: readonly NamedRow[]
  },
  { known, asking }: { known: Known; asking: Asking },
): Promise<Understood | NotUnderstood | undefined> {
  const called = await readAlone(lookups, of.byName, { known, asking })
  if (!('draft' in called) || !hasNamed(called.draft, of.named)) return undefined
  const plain = await readAlone(lookups, of.readings, { known, asking })
  if (!('draft' in plain) || hasNamed(plain.draft, of.named)) return called
  const ambiguity = toClash(plain.draft, of.named)
  return ambiguity && { ...known, missing: [], unread: plain.draft, ambiguity }
}

/** Records by rows of another object, where both are understood whole. */
async function readRelated(
  lookups: Lookups,
  language: Language,
  pair: Awaited<ReturnType<typeof findByDeed>>,
): Promise<Understood | undefined> {
  if (!pair) return undefined
  const { records: draft, rows, member, word, isFirst } = pair
  const missing = [...(await settle(lookups, draft)), ...(await settle(lookups, rows))]
  const related = toRelated(pair)
  if (missing.length > 0 || !related) return undefined
  for (const each of [draft, rows]) {
    const request = decide(each)
    if (findAmbiguity(each, request, coverOf(each, request))) return undefined
  }
  draft.related = { rows, member, word, isFirst, related }
  return { language, draft, request: decide(draft), alternative: undefined }
}

/** The readings for each object, the likeliest first; others are served between two of them. */
export async function readForAll(
  subjects: readonly Subject[],
  words: readonly QuestionWord[],
  of: { asking: Asking; context: Subject | undefined; signal: AbortSignal },
): Promise<QuestionReading[]> {
  const yielder = new Yielder()
  const readings: QuestionReading[] = []
  for (const subject of subjects) {
    readings.push(readFor(subject, words, of.asking, of.context?.view.name))
    await yielder.yieldWhenDue()
    if (of.signal.aborted) throw unavailable(say`The request was cancelled`)
  }
  return readings.toSorted((one, other) => one.cost - other.cost)
}

/** The word by which a sentence asks for a change, which the assistant does not make by itself. */
function findCommand(
  words: readonly QuestionWord[],
  language: Language,
  subjects: readonly Subject[],
): string | undefined {
  const [first, second] = words
  if (!first || !language.commands.has(first.plain)) return undefined
  const isField = (count: number): boolean => {
    const stems = words.slice(0, count).map((word) => stemOf(word, language))
    const named = subjects.flatMap(({ phrases }) => phrases.get(stems.join(' ')) ?? [])
    return named.some(({ kind }) => kind === 'field')
  }
  // `email of Stonebow`, `email address of …` are what is asked for.
  const isOf = writeWordsOf(language).belongs.includes(second?.plain ?? '')
  return second && (isField(2) || (isField(1) && isOf)) ? undefined : first.text
}

/** The first reading that leaves no word unread; the next one is offered beside it. */
async function choose(
  lookups: Lookups,
  readings: readonly QuestionReading[],
  known: Known,
): Promise<Understood | NotUnderstood> {
  const [best] = readings
  if (!best) return { ...known, missing: [] }
  const most = known.words.length > LONG_QUESTION ? LONG_READINGS_MAX : READINGS_MAX
  const near = readings.slice(0, most).filter(({ cost }) => cost - best.cost < COST_APART)
  let missed: { missing: string[]; unread: Draft } | undefined
  let taken: Understood | undefined
  // Cost of the reading that is taken, before its values were found and for them.
  let [plain, found] = [0, 0]
  for (const reading of near) {
    const isSeen = reading.draft.subject === known.context && isOfContext(reading.draft)
    if (!isGrounded(reading.draft) && !isSeen) continue
    if (taken && isFetched(reading.draft, taken.draft)) continue
    const before = reading.draft.cost
    const unread = await settle(lookups, reading.draft)
    const distance = reading.draft.cost - before
    missed ??= { missing: unread, unread: reading.draft }
    if (unread.length > 0) continue
    const request = requestOf(reading)
    if (!taken) {
      const ambiguity = findAmbiguity(reading.draft, request, coverOf(reading.draft, request))
      const clash = ambiguity ?? (await findNameClash(lookups, reading.draft))
      if (clash) return { ...known, missing: [], unread: reading.draft, ambiguity: clash }
      taken = { language: known.language, draft: reading.draft, request, alternative: undefined }
      ;[plain, found] = [reading.cost, distance]
      continue
    }
    if (isSameReading(reading.draft, taken.draft, [request, taken.request])) continue
    const other = { draft: reading.draft, request }
    // As likely by its words, it has the values nearer: screws are a group of products themselves.
    const isNearer = reading.cost <= plain && distance < found
    if (isNearer && !findAmbiguity(other.draft, request, coverOf(other.draft, request)))
      return { ...taken, ...other, alternative: taken }
    return { ...taken, alternative: other }
  }
  if (taken) return taken
  const { draft } = best
  missed ??= { missing: draft.unknown.map(({ text }) => text), unread: draft }
  return { ...known, missing: missed.missing, unread: missed.unread }
}

/**
 * True for a reading whose words would have to be found among the data first, beside one that
 * understood them all: it is no alternative that is worth a search through every row.
 */
const isFetched = (reading: Draft, { unknown }: Draft): boolean =>
  reading.unknown.length > 0 && unknown.length === 0

/** True where the likeliest reading is whole by the words of the model, the data unseen. */
export function isWholeAlone(
  [best]: readonly QuestionReading[],
  words: readonly QuestionWord[],
  of: { asking: Asking; context: Subject | undefined; subjects: readonly Subject[] },
): boolean {
  if (!best || findCommand(words, of.asking.language, of.subjects) !== undefined) return false
  const { draft } = best
  const isSeen = draft.subject === of.context && isOfContext(draft)
  if ((!isGrounded(draft) && !isSeen) || draft.unknown.length > 0) return false
  if (listLeft(draft).length > 0 || listUnheard(draft).length > 0) return false
  const request = requestOf(best)
  return findAmbiguity(draft, request, coverOf(draft, request)) === undefined
}

/** True when two readings ask the same of the same records, if by different views. */
const isSameReading = (one: Draft, other: Draft, requests: readonly BuiltRequest[]): boolean => {
  const [first, second] = requests.map((request) =>
    JSON.stringify({ ...request, ObjectName: undefined }),
  )
  return first === second && one.subject.view.entity === other.subject.view.entity
}

/** Looks unknown words up among the data; returns the words that were not understood. */
async function settle(lookups: Lookups, draft: Draft): Promise<string[]> {
  const left = listLeft(draft)
  if (left.length > 0) return left
  const missing = await resolveValues(lookups, draft)
  if (missing.length > 0) return missing
  await resolveNames(lookups, draft, (at) => draft.isFree(at))
  return listUnheard(draft)
}

/** Words that were read by nothing: a command word of a clause that is not there is one. */
const listLeft = (draft: Draft): string[] =>
  draft.segments.flatMap((segment, at) =>
    draft.isFree(at) && !draft.isBare(at) && !isIdle(draft, at) && !isUnknown(draft, at)
      ? [segment.text]
      : [],
  )

/** Words that were read, and that the request does not say. */
function listUnheard(draft: Draft): string[] {
  if (isBeyondQueries(draft) || isOfOwner(draft)) return draft.segments.map(({ text }) => text)
  return losesOr(draft) ? listEithers(draft) : listPassedOver(draft, decide(draft))
}

/** True where what a user did is read as who owns it: `von ana geänderte Aufträge`. */
const isOfOwner = ({ isHistory, filters }: Draft): boolean =>
  isHistory &&
  filters.some(
    ({ at: { field, via } }) =>
      (field.references === 'User' && field.column?.kind !== 'tracking') ||
      via?.field.references === 'User',
  )

const listEithers = (draft: Draft): string[] =>
  draft.segments.filter((_, at) => draft.has(at, 'either')).map(({ text }) => text)

/** `sold` fits records of pieces and money: neither an article nor a movement of stock is one. */
const hasSales = (draft: Draft): boolean =>
  draft.subject.fields.some(
    (at) => at.depth === 0 && isMeasure(at) && FIELD_KINDS[at.field.type].number === 'scaled',
  ) &&
  (findSold(draft) !== undefined || hasMainMeasure(draft.subject))

/** `handled by Nancy`, `which employee handled`: whose records they are says it already. */
const isOfOther = ({ dimensions, filters, groups }: Draft): boolean =>
  [...dimensions, ...filters.map(({ at }) => at), ...groups.flatMap(({ at }) => at ?? [])].some(
    ({ field, depth }) => depth === 0 && field.references !== undefined,
  )

const isUnknown = ({ unknown }: Draft, at: number): boolean =>
  unknown.some(({ segments }) => segments.includes(at))

/** A word that may go unheard: it joins others, or says no more than they do. */
function isIdle(draft: Draft, at: number): boolean {
  const segment = draft.segments[at]
  if (segment?.known?.isStop || segment?.text === ',') return true
  if (draft.has(at, 'sold')) return hasSales(draft)
  // `and what about`, `und davon`
  if (at <= 1 && [0, at].every((each) => draft.has(each, 'followUp', 'reshapes', 'opens')))
    return true
  if (draft.has(at, 'handled')) return draft.unknown.length > 0 || isOfOther(draft)
  if (draft.has(at, 'all', 'or', 'only', 'to', 'currency', 'with', 'having', 'who', 'iHave'))
    return true
  return segment?.known !== undefined && segment.known.period.has('on')
}

/** The reading of the question that this one follows, its own predecessors taken in. */
async function readBefore(
  by: AssistantCall,
  { before, object }: Asked,
): Promise<Draft | undefined> {
  const text = before.at(-1)
  if (text === undefined) return undefined
  const found = await understand(by, { text, object, before: before.slice(0, -1) })
  return 'draft' in found ? found.draft : undefined
}
