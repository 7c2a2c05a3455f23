/** The sentences of workflows in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    "'after' must be the Next of the previous page",
    "'after' muss das Next der vorherigen Seite sein",
  ],
  ['Until is required', 'Until ist erforderlich'],
  [
    'must be an instant like 2030-07-01T08:00:00Z',
    'muss ein Zeitpunkt wie 2030-07-01T08:00:00Z sein',
  ],
]
