/** Sentences of live in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    "'{0}' has no records whose changes could be told",
    "'{0}' hat keine Datensätze, deren Änderungen gemeldet werden könnten",
  ],
  [
    'At most {0} views can be subscribed to at once',
    'Höchstens {0} Ansichten können gleichzeitig abonniert sein',
  ],
  [
    'At most {0} records can be open at once',
    'Höchstens {0} Datensätze können gleichzeitig offen sein',
  ],
]
