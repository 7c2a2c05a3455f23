/** Sentences of audit in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['A key needs its object', 'Ein Schlüssel braucht sein Objekt'],
  ['The key is no JSON array', 'Der Schlüssel ist kein JSON-Array'],
  [
    "'{0}' is no instant, day or date word",
    "'{0}' ist kein Zeitpunkt, kein Tag und kein Datumswort",
  ],
  ["'limit' is a number from 1 to {0}", "'limit' ist eine Zahl von 1 bis {0}"],
]
