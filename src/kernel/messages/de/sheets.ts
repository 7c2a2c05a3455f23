/** Imports, exports and files. */
export const SHEETS: readonly (readonly [english: string, german: string])[] = [
  [
    'The disk of the server has no room for files now',
    'Die Platte des Servers hat gerade keinen Platz für Dateien',
  ],
  ['No such upload', 'Diesen Upload gibt es nicht'],
  ['No such file', 'Diese Datei gibt es nicht'],
  [
    'Your waiting uploads may take {0} KB: remove some first',
    'Ihre wartenden Uploads dürfen {0} KB belegen: zuerst welche entfernen',
  ],
  ['Format is one of: {0}', 'Format ist eines von: {0}'],
  [
    '{0} has a text of over {1} characters, which no cell holds: take csv',
    '{0} hat einen Text von über {1} Zeichen, den keine Zelle fasst: csv wählen',
  ],
  ['This object has no fields to export', 'Dieses Objekt hat keine Felder für einen Export'],
  ["Field '{0}' is not exported", 'Feld „{0}“ wird nicht exportiert'],
  ['Nobody waits for this any more', 'Darauf wartet niemand mehr'],
  ['This object takes no imports', 'Dieses Objekt nimmt keine Importe an'],
  ['A list of keys, like [1, 2]', 'Eine Liste von Schlüsseln, wie [1, 2]'],
  ['One of these:', 'Eines davon:'],
  [
    'The key of a record, or what it is called',
    'Der Schlüssel eines Datensatzes oder wie er heißt',
  ],
  [
    'The formula has no stored value: open the file in a spreadsheet and save it',
    'Die Formel hat keinen gespeicherten Wert: in einer Tabellenkalkulation speichern',
  ],
  [
    'A formula in the head has no stored value: open the file in a spreadsheet and save it',
    'Eine Formel im Kopf hat keinen Wert: in einer Tabellenkalkulation speichern',
  ],
  ['{0}: rows point to each other in a circle', '{0}: Zeilen verweisen im Kreis aufeinander'],
  ['{0}: import this record before this row', '{0}: Diesen Datensatz vor dieser Zeile importieren'],
  [
    "culture: '{0}' is unknown; it is one like de-DE or en-US",
    'culture: „{0}“ ist unbekannt; gemeint ist etwas wie de-DE oder en-US',
  ],
  [
    'You have {0} exported files, the most (Svc:Exports:UserFiles)',
    'Sie haben {0} exportierte Dateien, mehr gehen nicht (Svc:Exports:UserFiles)',
  ],
  [
    'Your exported files may take {0} KB (Svc:Exports:UserQuota)',
    'Ihre exportierten Dateien dürfen {0} KB belegen (Svc:Exports:UserQuota)',
  ],
  ['keepKeys is for new records alone', 'keepKeys gilt nur für neue Datensätze'],
  [
    "keepKeys: '{0}' gives new records keys of its own",
    'keepKeys: „{0}“ gibt neuen Datensätzen eigene Schlüssel',
  ],
  [
    "The server gives the key '{0}': send keepKeys=true, or no values",
    'Den Schlüssel „{0}“ vergibt der Server: keepKeys=true senden, oder keine Werte',
  ],
  [
    "The field '{0}' stands behind the file: fields come first",
    'Das Feld „{0}“ steht hinter der Datei: Felder kommen zuerst',
  ],
  ['The row has {0} cells, and the head {1}', 'Die Zeile hat {0} Zellen, der Kopf {1}'],
  [
    'The row has more cells than the head, which has {0}',
    'Die Zeile hat mehr Zellen als der Kopf, der {0} hat',
  ],
  ['{0}: more than one record is called so', '{0}: So heißt mehr als ein Datensatz'],
  ['The file is empty', 'Die Datei ist leer'],
  [
    'The name of the file tells no format: give one of {0}',
    'Der Name der Datei verrät kein Format: Geben Sie eines an von {0}',
  ],
  ['Error', 'Fehler'],
  [
    '{0} rows of the file have errors; nothing was imported',
    '{0} Zeilen der Datei haben Fehler; nichts wurde importiert',
  ],
  [
    '1 row of the file has errors; nothing was imported',
    '1 Zeile der Datei hat Fehler; nichts wurde importiert',
  ],
  ['The form needs objectName before its file', 'Das Formular braucht objectName vor seiner Datei'],
  ['{0} is one of: {1}', '{0} ist eines von: {1}'],
  ['keyFields is a list of field names', 'keyFields ist eine Liste von Feldnamen'],
  [
    'mapping is a JSON object of heads and field names',
    'mapping ist ein JSON-Objekt aus Köpfen und Feldnamen',
  ],
  ['{0} is no valid JSON', '{0} ist kein gültiges JSON'],
  [
    'Records have changed while they were imported; nothing was imported',
    'Datensätze haben sich während des Imports geändert; nichts wurde importiert',
  ],
  [
    "The file has no column '{0}', the key of new records",
    'Die Datei hat keine Spalte „{0}“, den Schlüssel neuer Datensätze',
  ],
  [
    'The file has no column that may be imported',
    'Die Datei hat keine Spalte, die importiert werden darf',
  ],
  ["The head '{0}' stands twice", 'Der Kopf „{0}“ steht zweimal da'],
  ["'{0}' has no field '{1}'", '„{0}“ hat kein Feld „{1}“'],
  ["keyFields: '{0}' is no stored field", 'keyFields: „{0}“ ist kein gespeichertes Feld'],
  [
    'The file has no key: name the fields that tell a record in keyFields',
    'Die Datei hat keinen Schlüssel: Nennen Sie in keyFields die Felder, die ihn bilden',
  ],
  ["keyFields: the file has no column '{0}'", 'keyFields: Die Datei hat keine Spalte „{0}“'],
  [
    'The file has an earlier row for the same record',
    'Die Datei hat eine frühere Zeile für denselben Datensatz',
  ],
  ['This tells more than one record', 'Das bestimmt mehr als einen Datensatz'],
  ['There is no such {0}', '{0}: Das gibt es nicht'],
  [
    'The record has changed since the file was made',
    'Der Datensatz hat sich geändert, seit die Datei entstand',
  ],
  [
    'The quotation mark on line {0} is never closed',
    'Das Anführungszeichen in Zeile {0} wird nie geschlossen',
  ],
  ['A cell on line {0} is too long', 'Eine Zelle in Zeile {0} ist zu lang'],
  ['Line {0} has too many cells', 'Zeile {0} hat zu viele Zellen'],
  ['Line {0} is no JSON object', 'Zeile {0} ist kein JSON-Objekt'],
  ['Line {0} holds more than {1} values', 'Zeile {0} hat mehr als {1} Werte'],
  ['Line {0} is too long', 'Zeile {0} ist zu lang'],
  [
    "Line {0} has the member '{1}', the first has not",
    'Zeile {0} hat das Feld „{1}“, die erste nicht',
  ],
  ['This is no text file', 'Das ist keine Textdatei'],
  ['This is no workbook that can be read', 'Das ist keine lesbare Arbeitsmappe'],
  [
    'The workbook is encrypted: save it without a password',
    'Die Arbeitsmappe ist verschlüsselt: Speichern Sie sie ohne Kennwort',
  ],
  [
    'The workbook took too long to read, or too much memory',
    'Die Arbeitsmappe zu lesen dauerte zu lange oder brauchte zu viel Speicher',
  ],
  [
    'There is no such import, or it can no longer be taken back',
    'Diesen Import gibt es nicht, oder er kann nicht mehr zurückgenommen werden',
  ],
  [
    'The object has changed since the import: it cannot be taken back',
    'Das Objekt hat sich seit dem Import geändert: er kann nicht zurückgenommen werden',
  ],
  ['This import was taken back already', 'Dieser Import wurde bereits zurückgenommen'],
  [
    '{0} records have changed since the import: it cannot be taken back',
    '{0} Datensätze haben sich seit dem Import geändert: Er kann nicht zurückgenommen werden',
  ],
  [
    '1 record has changed since the import: it cannot be taken back',
    '1 Datensatz hat sich seit dem Import geändert: Er kann nicht zurückgenommen werden',
  ],
  ['There is a value under a blank head', 'Unter einem leeren Kopf steht ein Wert'],
]
