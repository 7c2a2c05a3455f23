/** Sentences that want something done with one record: `approve order SO-2026-00012`. */
import { renderMessage } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { BuiltRequest } from './decide.ts'
import { findLanguage, type Language } from './language.ts'
import { listSubjects, type Subject } from './scope.ts'
import { type Asked, understand } from './understand.ts'
import { splitWords, stemText, toPlain } from './words.ts'
import { readWrite } from './write-command.ts'
import type { SpokenWrite } from './write-sentence.ts'
import { dropCourtesy } from './write-words.ts'
import { inTurn } from '../turns.ts'

/** The action or deletion that a sentence asks for, and the query of its one record. */
export interface SpokenCommand {
  kind: 'action' | 'delete'
  subject: Subject
  action: RowAction | undefined
  /** Rows of keys; more than one is too many. */
  request: BuiltRequest
}

interface Doing {
  subject: Subject
  action: RowAction | undefined
  /** Words of the question that say it. */
  words: number
}

/** Most words of a sentence in which its verb is looked for. */
const VERB_MAX = 20

/** Reads the command of a sentence, if the caller may do it; undefined for a question. */
export const readCommand = (
  by: AssistantCall,
  asked: Asked,
): Promise<SpokenCommand | SpokenWrite | undefined> =>
  inTurn(by, async () => {
    const language = findLanguage(asked.text, by.language)
    const bare = { ...asked, text: dropCourtesy(asked.text, language) }
    return (await read(by, bare, language)) ?? (await readWrite(by, bare, language))
  })

async function read(
  by: AssistantCall,
  asked: Asked,
  language: Language,
): Promise<SpokenCommand | undefined> {
  const today = dayIn(by.engine.clock.now(), by.caller.timeZone)
  const words = splitWords(asked.text, language.decimal, today)
  const subjects = await listSubjects(by.model, by.caller, language)
  const typed = words.slice(0, VERB_MAX).map(({ plain }) => plain)
  for (const doing of listDoings(subjects, language, typed)) {
    const rest = words.slice(doing.words)
    const text = rest
      .map((word) => (word.kind === 'quoted' ? `"${word.text}"` : word.text))
      .join(' ')
    // Without its verb a sentence may no longer show its language.
    const inLanguage = { ...by, language: language.name }
    const found = await understand(inLanguage, {
      text,
      object: doing.subject.view.name,
      before: [],
    })
    if (!('draft' in found) || found.draft.subject.view !== doing.subject.view) continue
    const { Aggregates, GroupBy, ...request } = found.request
    if (Aggregates || GroupBy || !request.Filters?.length) continue
    const Fields = doing.subject.view.keys.map(({ name }) => name)
    const kind = doing.action ? 'action' : 'delete'
    return { ...doing, kind, request: { ...request, Fields, Limit: 2 } }
  }
  return undefined
}

/** Actions of a row that the first words name, and to delete one. */
function listDoings(
  subjects: readonly Subject[],
  language: Language,
  typed: readonly string[],
): Doing[] {
  const stems = typed.map((word) => stemText(word, language).join(' '))
  return subjects.flatMap((subject) => {
    const { view, grant, isMain } = subject
    const actions = view.rowActions.flatMap((action): Doing[] => {
      const label = stemText(renderMessage(action.label, language.name), language)
      const isSaid = label.length > 0 && label.every((stem, at) => stems[at] === stem)
      const isOpen = action.for === 'Row' && !action.opens
      return isSaid && isOpen && grant.holds(action.capability ?? 'Update')
        ? [{ subject, action, words: label.length }]
        : []
    })
    const isDelete = isMain && grant.may('Delete') && language.deletes.has(toPlain(typed[0] ?? ''))
    return isDelete ? [...actions, { subject, action: undefined, words: 1 }] : actions
  })
}
