import type { Translations } from '../../kernel/messages.ts'

/** German texts of the assistant's routes. */
export const GERMAN: Translations = [
  [
    'Earlier questions have at most {0} bytes in all',
    'Frühere Fragen haben zusammen höchstens {0} Bytes',
  ],
  ['The question was not understood', 'Die Frage wurde nicht verstanden'],
  [
    'Not all words of the question were understood',
    'Nicht alle Wörter der Frage wurden verstanden',
  ],
]
