/** A sentence that wants a record written, and the names of objects and fields in it. */
import type { Message } from '../../../kernel/messages.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { CommandRecords } from './command-records.ts'
import type { Asking } from './draft.ts'
import type { Language } from './language.ts'
import type { Lookups } from './lookups.ts'
import type { ReachedField, Subject } from './scope.ts'
import { cutQuestion } from './segments.ts'
import { stemText } from './words.ts'
import type { PlacedWord, WriteWords } from './write-words.ts'
import { isWritable } from '../../object/read/permissions.ts'

/** A write that a sentence asks for; `request` finds the records of it. */
export type SpokenWrite =
  | { kind: 'create'; subject: Subject; values: Readonly<Record<string, unknown>> }
  | ({
      kind: 'update'
      subject: Subject
      values: Readonly<Record<string, unknown>>
    } & CommandRecords)
  | ({ kind: 'action'; subject: Subject; action: RowAction } & CommandRecords)
  | { kind: 'refused'; refusal: Message }

/** A sentence without its verb. */
export interface Sentence {
  by: AssistantCall
  object: string | undefined
  asking: Asking
  lookups: Lookups
  terms: WriteWords
  /** The text behind its verb. */
  rest: string
  subjects: readonly Subject[]
}

/** Words of the name of an object or field. */
export const PHRASE_MAX = 6

/** True for a field of the object itself that the caller may set. */
export const isOpen = ({ view, grant }: Subject, { field, depth }: ReachedField, isNew: boolean) =>
  depth === 0 && !field.hidden && isWritable(view, field, grant, isNew)

/** The field that words name, by its longest name. */
export function findField(
  { phrases }: Pick<Subject, 'phrases'>,
  words: readonly PlacedWord[],
  language: Language,
): { at: ReachedField; from: number; to: number } | undefined {
  const stems = words.map(({ plain }) => stemText(plain, language).join(' '))
  for (let length = Math.min(PHRASE_MAX, words.length); length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const meanings = phrases.get(stems.slice(from, from + length).join(' ')) ?? []
      if (meanings.some(({ kind }) => kind === 'self')) continue
      const own = meanings
        .flatMap((each) =>
          (each.kind === 'field' || each.kind === 'flag') && each.at.depth === 0 ? [each] : [],
        )
        .toSorted((one, other) => one.cost - other.cost)
      if (own[0]) return { at: own[0].at, from, to: from + length }
    }
  return findCompound({ phrases }, words, language)
}

/** Fewest letters of a compound. */
const COMPOUND_MIN = 8

/** The field that one compound names: `Fälligkeitsdatum`. */
function findCompound(
  { phrases }: Pick<Subject, 'phrases'>,
  words: readonly PlacedWord[],
  language: Language,
): { at: ReachedField; from: number; to: number } | undefined {
  for (const [from, word] of words.entries()) {
    if (word.kind !== 'word' || word.plain.length < COMPOUND_MIN) continue
    const { segments } = cutQuestion([word], language, { phrases })
    const [only, second] = segments
    const meaning = only?.meanings.find((each) => each.kind === 'field' && each.at.depth === 0)
    if (!second && meaning?.kind === 'field') return { at: meaning.at, from, to: from + 1 }
  }
  return undefined
}

/** Words that name an object at the begin of a list. */
export function selfLength(
  { phrases }: Subject,
  words: readonly PlacedWord[],
  language: Language,
): number {
  const stems = words.slice(0, PHRASE_MAX).map(({ plain }) => stemText(plain, language).join(' '))
  for (let length = stems.length; length > 0; length--)
    if (phrases.get(stems.slice(0, length).join(' '))?.some(({ kind }) => kind === 'self'))
      return length
  return 0
}
