/** Sentences of audit in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'Entries before {0} are in signed files in {1}',
    'Einträge vor dem {0} liegen in signierten Dateien in {1}',
  ],
  [
    'All entries so far are in signed files in {0}',
    'Alle bisherigen Einträge liegen in signierten Dateien in {0}',
  ],
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
