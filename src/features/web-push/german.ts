/** Sentences of web-push in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'These are not the keys of a browser’s push subscription',
    'Das sind nicht die Schlüssel einer Push-Anmeldung eines Browsers',
  ],
  ['There is no such subscription', 'Diese Anmeldung gibt es nicht'],
  ['must be an instant in milliseconds', 'muss ein Zeitpunkt in Millisekunden sein'],
  [
    'Notifications are working in this browser',
    'Benachrichtigungen funktionieren in diesem Browser',
  ],
]
