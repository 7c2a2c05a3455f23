/** Sentences of web-push in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'These are no keys of a browser’s subscription',
    'Das sind keine Schlüssel einer Anmeldung eines Browsers',
  ],
  ['There is no such subscription', 'Diese Anmeldung gibt es nicht'],
  ['This is no instant', 'Das ist kein Zeitpunkt'],
  ['Messages reach this browser', 'Nachrichten erreichen diesen Browser'],
]
