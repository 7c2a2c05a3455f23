/** Sentences of live in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    "'{0}' has no records that you can watch for changes",
    "'{0}' hat keine Datensätze, deren Änderungen sich verfolgen lassen",
  ],
  [
    'You can subscribe to at most {0} views at once',
    'Sie können höchstens {0} Ansichten gleichzeitig abonnieren',
  ],
  [
    'You can have at most {0} records open at once',
    'Sie können höchstens {0} Datensätze gleichzeitig offen haben',
  ],
]
