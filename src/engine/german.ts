import type { Translations } from '../kernel/messages.ts'

/** Texts of the engine's parts in German, without those of objects. */
export const GERMAN: Translations = [
  [
    'The dataset reads data that you have no view for',
    'Die Datenmenge liest Daten, für die Sie keine Ansicht haben',
  ],
  ['The report has {0} errors. The first one: {1}', 'Der Bericht hat {0} Fehler. Der erste: {1}'],
  ['A report cannot change data', 'Ein Bericht kann keine Daten ändern'],
  ["'{0}' returned neither rows nor a file", '„{0}“ hat weder Zeilen noch eine Datei geliefert'],
  ['The report has no draft', 'Der Bericht hat keinen Entwurf'],
  ['The draft no longer exists', 'Der Entwurf existiert nicht mehr'],
  [
    'The draft was changed by {0} at {1}. Reload it and try again.',
    'Der Entwurf wurde von {0} um {1} geändert. Bitte laden Sie ihn neu und versuchen Sie ' +
      'es noch einmal.',
  ],
  [
    'The draft was changed at {0}. Reload it and try again.',
    'Der Entwurf wurde um {0} geändert. Bitte laden Sie ihn neu und versuchen Sie es noch ' +
      'einmal.',
  ],
  ['Another report is already named {0}', 'Ein anderer Bericht heißt bereits {0}'],
  ['The report has an error: {0}', 'Der Bericht hat einen Fehler: {0}'],
  ['The report no longer exists', 'Der Bericht existiert nicht mehr'],
  [
    'The report was changed at {0}. Reload it and try again.',
    'Der Bericht wurde um {0} geändert. Bitte laden Sie ihn neu und versuchen Sie es noch ' +
      'einmal.',
  ],
  [
    'Your report drafts and versions are limited to {0} bytes (Svc:Reports:UserQuota)',
    'Ihre Entwürfe und Fassungen von Berichten dürfen zusammen höchstens {0} Bytes belegen ' +
      '(Svc:Reports:UserQuota)',
  ],
  ['The definition is too large', 'Die Definition ist zu groß'],
  [
    'The versions differ by more than {0} bytes. Load both of them instead.',
    'Die Fassungen unterscheiden sich in mehr als {0} Bytes. Bitte laden Sie stattdessen ' +
      'beide.',
  ],
  [
    'The report was changed by {0} at {1}. Reload it and try again.',
    'Der Bericht wurde von {0} um {1} geändert. Bitte laden Sie ihn neu und versuchen Sie ' +
      'es noch einmal.',
  ],
  ['The definition is not valid UTF-8', 'Die Definition ist kein gültiges UTF-8'],
  ['The definition is larger than {0} bytes', 'Die Definition ist größer als {0} Bytes'],
  ['There is no such version', 'Diese Version gibt es nicht'],
  ['There is no such report', 'Diesen Bericht gibt es nicht'],
  [
    'A report can only be mailed within a company',
    'Ein Bericht kann nur innerhalb einer Firma versandt werden',
  ],
  [
    'You do not have the List right for this report',
    'Sie haben nicht das Recht List auf diesem Bericht',
  ],
  [
    'The dataset took longer than {0} ms (Svc:Reports:Timeout)',
    'Die Datenmenge hat länger als {0} ms gebraucht (Svc:Reports:Timeout)',
  ],
  [
    'A row filter of your roles cannot be applied to this dataset',
    'Ein Zeilenfilter Ihrer Rollen lässt sich auf diese Datenmenge nicht anwenden',
  ],
  [
    'Only the first {0} rows are shown (Svc:Reports:MaxRows)',
    'Nur die ersten {0} Zeilen werden angezeigt (Svc:Reports:MaxRows)',
  ],
  [
    'The rows were cut off at {0} bytes (Svc:Results:MaxBytes)',
    'Die Zeilen wurden nach {0} Bytes abgeschnitten (Svc:Results:MaxBytes)',
  ],
  [
    'The compiler stopped unexpectedly. Nothing was changed. Please deploy again.',
    'Der Compiler wurde unerwartet beendet. Es wurde nichts geändert. Bitte spielen Sie ' +
      'das Modell erneut ein.',
  ],
  [
    'The executable was replaced while running. Nothing was changed. Please restart it.',
    'Die Programmdatei wurde im laufenden Betrieb ersetzt. Es wurde nichts geändert. Bitte ' +
      'starten Sie das Programm neu.',
  ],
  ['This is required', 'Das ist erforderlich'],

  ['There is no such role', 'Diese Rolle gibt es nicht'],

  ['The company is closed', 'Die Firma ist geschlossen'],

  ['There is no such upload', 'Diesen Upload gibt es nicht'],
  [
    'Your pending uploads are limited to {0} KB. Remove some first.',
    'Ihre noch nicht gespeicherten Uploads dürfen höchstens {0} KB belegen. Entfernen Sie ' +
      'zuerst einige.',
  ],
  ['Format must be one of: {0}', 'Format muss eines von diesen sein: {0}'],
  [
    '{0} has a text of over {1} characters, too long for a cell. Use csv.',
    '{0} hat einen Text mit über {1} Zeichen, zu lang für eine Zelle. Bitte verwenden Sie ' +
      'csv.',
  ],
  [
    'A formula in the header has no stored value. Save the file in a spreadsheet program.',
    'Eine Formel in der Kopfzeile hat keinen gespeicherten Wert. Speichern Sie die Datei ' +
      'in einer Tabellenkalkulation.',
  ],
  [
    'You have reached the limit of {0} exported files (Svc:Exports:UserFiles)',
    'Sie haben die Grenze von {0} exportierten Dateien erreicht (Svc:Exports:UserFiles)',
  ],
  [
    'Your exported files are limited to {0} KB (Svc:Exports:UserQuota)',
    'Ihre exportierten Dateien dürfen höchstens {0} KB belegen (Svc:Exports:UserQuota)',
  ],
  [
    'The quotation mark on line {0} is not closed',
    'Das Anführungszeichen in Zeile {0} wird nicht geschlossen',
  ],
  ['A cell on line {0} is too long', 'Eine Zelle in Zeile {0} ist zu lang'],
  ['Line {0} has too many cells', 'Zeile {0} hat zu viele Zellen'],
  ['Line {0} is not a JSON object', 'Zeile {0} ist kein JSON-Objekt'],
  ['Line {0} holds more than {1} values', 'Zeile {0} hat mehr als {1} Werte'],
  ['Line {0} is too long', 'Zeile {0} ist zu lang'],
  [
    "Line {0} has the member '{1}', which the first line does not have",
    'Zeile {0} hat das Feld „{1}“, das in der ersten Zeile fehlt',
  ],
  [
    'Unknown file type. Set the format to one of: {0}',
    'Unbekannte Dateiart. Geben Sie eines dieser Formate an: {0}',
  ],
  ['The file is not a text file', 'Die Datei ist keine Textdatei'],
  [
    'The file is {0}. Put its rows into a table and save that as xlsx or csv.',
    'Die Datei ist {0}. Übernehmen Sie die Zeilen in eine Tabelle und speichern Sie diese als ' +
      'xlsx oder csv.',
  ],
  [
    'The file is {0}. Open it in a spreadsheet program and save it as xlsx or csv.',
    'Die Datei ist {0}. Öffnen Sie sie in einer Tabellenkalkulation und speichern Sie sie als ' +
      'xlsx oder csv.',
  ],
  [
    'The file is an archive. Unpack it and send the table that is inside.',
    'Die Datei ist ein Archiv. Entpacken Sie es und senden Sie die Tabelle darin.',
  ],
  ['a picture', 'ein Bild'],
  ['an HTML page', 'eine HTML-Seite'],
  ['a text document', 'ein Textdokument'],
  ['a presentation', 'eine Präsentation'],
  ['a document of Apple Numbers or Pages', 'ein Dokument von Apple Numbers oder Pages'],
  ['a PDF document', 'ein PDF-Dokument'],
  ['a SQLite database', 'eine SQLite-Datenbank'],
  ['a SYLK file', 'eine SYLK-Datei'],
  ['an XML file', 'eine XML-Datei'],
  ['The file is empty', 'Die Datei ist leer'],
  ['The file is not a readable workbook', 'Die Datei ist keine lesbare Arbeitsmappe'],
  [
    'The workbook has no such sheet. Choose one of those that it has.',
    'Die Arbeitsmappe hat kein solches Blatt. Wählen Sie eines, das sie hat.',
  ],
  [
    'cells must be a JSON object of lines, each an object of column headers and texts',
    'cells muss ein JSON-Objekt aus Zeilen sein, jede ein Objekt aus Spaltenüberschriften und ' +
      'Texten',
  ],
  [
    'The workbook is encrypted. Save it without a password and try again.',
    'Die Arbeitsmappe ist verschlüsselt. Speichern Sie sie ohne Kennwort und versuchen Sie ' +
      'es noch einmal.',
  ],
  [
    'The workbook is too large or too complex to read',
    'Die Arbeitsmappe ist zu groß oder zu komplex, um sie zu lesen',
  ],
  ['There is no object with this name', 'Ein Objekt mit diesem Namen gibt es nicht'],
  [
    "'{0}' has no key, so its records cannot be changed",
    '„{0}“ hat keinen Schlüssel, deshalb lassen sich die Datensätze nicht ändern',
  ],
  [
    'This is not possible in the current state of the record',
    'Das ist im aktuellen Zustand des Datensatzes nicht möglich',
  ],
  ["Parameter '{0}': {1}", "Parameter '{0}': {1}"],
  ["Unknown field '{0}'", "Unbekanntes Feld '{0}'"],
  ['You can sort by at most {0} fields', 'Sie können nach höchstens {0} Feldern sortieren'],
  [
    "Sort by '{0}': the direction must be asc or desc",
    "Sortierung nach '{0}': die Richtung muss asc oder desc sein",
  ],
  [
    "The result of '{0}' is longer than {1} characters",
    'Das Ergebnis von „{0}“ ist länger als {1} Zeichen',
  ],
  [
    "'{0}' exited unexpectedly. See the server log for the reason.",
    '„{0}“ wurde unerwartet beendet. Der Grund steht im Protokoll des Servers.',
  ],
  [
    'The query returns more than {0} rows. Please narrow it down.',
    'Die Abfrage liefert mehr als {0} Zeilen. Bitte grenzen Sie sie ein.',
  ],
  ['SQL can have at most {0} characters', 'SQL darf höchstens {0} Zeichen haben'],
  [
    "'{0}' took longer than {1} seconds and was stopped",
    '„{0}“ hat länger als {1} Sekunden gebraucht und wurde beendet',
  ],
  [
    "'{0}' used over {1} MB and was stopped",
    '„{0}“ hat mehr als {1} MB Speicher gebraucht und wurde beendet',
  ],
  ["'{0}' failed: {1}", '„{0}“ ist fehlgeschlagen: {1}'],
  [
    "'{0}' failed. See the server log for the reason.",
    '„{0}“ ist fehlgeschlagen. Der Grund steht im Protokoll des Servers.',
  ],
  [
    'Parameters can have at most {0} characters as JSON',
    'Parameters dürfen als JSON höchstens {0} Zeichen haben',
  ],
  ['The request is not valid: {0}', 'Die Anfrage ist nicht gültig: {0}'],
  ['This is not a valid procedure name', 'Das ist kein gültiger Prozedurname'],
  ['There is no such procedure', 'Diese Prozedur gibt es nicht'],
  ['Parameters can have at most {0} characters', 'Parameters dürfen höchstens {0} Zeichen haben'],
  ['Limit must be between 1 and {0}', 'Limit muss zwischen 1 und {0} liegen'],
  ['GroupBy can have at most {0} fields', 'GroupBy darf höchstens {0} Felder haben'],
  [
    'A query can use at most {0} fields of referenced records',
    'Eine Abfrage kann höchstens {0} Felder verbundener Datensätze verwenden',
  ],
  ['A query can follow at most {0} references', 'Eine Abfrage kann höchstens {0} Verweisen folgen'],
  ['A query can have at most {0} Aggregates', 'Eine Abfrage darf höchstens {0} Aggregates haben'],
  [
    "The result has two columns named '{0}'. Rename one of them with As.",
    'Das Ergebnis hat zwei Spalten mit dem Namen „{0}“. Benennen Sie eine mit As um.',
  ],
  [
    "GroupBy of '{0}': a list or a document cannot be grouped",
    'GroupBy von „{0}“: nach einer Liste oder einem Dokument lässt sich nicht gruppieren',
  ],
  [
    "GroupBy of '{0}': the part of a date must be one of: {1}",
    'GroupBy von „{0}“: der Teil eines Datums muss einer von diesen sein: {1}',
  ],
  [
    "GroupBy of '{0}': {1} has no Period; name the date before it",
    'GroupBy von „{0}“: {1} hat keine Period; nennen Sie das Datum davor',
  ],
  [
    'A query can have at most {0} conditions in Having',
    'Eine Abfrage darf in Having höchstens {0} Bedingungen haben',
  ],
  [
    "Having of '{0}': it must name an aggregate of this query",
    'Having von „{0}“: es muss ein Aggregat dieser Abfrage nennen',
  ],
  ["Having of '{0}': {1} takes {2} number(s)", 'Having von „{0}“: {1} nimmt {2} Zahl(en)'],
  [
    'Having: the Operator must be one of: {0}',
    'Having: der Operator muss einer von diesen sein: {0}',
  ],
  [
    'Having needs GroupBy or Aggregates: Filters narrow rows',
    'Having braucht GroupBy oder Aggregates: Zeilen grenzen Filters ein',
  ],
  [
    'With and Without can name at most {0} objects together',
    'With und Without dürfen zusammen höchstens {0} Objekte nennen',
  ],
  [
    'With and Without: rows of {0} cannot be referred to',
    'With und Without: auf Zeilen von {0} kann nichts verweisen',
  ],
  [
    "{0}: there is no object '{1}' that you may list",
    '{0}: es gibt kein Objekt „{1}“, das Sie auflisten dürfen',
  ],
  [
    "{0}: '{1}' needs Parameters: ask it by itself",
    '{0}: „{1}“ braucht Parameters: fragen Sie es für sich ab',
  ],
  ["{0}: {1} of '{2}' names no row of {3}", '{0}: {1} von „{2}“ nennt keine Zeile von {3}'],
  [
    "GroupBy of '{0}': only dates can be grouped by a part",
    'GroupBy von „{0}“: nur ein Datum lässt sich nach einem Teil gruppieren',
  ],
  [
    "GroupBy of '{0}': a date without time has no {1}",
    'GroupBy von „{0}“: ein Datum ohne Uhrzeit hat keinen Teil {1}',
  ],
  [
    'The Function of an aggregate must be one of: {0}',
    'Die Function eines Aggregats muss eine von diesen sein: {0}',
  ],
  ['The aggregate {0} needs a Field', 'Das Aggregat {0} braucht ein Field'],
  ['{0} cannot have Per: only avg can', '{0} kann kein Per haben, nur avg'],
  [
    "{0} of '{1}': not available for this type of field",
    '{0} von „{1}“: für ein Feld dieses Typs gibt es die Funktion nicht',
  ],
  [
    'As must start with a letter, followed by letters, digits or underscores',
    'As muss mit einem Buchstaben beginnen, danach folgen Buchstaben, Ziffern oder ' +
      'Unterstriche',
  ],
  [
    'A query with GroupBy or Aggregates cannot have Fields',
    'Eine Abfrage mit GroupBy oder Aggregates kann keine Fields haben',
  ],

  ['It took too long to create the document', 'Das Dokument zu erstellen hat zu lange gedauert'],
  [
    'Creating the document took too much memory',
    'Das Dokument zu erstellen hat zu viel Speicher gebraucht',
  ],
  ['The document could not be created', 'Das Dokument konnte nicht erstellt werden'],
  [
    'The document has more than {0} pages. Narrow it down and try again.',
    'Das Dokument hat mehr als {0} Seiten. Grenzen Sie es ein und versuchen Sie es noch ' +
      'einmal.',
  ],

  ['There is no such notification', 'Diese Benachrichtigung gibt es nicht'],
  [
    'A digest can only be sent within a company',
    'Eine Zusammenfassung kann nur innerhalb einer Firma versandt werden',
  ],
  ['and {0} more', 'und {0} weitere'],
  ['Unread notifications: {0}', 'Ungelesene Benachrichtigungen: {0}'],
  ['There is no such webhook', 'Diesen Webhook gibt es nicht'],
  ['There is no such delivery', 'Diese Zustellung gibt es nicht'],
  ['There is no such recurring job', 'Diesen wiederkehrenden Auftrag gibt es nicht'],
  ['More errors: {0}', 'Weitere Fehler: {0}'],

  ['See the server log for the reason', 'Der Grund steht im Protokoll des Servers'],

  ['A webhook was turned off: {0}', 'Ein Webhook wurde abgeschaltet: {0}'],
  ['The receiver no longer exists (410)', 'Den Empfänger gibt es nicht mehr (410)'],
  ['It accepted nothing for five days', 'Er hat fünf Tage lang nichts angenommen'],

  ['There is no job named {0}', 'Einen Auftrag mit dem Namen {0} gibt es nicht'],

  ['Subscription {0}: {1}', 'Anmeldung {0}: {1}'],
  ['The push service answered with status {0}', 'Der Push-Dienst hat mit Status {0} geantwortet'],
  ['The receiver answered with status {0}', 'Der Empfänger hat mit Status {0} geantwortet'],
  ['Messages', 'Nachrichten'],
  ['Exports', 'Exporte'],
  ['Imports', 'Importe'],
  ['Reports', 'Berichte'],
  ['Tasks', 'Aufgaben'],
  ['Webhooks', 'Webhooks'],
  ['Wizards', 'Assistenten'],
  [
    'The value of a setting can have at most {0} KB',
    'Der Wert einer Einstellung darf höchstens {0} KB haben',
  ],
  [
    'You can keep at most {0} settings. Clear some of them first.',
    'Sie können höchstens {0} Einstellungen behalten. Bitte löschen Sie zuerst einige davon.',
  ],
  [
    'Your settings can have at most {0} KB together. Clear some of them first.',
    'Ihre Einstellungen dürfen zusammen höchstens {0} KB haben. Bitte löschen Sie zuerst ' +
      'einige davon.',
  ],
]
