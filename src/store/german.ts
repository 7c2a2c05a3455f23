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
    "Other work has the server's memory now. Try again later.",
    'Andere Arbeiten belegen gerade den Speicher des Servers. Bitte später noch einmal versuchen.',
  ],
  ['The query failed', 'Die Abfrage ist fehlgeschlagen'],
  [
    "A statement of '{0}' failed on the values that it met",
    "Eine Anweisung von '{0}' ist an den Werten gescheitert, auf die sie traf",
  ],
  ['The result is too large', 'Das Ergebnis ist zu groß'],
  ['Too many queries are waiting', 'Zu viele Abfragen warten'],
  ['Every query lane was busy; try again', 'Alle Abfragewege waren belegt; bitte erneut versuchen'],
  ['The database is busy; try again', 'Die Datenbank ist belegt; bitte erneut versuchen'],
  ['The database is busy', 'Die Datenbank ist belegt'],
  [
    'The database is not the one that the server has opened; it takes no changes',
    'Die Datenbank ist nicht die, die der Server geöffnet hat; sie nimmt keine Änderungen an',
  ],
  [
    'The database is damaged; it takes no changes',
    'Die Datenbank ist beschädigt; sie nimmt keine Änderungen an',
  ],
  [
    'The disk is full; nothing is changed until there is room again',
    'Der Datenträger ist voll; nichts wird geändert, bis wieder Platz ist',
  ],
  ['The disk does not answer', 'Der Datenträger antwortet nicht'],
  [
    'The database cannot be written now. Try again later.',
    'Die Datenbank kann gerade nicht geschrieben werden. Bitte später noch einmal versuchen.',
  ],
  [
    'The database cannot be read now. Try again later.',
    'Die Datenbank kann gerade nicht gelesen werden. Bitte später noch einmal versuchen.',
  ],
  [
    'The writer was busy longer than Svc:Writer:MaxWait',
    'Das Schreiben war länger belegt, als Svc:Writer:MaxWait erlaubt',
  ],
  ['Text must not contain the NUL character', 'Text darf das Zeichen NUL nicht enthalten'],
  [
    'Text must be valid Unicode: it has half of a surrogate pair',
    'Text muss gültiges Unicode sein: er enthält ein halbes Surrogatpaar',
  ],
  ['This value is in use already', 'Dieser Wert ist schon vergeben'],
  ['A required value is missing', 'Ein erforderlicher Wert fehlt'],
  ['A value breaks a rule', 'Ein Wert verletzt eine Regel'],
  ['A value has the wrong type', 'Ein Wert ist von falscher Art'],
  [
    'A record that this refers to does not exist, or others refer to this one',
    'Ein Datensatz, auf den dieser verweist, fehlt, oder andere verweisen auf diesen',
  ],
  ['The value is not one of the options', 'Der Wert ist keiner der möglichen'],
  [
    'Its table has more columns than can be written: an administrator deploys it with fewer',
    'Die Tabelle hat zu viele Spalten, um sie zu schreiben: ein Administrator verringert sie',
  ],
  ['The record belongs to another company', 'Der Datensatz gehört zu einer anderen Firma'],
  ['The migration would break references: {0}', 'Die Migration würde Verweise zerstören: {0}'],
  ['The migration would lose rows of {0}', 'Die Migration würde Zeilen von {0} verlieren'],
  ['Nobody waits for this any more', 'Darauf wartet niemand mehr'],
]
