import type { Translations } from '../../kernel/messages.ts'

/** Texts of the engine's own in printed documents, in German. */
export const PRINTED_GERMAN: Translations = [
  ['Yes', 'Ja'],
  ['No', 'Nein'],
  ['Total', 'Summe'],
  ['Subtotal', 'Zwischensumme'],
  ['Carried forward', 'Übertrag'],
  ['Brought forward', 'Übertrag'],
  ['No barcode of this kind holds the value', 'Kein Strichcode dieser Art fasst den Wert'],
  ['List', 'Liste'],
  [
    'A grid as you see it, grouped and with totals',
    'Eine Tabelle, wie Sie sie sehen, gruppiert und mit Summen',
  ],
  ['A csv file holds one table', 'Eine CSV-Datei fasst eine Tabelle'],
  ["'{0}' is no number among the fields", '„{0}“ ist keine Zahl unter den Feldern'],
  [
    'Fields parted by commas, like OrderedAt desc, Number',
    'Felder, durch Kommas getrennt, wie OrderedAt desc, Number',
  ],
  ['A JSON object of values by their names', 'Ein JSON-Objekt von Werten nach ihren Namen'],
  [
    'The report is over {0} bytes (Svc:Mail:AttachmentMaxBytes)',
    'Der Bericht hat mehr als {0} Bytes (Svc:Mail:AttachmentMaxBytes)',
  ],
  ['A document of one record', 'Ein Dokument zu einem Datensatz'],
  ['No rows', 'Keine Zeilen'],
  ["'{0}' gave more than {1} columns", '„{0}“ hat mehr als {1} Spalten geliefert'],
  ['Record', 'Datensatz'],
  [
    'A record with its details, by the fields of its key',
    'Ein Datensatz mit seinen Details, über die Felder seines Schlüssels',
  ],
  ['Report page', 'Berichtsseite'],
  [
    'A report page with its figures, charts and tables; its filters by their names',
    'Eine Berichtsseite mit Kennzahlen, Diagrammen und Tabellen; ihre Filter mit ihren Namen',
  ],
  ['This is not printed', 'Das wird nicht gedruckt'],
  ['One of: {0}', 'Eines von: {0}'],
  ['A document of a report page', 'Ein Dokument einer Berichtsseite'],
]
