/** Completions of a question while it is typed, each of which is understood whole. */
import { dayIn } from '../../../kernel/zones.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { type Candidate, listCandidates, type TypedHead } from './candidates.ts'
import type { Asking } from './draft.ts'
import { findLanguage } from './language.ts'
import { isGrounded } from './reading.ts'
import { listSubjects, type Subject } from './scope.ts'
import { splitQuestion } from './spoken-numbers.ts'
import { rankSubjects } from './suggest.ts'
import { isWholeAlone, readForAll } from './understand.ts'
import { splitWords, toPlain } from './words.ts'
import { inTurn } from '../turns.ts'
import { requireViewUse } from '../../object/read/find-view.ts'

/** A text that is being typed. */
interface TypedText {
  text: string
  /** The object that the caller looks at, by name or slug. */
  object: string | undefined
}

/** A completion as it is offered. */
interface Completion {
  /** The end of the typed text that is completed; '' where a word is begun. */
  text: string
  /** The whole question. */
  completion: string
  kind: Candidate['kind']
}

/** Most completions of an answer, and of one kind in it. */
const OFFERED_MAX = 8
const OF_KIND_MAX = 4
/** Candidates that are read, each as the question that it would make. */
const TRIED_MAX = 10
/** Candidates that are read while none is understood: then the words before them are not. */
const TRIED_IN_VAIN_MAX = 6
/** Most words of a text that is completed: each candidate is read with all of them. */
const WORDS_MAX = 25
/** Words at the end of a text that may begin one name. */
const PARTIAL_WORDS_MAX = 4

/**
 * Completes a typed text by names of the model that the caller may ask about and by forms of
 * questions, never by a value of a record. The likeliest stand first; a text of more than 25 words
 * has none.
 * @throws notFound, denied for an object that the caller may not List
 */
export const completeQuestion = (by: AssistantCall, typed: TypedText): Promise<Completion[]> =>
  inTurn(by, () => complete(by, typed))

async function complete(by: AssistantCall, { text, object }: TypedText): Promise<Completion[]> {
  const { caller, model, engine } = by
  const seen = object === undefined ? undefined : requireViewUse(engine, by, object, ['List']).view
  const language = findLanguage(text, by.language)
  const today = dayIn(engine.clock.now(), caller.timeZone)
  const asking: Asking = { language, caller, today }
  if (splitWords(text, language.decimal, today).length > WORDS_MAX) return []
  const subjects = await listSubjects(model, caller, language)
  const context = subjects.find(({ view }) => view === seen)
  const found = new Map<string, Completion>()
  let tried = 0
  for (const { start, partial } of listPartials(text)) {
    const before = text.slice(0, start)
    const head = await readHead(by, before, { asking, subjects, context })
    if (!head) continue
    const lists = listCandidates(head)
    // Nothing typed yet: how a question may begin.
    const begun = pick(text.trim() === '' ? lists.slice(0, 2) : lists, partial)
    for (const { words, kind } of begun) {
      const isVain = found.size === 0 && tried >= TRIED_IN_VAIN_MAX
      if (found.size >= OFFERED_MAX || tried >= TRIED_MAX || isVain) return [...found.values()]
      const completion = `${before}${words}`
      const key = toPlain(completion)
      const alike = found.values().filter((each) => each.kind === kind)
      if (found.has(key) || [...alike].length >= OF_KIND_MAX || repeats(before, words)) continue
      tried++
      const typed = splitQuestion(completion, language, today)
      const of = { asking, context, subjects, signal: by.signal }
      const readings = await readForAll(subjects, typed, of)
      if (isWholeAlone(readings, typed, of)) found.set(key, { text: partial, completion, kind })
    }
  }
  return [...found.values()]
}

/**
 * Reads the words before those that are completed; undefined where some are unknown to the model.
 * They are not looked up among the data: that takes longer than people type.
 */
async function readHead(
  by: AssistantCall,
  before: string,
  of: { asking: Asking; subjects: readonly Subject[]; context: Subject | undefined },
): Promise<TypedHead | undefined> {
  const { asking, subjects, context } = of
  const { language, today } = asking
  const words = splitQuestion(before, language, today)
  const isEmpty = words.length === 0
  const readings = isEmpty
    ? []
    : await readForAll(subjects, words, { asking, context, signal: by.signal })
  if (!isEmpty && readings.every(({ draft }) => draft.unknown.length > 0)) return undefined
  const named = readings.find(({ draft }) => isGrounded(draft) && draft.unknown.length === 0)
  const owner = named?.draft.subject ?? context
  const main = rankSubjects({ language, subjects, words: [] }).filter(({ isMain }) => isMain)
  return {
    language,
    owners: owner ? [owner] : main,
    subjects: main,
    isNamed: owner !== undefined,
    isEmpty,
  }
}

/** True where the first of some words stands before them already: `by`, `by Region`. */
const repeats = (before: string, words: string): boolean =>
  toPlain(before).trim().split(/\s+/u).at(-1) === toPlain(words).split(' ')[0]

/** The ends of a text that a name may begin with, the shortest first. */
function listPartials(text: string): { start: number; partial: string }[] {
  const starts = [...text.matchAll(/(?<=^|\s)\S/gu)].map(({ index }) => index)
  const isBetween = text === '' || /\s$/u.test(text)
  return [...starts.slice(-PARTIAL_WORDS_MAX), ...(isBetween ? [text.length] : [])]
    .toReversed()
    .map((start) => ({ start, partial: text.slice(start) }))
}

/** The candidates that a typed text begins, one of each list in turn. */
function pick(lists: readonly (readonly Candidate[])[], partial: string): Candidate[] {
  const typed = toPlain(partial)
  const begun = lists.map((list) =>
    list.filter(({ words }) => {
      const plain = toPlain(words)
      return plain.length > typed.length && plain.startsWith(typed)
    }),
  )
  const longest = Math.max(0, ...begun.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => begun.flatMap((list) => list[at] ?? [])).flat()
}
