import type { Translations } from '../../kernel/messages.ts'

/** Grids, forms, lookups, submits, imports and exports in German. */
export const OBJECT_GERMAN: Translations = [
  ['template', 'Vorlage'],
  ['errors', 'Fehler'],
  [
    'An extension checks these records: save at most {0} at once',
    'Diese Datensätze prüft eine Erweiterung: speichern Sie höchstens {0} auf einmal',
  ],
  ['The file is larger than {0} KB', 'Die Datei ist größer als {0} KB'],
  ['This object has no fields to export', 'Dieses Objekt hat keine Felder für einen Export'],
  ["The field '{0}' cannot be exported", 'Das Feld „{0}“ lässt sich nicht exportieren'],
  [
    'Records of this object cannot be imported',
    'Datensätze dieses Objekts lassen sich nicht importieren',
  ],
  ['A list of keys, for example [1, 2]', 'Eine Liste von Schlüsseln, zum Beispiel [1, 2]'],
  ['One of these:', 'Eines davon:'],
  ['The name of a record', 'Der Name eines Datensatzes'],
  [
    'The formula has no stored value. Save the file in a spreadsheet program.',
    'Die Formel hat keinen gespeicherten Wert. Speichern Sie die Datei in einer ' +
      'Tabellenkalkulation.',
  ],
  ['{0}: the rows refer to each other in a circle', '{0}: Zeilen verweisen im Kreis aufeinander'],
  [
    '{0}: import this record before this row',
    '{0}: importieren Sie diesen Datensatz vor dieser Zeile',
  ],
  [
    "Unknown culture '{0}'. Use one like de-DE or en-US.",
    'Unbekannte culture „{0}“. Verwenden Sie etwas wie de-DE oder en-US.',
  ],
  [
    "{0}: is '{1}' day or month first? Send culture, like en-GB.",
    '{0}: Steht in „{1}“ der Tag oder der Monat vorn? Senden Sie culture, zum Beispiel en-GB.',
  ],
  [
    "A column mixes dates like '{0}' and '{1}'. Write all of them the same way.",
    'Eine Spalte mischt Daten wie „{0}“ und „{1}“. Schreiben Sie alle gleich.',
  ],
  ['keepKeys can only be used for new records', 'keepKeys gilt nur für neue Datensätze'],
  [
    "keepKeys is not possible: '{0}' assigns the keys of new records itself",
    'keepKeys ist nicht möglich: „{0}“ vergibt die Schlüssel neuer Datensätze selbst',
  ],
  [
    "keepKeys is not possible: '{0}' assigns the numbers of new records itself",
    'keepKeys ist nicht möglich: „{0}“ vergibt die Nummern neuer Datensätze selbst',
  ],
  [
    "The server assigns '{0}'. Send keepKeys=true or no values.",
    '„{0}“ vergibt der Server. Senden Sie keepKeys=true oder lassen Sie die Werte leer.',
  ],
  [
    "The server assigns the key '{0}'. Send keepKeys=true or no values.",
    'Den Schlüssel „{0}“ vergibt der Server. Senden Sie keepKeys=true oder lassen Sie die ' +
      'Werte leer.',
  ],
  [
    '{0} is still running for this record. End it there first.',
    '{0} läuft noch für diesen Datensatz. Beenden Sie es dort zuerst.',
  ],
  [
    'Only System can import history. Leave out takeover, or ask a System user.',
    'Nur System kann Altbestand übernehmen. Lassen Sie takeover weg oder fragen Sie einen ' +
      'System-Benutzer.',
  ],
  [
    '{0} must be the company you are signed in to',
    '{0} muss die Firma sein, in der Sie angemeldet sind',
  ],
  [
    'Cell {0} holds the error {1}. Correct it in the spreadsheet.',
    'Zelle {0} enthält den Fehler {1}. Bitte in der Tabelle berichtigen.',
  ],
  ['The cell holds the error {0}', 'Die Zelle enthält den Fehler {0}'],
  [
    "'{0}' can only come with new records. Import it as a file of its own.",
    '„{0}“ kann nur mit neuen Datensätzen kommen. Importieren Sie es als eigene Datei.',
  ],
  [
    "An extension checks '{0}'. Import it as a file of its own.",
    '„{0}“ wird von einer Erweiterung geprüft. Importieren Sie es als eigene Datei.',
  ],
  [
    'The record on line {0} has more than {1} lines',
    'Der Datensatz in Zeile {0} hat mehr als {1} Positionen',
  ],
  [
    "An export can have the lines of one detail. Leave out '{0}'.",
    'Ein Export kann die Positionen nur eines Details haben. Lassen Sie „{0}“ weg.',
  ],
  [
    "'{0}' cannot be exported with its records",
    '„{0}“ kann nicht mit seinen Datensätzen exportiert werden',
  ],
  [
    'The row has more cells than the header ({0})',
    'Die Zeile hat mehr Zellen als die Kopfzeile ({0})',
  ],
  ['{0}: more than one record has this name', '{0}: mehr als ein Datensatz hat diesen Namen'],
  [
    '{0} must not start or end with blanks and must be normalized (Unicode NFC)',
    '{0} darf nicht mit Leerzeichen beginnen oder enden und muss normalisiert sein ' +
      '(Unicode NFC)',
  ],
  [
    'You already have {0} imports waiting. Please try again later.',
    'Es warten bereits {0} Ihrer Importe. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'The files of your waiting imports are limited to {0} KB',
    'Die Dateien Ihrer wartenden Importe dürfen höchstens {0} KB belegen',
  ],
  ['Error', 'Fehler'],
  [
    '{0} rows have errors. Nothing was imported.',
    '{0} Zeilen haben Fehler. Es wurde nichts importiert.',
  ],
  ['1 row has errors. Nothing was imported.', '1 Zeile hat Fehler. Es wurde nichts importiert.'],
  [
    'The form must send objectName before the file',
    'Das Formular muss objectName vor der Datei senden',
  ],
  ['{0} must be one of: {1}', '{0} muss eines von diesen sein: {1}'],
  ['keyFields must be a list of field names', 'keyFields muss eine Liste von Feldnamen sein'],
  [
    'mapping must be a JSON object of column headers and field names',
    'mapping muss ein JSON-Objekt aus Spaltenköpfen und Feldnamen sein',
  ],
  ['{0} is not valid JSON', '{0} ist kein gültiges JSON'],
  [
    'Records changed during the import. Nothing was imported. Please try again.',
    'Während des Imports haben sich Datensätze geändert. Es wurde nichts importiert. Bitte ' +
      'versuchen Sie es noch einmal.',
  ],
  [
    "The file has no column '{0}'. New records need it as their key.",
    'Die Datei hat keine Spalte „{0}“. Neue Datensätze brauchen sie als Schlüssel.',
  ],
  [
    'The file has no column that can be imported',
    'Die Datei hat keine Spalte, die sich importieren lässt',
  ],
  [
    "Column '{0}' matches several fields. Rename it to one of: {1}",
    'Die Spalte „{0}“ passt zu mehreren Feldern. Benennen Sie sie um in eines von diesen: {1}',
  ],
  ['{0}: more than one option has this name', '{0}: mehr als eine Option hat diesen Namen'],
  ["The column '{0}' is there twice", 'Die Spalte „{0}“ ist doppelt vorhanden'],
  ["'{0}' has no field '{1}'", '„{0}“ hat kein Feld „{1}“'],
  ["keyFields: '{0}' is not a stored field", 'keyFields: „{0}“ ist kein gespeichertes Feld'],
  [
    "keyFields: '{0}' matches several fields. Use one of: {1}",
    'keyFields: „{0}“ passt zu mehreren Feldern. Verwenden Sie eines von: {1}',
  ],
  [
    'The file has no key column. Name the fields that identify a record in keyFields.',
    'Die Datei hat keine Schlüsselspalte. Nennen Sie in keyFields die Felder, die einen ' +
      'Datensatz bestimmen.',
  ],
  ["keyFields: the file has no column '{0}'", 'keyFields: Die Datei hat keine Spalte „{0}“'],
  [
    'An earlier row of the file has the same record',
    'Eine frühere Zeile der Datei enthält denselben Datensatz',
  ],
  ['This matches more than one record', 'Das trifft auf mehr als einen Datensatz zu'],
  ['There is no such {0}', 'Diesen Eintrag gibt es nicht: {0}'],
  [
    'The record has changed since the file was made',
    'Der Datensatz hat sich geändert, seit die Datei entstand',
  ],
  [
    'There is no such import, or it can no longer be undone',
    'Diesen Import gibt es nicht, oder er lässt sich nicht mehr rückgängig machen',
  ],
  [
    'The import cannot be undone: the object has changed since',
    'Der Import lässt sich nicht rückgängig machen: das Objekt hat sich seither geändert',
  ],
  ['This import has already been undone', 'Dieser Import wurde bereits rückgängig gemacht'],
  [
    'The import cannot be undone: {0} records have changed since',
    'Der Import lässt sich nicht rückgängig machen: {0} Datensätze haben sich seither ' +
      'geändert',
  ],
  [
    'The import cannot be undone: 1 record has changed since',
    'Der Import lässt sich nicht rückgängig machen: 1 Datensatz hat sich seither geändert',
  ],
  [
    'There is a value in a column without a header',
    'In einer Spalte ohne Überschrift steht ein Wert',
  ],
  ['{0} is already in use', '{0} ist bereits vergeben'],
  [
    '{0} refers to a record that does not exist',
    '{0} verweist auf einen Datensatz, den es nicht gibt',
  ],
  ['{0}: there is no such {1}', '{0}: diesen Eintrag gibt es nicht ({1})'],
  [
    '{0}: a record cannot be placed below itself',
    '{0}: ein Datensatz kann nicht unter sich selbst stehen',
  ],
  [
    'The record violates a rule on data that is hidden from you',
    'Der Datensatz verletzt eine Regel zu Daten, die Ihnen verborgen sind',
  ],
  ['There is no action with this name', 'Eine Aktion mit diesem Namen gibt es nicht'],
  ['There is no such record', 'Diesen Datensatz gibt es nicht'],
  ["'{0}' is read-only", "'{0}' ist schreibgeschützt"],
  [
    "'{0}' only opens another page and cannot be run here",
    "'{0}' öffnet nur eine andere Seite und lässt sich hier nicht ausführen",
  ],
  [
    'Not saved: you would lose access to this record',
    'Nicht gespeichert: Sie würden den Zugriff auf diesen Datensatz verlieren',
  ],
  [
    'The state of the record has changed, so this is no longer possible',
    'Der Zustand des Datensatzes hat sich geändert, deshalb geht das nicht mehr',
  ],
  [
    'The record was changed by someone else. Reload it and try again.',
    'Der Datensatz wurde von jemand anderem geändert. Bitte laden Sie ihn neu und ' +
      'versuchen Sie es noch einmal.',
  ],
  [
    '{0} is missing. Send the value that the record was loaded with.',
    '{0} fehlt. Senden Sie den Wert, mit dem der Datensatz geladen wurde.',
  ],
  [
    'The server assigns the key of a new record. Leave it out.',
    'Den Schlüssel eines neuen Datensatzes vergibt der Server. Lassen Sie ihn weg.',
  ],
  ['{0} {1}', '{0} {1}'],
  ['{0}, {1}', '{0}, {1}'],
  [
    'Not deleted: other records refer to it ({0})',
    'Nicht gelöscht: andere Datensätze verweisen darauf ({0})',
  ],
  [
    'Other records refer to this one, or it refers to one that is not there',
    'Andere Datensätze verweisen auf diesen, oder er verweist auf einen, den es nicht gibt',
  ],
  [
    "The Insert of '{0}' did not create a record",
    "Das Insert von '{0}' hat keinen Datensatz angelegt",
  ],
  [
    'The events of this change trigger each other more than {0} times',
    'Die Ereignisse dieser Änderung lösen einander mehr als {0}-mal aus',
  ],
  ['Parameters must contain the key: {0}', 'Parameters muss den Schlüssel enthalten: {0}'],
  [
    "Parameter '{0}' must be text, a number or a boolean",
    "Parameter '{0}' muss ein Text, eine Zahl oder ein Wahrheitswert sein",
  ],
  ["Unknown preset '{0}'", "Unbekannte Voreinstellung '{0}'"],
  ["Unknown detail '{0}'", "Unbekanntes Detail '{0}'"],
  [
    "Detail '{0}': at most {1} rows can be saved at once",
    "Detail '{0}': höchstens {1} Zeilen lassen sich auf einmal speichern",
  ],
  [
    'An action can run on at most {0} rows at once',
    'Eine Aktion lässt sich auf höchstens {0} Zeilen auf einmal ausführen',
  ],
  ['OnConflict must be merge or left out', 'OnConflict muss merge sein oder fehlen'],
  [
    'FormLoadTime must be an instant like 2030-07-01T08:00:00Z',
    'FormLoadTime muss ein Zeitpunkt wie 2030-07-01T08:00:00Z sein',
  ],
  ['Page must be 1 or more', 'Page muss mindestens 1 sein'],
  ['Page is too large', 'Page ist zu groß'],
  ['PageSize must be between 1 and {0}', 'PageSize muss zwischen 1 und {0} liegen'],
  [
    'CountMode must be one of: exact, bounded, none',
    'CountMode muss eines von diesen sein: exact, bounded, none',
  ],
  ['SearchText can have at most {0} characters', 'SearchText darf höchstens {0} Zeichen haben'],
  [
    'SearchText contains characters that cannot be searched for',
    'SearchText enthält Zeichen, nach denen sich nicht suchen lässt',
  ],
  [
    "Sort by '{0}': a list of keys cannot be sorted",
    "Sortierung nach '{0}': eine Liste von Schlüsseln lässt sich nicht sortieren",
  ],
  [
    'The cursor does not belong to this grid and sort',
    'Der Cursor gehört nicht zu dieser Tabelle und Sortierung',
  ],
  [
    'Filters can be nested at most {0} levels deep',
    'Filter lassen sich höchstens {0} Ebenen tief verschachteln',
  ],
  [
    'The Filters of a filter group must be a list',
    'Die Filters einer Filtergruppe müssen eine Liste sein',
  ],
  [
    'The Logic of a filter group must be one of: and, or',
    'Die Logic einer Filtergruppe muss eines von diesen sein: and, or',
  ],
  [
    'A request can have at most {0} filter conditions',
    'Eine Anfrage darf höchstens {0} Filterbedingungen haben',
  ],
  [
    'A filter must be an object with Field, Operator and Value',
    'Ein Filter muss ein Objekt mit Field, Operator und Value sein',
  ],
  ['A filter needs a Field', 'Ein Filter braucht ein Field'],
  ["Filter on '{0}': unknown operator '{1}'", "Filter auf '{0}': unbekannter Operator '{1}'"],
  ["Filter on '{0}': unknown date word '{1}'", "Filter auf '{0}': unbekanntes Datumswort '{1}'"],
  ["Filter on '{0}': {1}: {2}", "Filter auf '{0}': {1}: {2}"],
  ['needs a single value, not a list', 'braucht einen einzelnen Wert, keine Liste'],
  ['needs a value', 'braucht einen Wert'],
  ['cannot be used with lists of keys', 'lässt sich nicht mit Listen von Schlüsseln verwenden'],
  [
    "Filter on '{0}': the part of a date must be one of: {1}",
    "Filter auf '{0}': der Teil eines Datums muss einer von diesen sein: {1}",
  ],
  ["Filter on '{0}': only dates have a {1}", "Filter auf '{0}': nur ein Datum hat {1}"],
  [
    "Filter on '{0}': a date without time has no {1}",
    "Filter auf '{0}': ein Datum ohne Uhrzeit hat kein {1}",
  ],
  ['cannot be used with ValueField', 'lässt sich nicht mit ValueField verwenden'],
  ["ValueField '{0}' has values of another kind", 'ValueField „{0}“ hat Werte anderer Art'],
  [
    'the values can only be compared with eq and ne',
    'die Werte lassen sich nur mit eq und ne vergleichen',
  ],
  ['ValueField must be the name of a field', 'ValueField muss der Name eines Feldes sein'],
  ['takes a Value or a ValueField, not both', 'nimmt Value oder ValueField, nicht beides'],
  ['can only be used with text fields', 'lässt sich nur mit Textfeldern verwenden'],
  [
    'The request has more than {0} unknown members',
    'Die Anfrage hat mehr als {0} unbekannte Felder',
  ],
  ["Unknown member '{0}'. Did you mean {1}?", 'Unbekanntes Feld „{0}“. Meinten Sie {1}?'],
  ['needs a text', 'braucht einen Text'],
  ['can have at most {0} characters', 'darf höchstens {0} Zeichen haben'],
  ['the value is not valid for the field', 'der Wert ist für das Feld nicht gültig'],
  ['needs a list', 'braucht eine Liste'],
  ['can have at most {0} values', 'darf höchstens {0} Werte haben'],
  ['needs a list of two values', 'braucht eine Liste von zwei Werten'],
  ['{0} must be a list of keys', '{0} muss eine Liste von Schlüsseln sein'],
  ['{0} can have at most {1} keys', '{0} darf höchstens {1} Schlüssel haben'],
  ['This object is read-only', 'Dieses Objekt ist schreibgeschützt'],
  ['This object has no view with this name', 'Dieses Objekt hat keine Ansicht mit diesem Namen'],
  [
    'There is no file field with this name that you can upload to here',
    'Ein Dateifeld mit diesem Namen, in das Sie hochladen können, gibt es hier nicht',
  ],
  ['{0}: the file type must be one of: {1}', '{0}: der Dateityp muss einer von diesen sein: {1}'],
  [
    'A file does not exist or has expired. Please upload it again.',
    'Eine Datei gibt es nicht, oder sie ist abgelaufen. Bitte laden Sie sie noch einmal hoch.',
  ],
  ['There is no such sequence', 'Diesen Nummernkreis gibt es nicht'],
  [
    'Set SequenceName, or FormName and FieldName',
    'Geben Sie SequenceName an, oder FormName und FieldName',
  ],
  [
    'You have already reserved {0} numbers of this sequence. Use them first.',
    'Sie haben bereits {0} Nummern dieses Nummernkreises reserviert. Verwenden Sie zuerst ' +
      'diese.',
  ],
  [
    'The result has more than {0} rows (Svc:Results:MaxRows)',
    'Das Ergebnis hat mehr als {0} Zeilen (Svc:Results:MaxRows)',
  ],
  [
    'The response is over {0} bytes (Svc:Results:MaxBytes). Load fewer rows or Fields.',
    'Die Antwort ist größer als {0} Byte (Svc:Results:MaxBytes). Laden Sie weniger Zeilen ' +
      'oder Fields.',
  ],
  [
    'The result is larger than {0} bytes (Svc:Results:MaxBytes)',
    'Das Ergebnis ist größer als {0} Byte (Svc:Results:MaxBytes)',
  ],
]
