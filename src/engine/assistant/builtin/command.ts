/** Sentences that want something done with records: `approve order SO-2026-00012`. */
import { renderMessage, say } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { RowAction } from '../../../model/compiled/action.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { type CommandRecords, toCommandRecords } from './command-records.ts'
import { findLanguage, type Language } from './language.ts'
import { listSubjects, type Subject } from './scope.ts'
import { splitQuestion } from './spoken-numbers.ts'
import { type Asked, understand } from './understand.ts'
import { stemText, toPlain } from './words.ts'
import { readWrite } from './write-command.ts'
import type { SpokenWrite } from './write-sentence.ts'
import { dropCourtesy, writeWordsOf } from './write-words.ts'
import { inTurn } from '../turns.ts'

/** The action or deletion that a sentence asks for, and the query of its records. */
export interface SpokenCommand extends CommandRecords {
  kind: 'action' | 'delete'
  subject: Subject
  action: RowAction | undefined
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
    const missing: string[] = []
    for (const text of listOrders(bare.text, language)) {
      const command = await read(by, { ...bare, text }, { language, missing })
      if (command) return command
    }
    const write = await readWrite(by, bare, language)
    if (write || missing.length === 0) return write
    const quoted = missing.map((text) => `“${text}”`).join(', ')
    return { kind: 'refused', refusal: say`I do not understand ${quoted} here.` }
  })

/** A sentence, and with the verb at its end put first: `den Auftrag SO-2026-00012 löschen`. */
function listOrders(text: string, language: Language): string[] {
  const [, before, verb] = /^(.*\S)\s+(\S+n)$/s.exec(text) ?? []
  const [first = ''] = /^\S+/.exec(text) ?? []
  if (!before || !verb || writeWordsOf(language).asks.includes(toPlain(first))) return [text]
  return [text, `${verb} ${before}`]
}

/** Reads a command; `missing` gets the words for records to delete that were not understood. */
async function read(
  by: AssistantCall,
  asked: Asked,
  { language, missing }: { language: Language; missing: string[] },
): Promise<SpokenCommand | undefined> {
  const today = dayIn(by.engine.clock.now(), by.caller.timeZone)
  const words = splitQuestion(asked.text, language, today)
  const subjects = await listSubjects(by.model, by.caller, language)
  const typed = words.slice(0, VERB_MAX).map(({ plain }) => plain)
  for (const doing of listDoings(subjects, language, typed)) {
    const { softeners } = writeWordsOf(language)
    const rest = words.slice(doing.words).filter(({ text }) => !softeners.includes(text))
    const text = rest
      .map((word) => (word.kind === 'quoted' ? `"${word.text}"` : word.text))
      .join(' ')
    // Without its verb a sentence may no longer show its language.
    const inLanguage = { ...by, language: language.name }
    const object = doing.subject.view.name
    let found = await understand(inLanguage, { text, object, before: [] })
    // `delete SO-2026-00012`: what the words are the number of is not said.
    const isNumber = rest.some(({ kind }) => kind === 'code' || kind === 'quoted')
    if (!('draft' in found) && isNumber) {
      const named = `${doing.subject.single} ${text}`
      found = await understand(inLanguage, { text: named, object, before: [] })
    }
    if (!('draft' in found)) {
      const isNamed = found.unread?.subject === doing.subject && found.unread.selfAt >= 0
      if (!doing.action && isNamed && missing.length === 0) missing.push(...found.missing)
      continue
    }
    if (found.draft.subject.view !== doing.subject.view) continue
    const records = toCommandRecords(found.draft, found.request)
    if (!records) continue
    return { ...doing, ...records, kind: doing.action ? 'action' : 'delete' }
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
      const isOpen = (action.for === 'Row' || action.for === 'Rows') && !action.opens
      return isSaid && isOpen && grant.holds(action.capability ?? 'Update')
        ? [{ subject, action, words: label.length }]
        : []
    })
    const isDelete = isMain && grant.may('Delete') && language.deletes.has(toPlain(typed[0] ?? ''))
    return isDelete ? [...actions, { subject, action: undefined, words: 1 }] : actions
  })
}
