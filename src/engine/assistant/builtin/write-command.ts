/**
 * Sentences that want a record written: `set the due date of SO-2026-00012 to Friday`, `create a
 * customer called Acme in Coast`. What is not read whole is no command.
 */
import { renderMessage, say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { type CommandRecords, toCommandRecords } from './command-records.ts'
import type { BuiltRequest } from './decide.ts'
import { type Language, listOthers } from './language.ts'
import { Lookups } from './lookups.ts'
import { listSubjects, type ReachedField, type Subject } from './scope.ts'
import { type Asked, understand } from './understand.ts'
import { stemText, toPlain } from './words.ts'
import { readCreate } from './write-create.ts'
import { findField, isOpen, selfLength, type Sentence, type SpokenWrite } from './write-sentence.ts'
import { readValue } from './write-values.ts'
import {
  dropCourtesy,
  type PlacedWord,
  placeWords,
  unquote,
  type WriteWords,
  writeWordsOf,
} from './write-words.ts'

/** Reads the write of a sentence without its courtesy; undefined for any other sentence. */
export async function readWrite(
  by: AssistantCall,
  { text, object }: Asked,
  language: Language,
): Promise<SpokenWrite | undefined> {
  const terms = writeWordsOf(language)
  const { verb, behind } = cutVerb(text, terms)
  if (verb === undefined) return undefined
  const today = dayIn(by.engine.clock.now(), by.caller.timeZone)
  const subjects = (await listSubjects(by.model, by.caller, language)).filter(
    ({ isMain }) => isMain,
  )
  const asking = { language, caller: by.caller, today }
  const rest = cutParticle(dropCourtesy(behind, language), terms)
  const sentence = { by, object, asking, lookups: new Lookups(by), terms, rest, subjects }
  return terms.creates.includes(verb) ? readCreate(sentence) : readChange(sentence)
}

/** The verb that a sentence begins with, or ends with as in `kannst du … setzen`. */
function cutVerb(text: string, { creates, sets, marks }: WriteWords) {
  const verbs = [...creates, ...sets, ...marks]
  const [, first = '', behind = ''] = /^(\S+)\s+(.*)$/s.exec(text) ?? []
  if (verbs.includes(toPlain(first))) return { verb: toPlain(first), behind }
  const [, before = '', last = ''] = /^(.*)\s+(\S+)$/s.exec(text) ?? []
  const verb = verbs.find((each) => each === toPlain(last) && each.endsWith('n'))
  return { verb, behind: before }
}

/** `lege … an`: the other part of the verb. */
function cutParticle(rest: string, { particles }: WriteWords): string {
  const [last = ''] = /\s+\S+$/.exec(rest) ?? []
  return particles.includes(toPlain(last.trim())) ? rest.slice(0, -last.length).trimEnd() : rest
}

async function readChange(sentence: Sentence): Promise<SpokenWrite | undefined> {
  const { rest, asking, terms } = sentence
  const words = placeWords(rest, asking.language, asking.today)
  const at = words.findLastIndex(
    ({ plain, kind }, nth) =>
      kind !== 'quoted' && terms.to.includes(plain) && nth > 0 && nth < words.length - 1,
  )
  const joint = words[at]
  if (!joint) return undefined
  const value = rest.slice(joint.end).trim()
  const head = words.slice(0, at).filter(({ text }) => !terms.softeners.includes(text))
  const wanted = rank(sentence, head).flatMap((subject): Wanted[] => {
    const found = findField(subject, head, asking.language)
    const state = found ? undefined : findState(subject, value, asking.language)
    if (!found && !state) return []
    const words = found ? [...head.slice(0, found.from), ...head.slice(found.to)] : head
    return [{ subject, words, at: found?.at, state }]
  })
  const { named, records } = await findWanted(sentence, wanted)
  if (!named) return undefined
  if (!records) return refuseMissing(sentence, named)
  const { subject, at: field, state } = named
  const read = field ? await readSaid(sentence, { subject, at: field, value }) : state
  if (!read) return undefined
  return 'refusal' in read ? { kind: 'refused', ...read } : { ...read, subject, ...records }
}

/** Refuses a record that is not found, where its words are a name, a code or a number. */
function refuseMissing({ terms, asking }: Sentence, wanted: Wanted): SpokenWrite | undefined {
  const { subject, words, at } = wanted
  const own = words.filter(({ plain }) => !terms.of.includes(plain))
  const name = own.slice(selfLength(subject, own, asking.language))
  const isName = name.some(({ kind, text }) => kind !== 'word' || /^\p{Lu}/u.test(text))
  if (!at || !isName) return undefined
  const text = name.map((word) => word.text).join(' ')
  return { kind: 'refused', refusal: say`There is no ${subject.single} ${say`“${text}”`}.` }
}

/** A field or a state that a sentence may want, and the words of its record. */
interface Wanted {
  subject: Subject
  words: readonly PlacedWord[]
  at: ReachedField | undefined
  state: ReturnType<typeof findState>
}

/** The first whose words name a record; else the likeliest, whose words are read as a question. */
async function findWanted(
  sentence: Sentence,
  wanted: readonly Wanted[],
): Promise<{ named?: Wanted; records?: CommandRecords | undefined }> {
  for (const named of wanted) {
    const request = await findByName(sentence, named)
    if (request) return { named, records: { request, isSeveral: false } }
  }
  const [named] = wanted
  if (!named) return {}
  return { named, records: await findRecords(sentence, named.subject, named.words) }
}

/** The query of the records whose name or key is a text, else whose name holds it. */
async function findByName(
  { lookups, rest, terms, asking }: Sentence,
  { subject, words }: Wanted,
): Promise<BuiltRequest | undefined> {
  const { view, grant } = subject
  const start = words.findIndex(({ plain }) => !terms.of.includes(plain))
  const bare = start < 0 ? [] : words.slice(start)
  const own = bare.slice(selfLength(subject, bare, asking.language))
  const texts = [bare, own].flatMap((each) => {
    const [first, last] = [each[0], each.at(-1)]
    return first && last ? [unquote(rest.slice(first.start, last.end)).replace(/['’]s$/i, '')] : []
  })
  const display = view.entity?.display ?? []
  const names = subject.fields.flatMap(({ field, depth }) =>
    depth === 0 &&
    FIELD_KINDS[field.type].isText &&
    (view.keys.includes(field) || display.includes(field.column?.name ?? ''))
      ? [field.name]
      : [],
  )
  if (names.length === 0) return undefined
  const Fields = view.keys.map(({ name }) => name)
  for (const Operator of ['eq', 'contains'] as const)
    for (const Value of new Set(texts)) {
      const Filters = {
        Logic: 'or' as const,
        Filters: names.map((Field) => ({ Field, Operator, Value })),
      }
      const request = { ObjectName: view.name, Fields, Filters: [Filters], Limit: 2 }
      if ((await lookups.ask({ view, grant }, request)).length > 0) return request
    }
  return undefined
}

interface Said {
  subject: Subject
  at: ReachedField
  value: string
}

async function readSaid({ asking, lookups }: Sentence, { subject, at, value }: Said) {
  if (!isOpen(subject, at, false)) {
    const read = await readValue({ asking, lookups, subject }, at, value)
    const move = 'value' in read ? findMove(subject, at, read.value, asking.language) : undefined
    return move ?? { refusal: say`${at.field.label} cannot be changed` }
  }
  const read = await readValue({ asking, lookups, subject }, at, value)
  if ('refusal' in read) return read
  return { kind: 'update' as const, values: { [at.field.name]: read.value } }
}

/** Objects that may be changed, first those that the words name, then the one looked at. */
function rank({ subjects, asking, object }: Sentence, head: readonly PlacedWord[]): Subject[] {
  const stems = head.map(({ plain }) => stemText(plain, asking.language).join(' '))
  const seen = object?.toLowerCase()
  const weigh = ({ phrases, view }: Subject): number => {
    const isNamed = stems.some((stem) => phrases.get(stem)?.some(({ kind }) => kind === 'self'))
    const isSeen = view.name.toLowerCase() === seen || view.slug.toLowerCase() === seen
    return Number(isNamed) * 2 + Number(isSeen)
  }
  return subjects
    .filter(({ grant, view }) => grant.may('Update') || view.rowActions.length > 0)
    .toSorted((one, other) => weigh(other) - weigh(one))
}

/** `mark … as shipped`: the action of that name, else the one field with that option. */
function findState(subject: Subject, value: string, language: Language) {
  const said = stemText(value, language).join(' ')
  const action = listActions(subject).find(
    (each) => stemText(renderMessage(each.label, language.name), language).join(' ') === said,
  )
  if (action) return { kind: 'action' as const, action }
  const options = (subject.phrases.get(said) ?? []).flatMap((each) =>
    each.kind === 'option' && each.at.depth === 0 ? [each] : [],
  )
  const [only, second] = options.filter(({ at }) => isOpen(subject, at, false))
  if (only && !second)
    return { kind: 'update' as const, values: { [only.at.field.name]: only.value } }
  if (only) return undefined
  const moves = options.flatMap(({ at, value: to }) => findMove(subject, at, to, language) ?? [])
  const [move] = moves
  return moves.every((each) => each.action === move?.action) ? move : undefined
}

/** Actions that the caller may take on records of the object. */
const listActions = ({ view, grant }: Subject) =>
  view.rowActions.filter(
    (each) =>
      (each.for === 'Row' || each.for === 'Rows') &&
      !each.opens &&
      grant.holds(each.capability ?? 'Update'),
  )

/**
 * The action that leads to an option which nobody writes: Approve to Approved, by their names in
 * English, whose forms are the regular ones.
 */
function findMove(subject: Subject, { field }: ReachedField, value: unknown, language: Language) {
  const english = [language, ...listOthers(language)].find(({ name }) => name === 'en')
  const option = field.options.find((each) => each.value === value)
  if (!english || !option) return undefined
  const stem = (label: Parameters<typeof renderMessage>[0]): string =>
    stemText(renderMessage(label), english).join(' ')
  const action = listActions(subject).find(({ label }) => stem(label) === stem(option.label))
  return action ? { kind: 'action' as const, action } : undefined
}

/** The query of the records that words name. */
async function findRecords(
  { by, terms, asking }: Sentence,
  subject: Subject,
  words: readonly PlacedWord[],
): Promise<CommandRecords | undefined> {
  const from = words.findIndex(({ plain }) => !terms.of.includes(plain))
  if (from < 0) return undefined
  const named = words.slice(from).filter(({ text }) => !/^['’]s$/i.test(text))
  const bare = named.map(({ kind, text }) =>
    kind === 'quoted' ? `"${text}"` : text.replace(/['’]s$/i, ''),
  )
  // Without its verb a sentence may no longer show its language.
  const inLanguage = { ...by, language: asking.language.name }
  const object = subject.view.name
  for (const text of [bare.join(' '), [subject.single, ...bare].join(' ')]) {
    const found = await understand(inLanguage, { text, object, before: [] })
    if (!('draft' in found) || found.draft.subject.view !== subject.view) continue
    const records = toCommandRecords(found.draft, found.request)
    if (records) return records
  }
  return undefined
}
