import type { Translations } from '../../kernel/messages.ts'

/** Sentences of comments in German, by their English template. */
export const COMMENTS_GERMAN: Translations = [
  ['There is no such user in this company', 'Diesen Benutzer gibt es in dieser Firma nicht'],
  ['There is no such comment', 'Diesen Kommentar gibt es nicht'],
  [
    "The records of '{0}' take no comments",
    'Zu den Datensätzen von „{0}“ gibt es keine Kommentare',
  ],
  [
    'keys must hold the key of a record as JSON, such as {0}',
    'keys muss den Schlüssel eines Datensatzes als JSON enthalten, etwa {0}',
  ],
  ['Write a comment first', 'Bitte schreiben Sie zuerst einen Kommentar'],
  ['{0} does not see this record', '{0} sieht diesen Datensatz nicht'],
  ['You can only change your own comments', 'Sie können nur eigene Kommentare ändern'],
  ['You can only delete your own comments', 'Sie können nur eigene Kommentare löschen'],
  [
    'The comment was changed meanwhile. Reload it and try again.',
    'Der Kommentar wurde inzwischen geändert. Bitte laden Sie ihn neu und versuchen Sie es noch ' +
      'einmal.',
  ],
  [
    'A record can have at most {0} followers',
    'Einem Datensatz können höchstens {0} Benutzer folgen',
  ],
  ['{0} mentioned you: {1}', '{0} hat Sie erwähnt: {1}'],
  ['{0} commented: {1}', '{0} hat kommentiert: {1}'],
  ['Mentions', 'Erwähnungen'],
  ['Followed records', 'Datensätze, denen ich folge'],
]
