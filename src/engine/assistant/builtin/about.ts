/** Questions about the application itself: its objects, and the caller's rights on them. */
import { type Message, renderMessage, say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { ToldVerb } from '../../../model/compiled/role.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import type { Language } from './language.ts'
import type { Subject } from './scope.ts'
import { cutQuestion } from './segments.ts'
import { listPatterns } from './suggest.ts'
import type { QuestionWord } from './words.ts'

/** The application's description of itself, as rows. */
export interface SelfDescription {
  about: 'objects' | 'permissions'
  /** The object that was named, or that the caller looks at. */
  object: string | undefined
  explanation: Message
  columns: readonly { name: string; label: Message }[]
  rows: readonly Readonly<Record<string, string>>[]
}

/** Answers a question about the application: its objects, or rights; undefined for neither. */
export async function describeSelf(
  { words, language, subjects, context }: Asking,
  caller: Caller,
): Promise<SelfDescription | undefined> {
  const { segments } = cutQuestion(words, language, { phrases: new Map() })
  const has = (concept: 'objects' | 'permissions'): boolean =>
    segments.some(({ known }) => known?.concepts.has(concept))
  if (has('permissions')) {
    const named = (await findNamed(subjects, words, language)) ?? context
    return describeRights(named ? [named] : subjects, named, caller)
  }
  if (!has('objects')) return undefined
  return {
    about: 'objects',
    object: undefined,
    explanation: say`What you can ask about`,
    columns: [
      { name: 'Object', label: say`Object` },
      { name: 'Question', label: say`For example` },
    ],
    rows: subjects
      .filter(({ isMain }) => isMain)
      .map((subject) => ({
        Object: subject.label,
        Question: listPatterns(language, subject)[0] ?? '',
      })),
  }
}

interface Asking {
  words: readonly QuestionWord[]
  language: Language
  subjects: readonly Subject[]
  context: Subject | undefined
}

async function findNamed(
  subjects: readonly Subject[],
  words: readonly QuestionWord[],
  language: Language,
): Promise<Subject | undefined> {
  const yielder = new Yielder()
  const named: Subject[] = []
  for (const subject of subjects) {
    const { segments } = cutQuestion(words, language, subject)
    const isSelf = segments.some(({ meanings }) => meanings.some(({ kind }) => kind === 'self'))
    if (isSelf) named.push(subject)
    await yielder.yieldWhenDue()
  }
  return named.find(({ isMain }) => isMain) ?? named[0]
}

const VERB_LABELS: Readonly<Record<ToldVerb, Message>> = {
  Create: say`Create`,
  Update: say`Change`,
  Delete: say`Delete`,
  Export: say`Export`,
  Import: say`Import`,
}
const TOLD = Object.keys(VERB_LABELS) as readonly ToldVerb[]

function describeRights(
  subjects: readonly Subject[],
  named: Subject | undefined,
  caller: Caller,
): SelfDescription {
  const mark = (holds: boolean): string => (holds ? '✓' : '')
  return {
    about: 'permissions',
    object: named?.view.name,
    explanation: named ? say`What you may do with ${named.label}` : say`What you may do`,
    columns: [
      { name: 'Object', label: say`Object` },
      ...TOLD.map((name) => ({ name, label: VERB_LABELS[name] })),
      { name: 'Capabilities', label: say`Other rights` },
    ],
    rows: subjects.map(({ label, grant }) => {
      const permissions = grant.permissions()
      const further = permissions.Capabilities.map((name) =>
        renderMessage(grant.model.capabilities.get(name) ?? name, caller.language),
      )
      return {
        Object: label,
        ...Object.fromEntries(TOLD.map((name) => [name, mark(permissions[name])])),
        Capabilities: further.join(', '),
      }
    }),
  }
}
