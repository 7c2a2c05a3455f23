import type { Translations } from '../../kernel/messages.ts'

/** Texts of the engine's own in printed documents, in German. */
export const PRINTED_GERMAN: Translations = [
  ['Yes', 'Ja'],
  ['No', 'Nein'],
  ['Total', 'Summe'],
  ['Subtotal', 'Zwischensumme'],
  ['Carried forward', 'Übertrag'],
  ['Brought forward', 'Übertrag'],
  [
    'The value does not fit into this kind of barcode',
    'Der Wert passt nicht in diese Art von Strichcode',
  ],
  ['List', 'Liste'],
  [
    'A grid as you see it, grouped and with totals',
    'Eine Tabelle, wie Sie sie sehen, gruppiert und mit Summen',
  ],
  ['A csv file can hold only one table', 'Eine CSV-Datei kann nur eine Tabelle enthalten'],
  ["'{0}' is not a number field of the list", '„{0}“ ist kein Zahlenfeld der Liste'],
  [
    'must be fields separated by commas, like OrderedAt desc, Number',
    'müssen Felder sein, durch Kommas getrennt, wie OrderedAt desc, Number',
  ],
  ['must be a JSON object of names and values', 'muss ein JSON-Objekt aus Namen und Werten sein'],
  [
    'The report is larger than {0} bytes (Svc:Mail:AttachmentMaxBytes)',
    'Der Bericht ist größer als {0} Bytes (Svc:Mail:AttachmentMaxBytes)',
  ],
  ['A document of one record', 'Ein Dokument zu einem Datensatz'],
  ['No rows', 'Keine Zeilen'],
  ["'{0}' returned more than {1} columns", '„{0}“ hat mehr als {1} Spalten geliefert'],
  ['Record', 'Datensatz'],
  [
    'A record with its details; pass the fields of its key',
    'Ein Datensatz mit seinen Details; geben Sie die Felder seines Schlüssels an',
  ],
  ['Report page', 'Berichtsseite'],
  [
    'A report page with its figures, charts and tables; pass filters by name',
    'Eine Berichtsseite mit Kennzahlen, Diagrammen und Tabellen; geben Sie Filter mit ' +
      'Namen an',
  ],
  ['This part cannot be printed', 'Dieser Teil lässt sich nicht drucken'],
  ['must be one of: {0}', 'muss eines von diesen sein: {0}'],
  ['A document of a report page', 'Ein Dokument einer Berichtsseite'],
  [
    '{0} gets no mail: the rights List and Export are missing',
    '{0} erhält keine Mail: die Rechte List und Export fehlen',
  ],
  ['Mails sent: {0}', 'Gesendete Mails: {0}'],
]
