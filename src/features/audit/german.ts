/** Sentences of audit in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    "'key' can only be used together with 'object'",
    "'key' lässt sich nur zusammen mit 'object' verwenden",
  ],
  ["'key' must be a JSON array", "'key' muss ein JSON-Array sein"],
  [
    "'{0}' must be an instant, a day or a date word",
    "'{0}' muss ein Zeitpunkt, ein Tag oder ein Datumswort sein",
  ],
  ["'kind' must be one of: {0}", "'kind' muss eines von diesen sein: {0}"],
  ["'limit' must be a number between 1 and {0}", "'limit' muss eine Zahl zwischen 1 und {0} sein"],
]
