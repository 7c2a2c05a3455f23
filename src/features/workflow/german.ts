/** The sentences of workflows in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ["'after' is the Next of the page before", "'after' ist das Next der Seite davor"],
  ['Until is required', 'Until ist erforderlich'],
  [
    'This is no instant like 2030-07-01T08:00:00Z',
    'Das ist kein Zeitpunkt wie 2030-07-01T08:00:00Z',
  ],
]
