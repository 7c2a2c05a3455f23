/** Sentences of store in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  ['The server is stopping', 'Der Server wird gerade beendet'],
  [
    'The query took more memory than Svc:Sql:MaxMemory allows ({0} bytes)',
    'Die Abfrage brauchte mehr Speicher, als Svc:Sql:MaxMemory erlaubt ({0} Bytes)',
  ],
  [
    'The query took longer than {0} allows ({1} ms)',
    'Die Abfrage dauerte länger, als {0} erlaubt ({1} ms)',
  ],
  [
    'The server is short of memory right now. Try again later.',
    'Der Server hat gerade zu wenig freien Speicher. Bitte versuchen Sie es später noch einmal.',
  ],
  ['The query failed', 'Die Abfrage ist fehlgeschlagen'],
  [
    "A statement of '{0}' failed on the values that it found",
    "Eine Anweisung von '{0}' ist an den Werten gescheitert, die sie vorfand",
  ],
  ['The result is too large', 'Das Ergebnis ist zu groß'],
  [
    'Too many queries are waiting. Try again later.',
    'Zu viele Abfragen warten. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'All query connections are busy. Try again.',
    'Alle Abfrageverbindungen sind belegt. Bitte versuchen Sie es noch einmal.',
  ],
  [
    'The database is busy. Try again.',
    'Die Datenbank ist belegt. Bitte versuchen Sie es noch einmal.',
  ],
  ['The database is busy', 'Die Datenbank ist belegt'],
  [
    'The database is not the file that the server opened, so nothing can be changed',
    'Die Datenbank ist nicht die Datei, die der Server geöffnet hat; daher ist keine ' +
      'Änderung möglich',
  ],
  [
    'The database is damaged, so nothing can be changed',
    'Die Datenbank ist beschädigt, daher ist keine Änderung möglich',
  ],
  [
    'The disk is full. Nothing can be changed until there is space again.',
    'Der Datenträger ist voll. Änderungen sind erst wieder möglich, wenn Platz ist.',
  ],
  ['The disk is not responding', 'Der Datenträger antwortet nicht'],
  [
    'The database cannot be written to right now. Try again later.',
    'In die Datenbank kann gerade nicht geschrieben werden. Bitte versuchen Sie es später ' +
      'noch einmal.',
  ],
  [
    'The database cannot be read right now. Try again later.',
    'Die Datenbank kann gerade nicht gelesen werden. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'The change waited for its turn longer than Svc:Writer:MaxWait allows. Try again.',
    'Die Änderung hat länger gewartet, als Svc:Writer:MaxWait erlaubt. Bitte versuchen Sie ' +
      'es noch einmal.',
  ],
  ['Text must not contain the NUL character', 'Text darf das Zeichen NUL nicht enthalten'],
  [
    'Text must be valid Unicode: it contains half of a surrogate pair',
    'Text muss gültiges Unicode sein: er enthält ein halbes Surrogatpaar',
  ],
  ['This value is already in use', 'Dieser Wert ist schon vergeben'],
  ['A required value is missing', 'Ein erforderlicher Wert fehlt'],
  ['A value breaks a rule', 'Ein Wert verletzt eine Regel'],
  ['A value has the wrong type', 'Ein Wert hat den falschen Typ'],
  [
    'This refers to a record that does not exist, or other records refer to this one',
    'Dieser Datensatz verweist auf einen, den es nicht gibt, oder andere verweisen auf ihn',
  ],
  ['The value must be one of the options', 'Der Wert muss eine der Optionen sein'],
  [
    'This table has too many columns. An administrator must deploy it with fewer.',
    'Diese Tabelle hat zu viele Spalten. Ein Administrator muss sie mit weniger ausrollen.',
  ],
  ['The record belongs to another company', 'Der Datensatz gehört zu einer anderen Firma'],
  ['The migration would break references: {0}', 'Die Migration würde Verweise zerstören: {0}'],
  ['The migration would lose rows of {0}', 'Die Migration würde Zeilen von {0} verlieren'],
  ['The request was cancelled', 'Die Anfrage wurde abgebrochen'],
]
