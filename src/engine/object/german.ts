import type { Translations } from '../../kernel/messages.ts'

/** Grids, forms, lookups, submits, imports and exports in German. */
export const OBJECT_GERMAN: Translations = [
  [
    'An extension checks these records: at most {0} at once',
    'Eine Erweiterung prüft diese Datensätze: höchstens {0} auf einmal',
  ],
  ['The file is over {0} KB', 'Die Datei ist größer als {0} KB'],
  ['This object has no fields to export', 'Dieses Objekt hat keine Felder für einen Export'],
  ["Field '{0}' is not exported", 'Feld „{0}“ wird nicht exportiert'],
  ['This object takes no imports', 'Dieses Objekt nimmt keine Importe an'],
  ['A list of keys, like [1, 2]', 'Eine Liste von Schlüsseln, wie [1, 2]'],
  ['One of these:', 'Eines davon:'],
  ['What a record is called', 'Wie ein Datensatz heißt'],
  [
    'The formula has no stored value: open the file in a spreadsheet and save it',
    'Die Formel hat keinen gespeicherten Wert: in einer Tabellenkalkulation speichern',
  ],
  ['{0}: rows point to each other in a circle', '{0}: Zeilen verweisen im Kreis aufeinander'],
  ['{0}: import this record before this row', '{0}: Diesen Datensatz vor dieser Zeile importieren'],
  [
    "culture: '{0}' is unknown; it is one like de-DE or en-US",
    'culture: „{0}“ ist unbekannt; gemeint ist etwas wie de-DE oder en-US',
  ],
  [
    "{0}: '{1}' may begin with day or month: send culture, as en-GB",
    '{0}: „{1}“ kann mit Tag oder Monat beginnen: culture senden, etwa en-GB',
  ],
  [
    "One column has days as '{0}' and as '{1}': write them in one order",
    'Eine Spalte hat Tage wie „{0}“ und wie „{1}“: alle in einer Reihenfolge schreiben',
  ],
  ['keepKeys is for new records alone', 'keepKeys gilt nur für neue Datensätze'],
  [
    "keepKeys: '{0}' gives new records keys of its own",
    'keepKeys: „{0}“ gibt neuen Datensätzen eigene Schlüssel',
  ],
  [
    "keepKeys: '{0}' gives new records numbers of its own",
    'keepKeys: „{0}“ gibt neuen Datensätzen eigene Nummern',
  ],
  [
    "The server gives the numbers of '{0}': send keepKeys=true, or no values",
    'Die Nummern von „{0}“ vergibt der Server: keepKeys=true senden, oder keine Werte',
  ],
  [
    "The server gives the key '{0}': send keepKeys=true, or no values",
    'Den Schlüssel „{0}“ vergibt der Server: keepKeys=true senden, oder keine Werte',
  ],
  [
    '{0} is running on this record: end it there first',
    '{0} läuft auf diesem Datensatz: dort zuerst beenden',
  ],
  [
    'Only System may take history over: leave takeover out, or ask System',
    'Nur System darf Altbestand übernehmen: takeover weglassen, oder System bitten',
  ],
  [
    '{0} must be the company that you are signed in to',
    '{0} muss die Firma sein, in der Sie angemeldet sind',
  ],
  ['The row has {0} cells, and the head {1}', 'Die Zeile hat {0} Zellen, der Kopf {1}'],
  [
    'The row has more cells than the head, which has {0}',
    'Die Zeile hat mehr Zellen als der Kopf, der {0} hat',
  ],
  ['{0}: more than one record is called so', '{0}: So heißt mehr als ein Datensatz'],
  ['The file is empty', 'Die Datei ist leer'],
  [
    '{0} must have no blanks at its ends and be in Unicode’s form NFC',
    '{0} darf keine Leerzeichen am Anfang und Ende haben und muss in Unicodes Form NFC stehen',
  ],
  ['At most {0} imports of yours may wait', 'Höchstens {0} Ihrer Importe dürfen warten'],
  [
    'The files of your waiting imports may take {0} KB',
    'Die Dateien Ihrer wartenden Importe dürfen {0} KB belegen',
  ],
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
  [
    "The head '{0}' says more than one field: write one of {1}",
    'Der Kopf „{0}“ meint mehr als ein Feld: eines davon schreiben: {1}',
  ],
  ['{0}: more than one option is called so', '{0}: mehr als eine Option heißt so'],
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
  ['{0} is in use already', '{0} ist schon vergeben'],
  [
    '{0} points to a record that is not there',
    '{0} verweist auf einen Datensatz, den es nicht gibt',
  ],
  ['{0}: there is no such {1}', '{0}: so etwas gibt es nicht ({1})'],
  [
    '{0}: a record cannot stand below itself',
    '{0}: ein Datensatz kann nicht unter sich selbst stehen',
  ],
  [
    'The record breaks a rule of something that is not shown to you',
    'Der Datensatz verletzt eine Regel zu etwas, das Ihnen nicht gezeigt wird',
  ],
  ['No action of this name', 'Keine Aktion dieses Namens'],
  ['No such record', 'Diesen Datensatz gibt es nicht'],
  ["'{0}' is read-only", "'{0}' ist schreibgeschützt"],
  ["'{0}' opens something and runs nothing here", "'{0}' öffnet etwas und führt hier nichts aus"],
  [
    'The record would leave the rows that you may see',
    'Der Datensatz läge außerhalb der Zeilen, die Sie sehen dürfen',
  ],
  [
    'The record is no longer in the state that this needs',
    'Der Datensatz ist nicht mehr in dem Zustand, den das verlangt',
  ],
  ['The record was changed by someone else', 'Der Datensatz wurde von jemand anderem geändert'],
  [
    '{0} is missing: send the one that the record was loaded with',
    '{0} fehlt: bitte den Wert senden, mit dem der Datensatz geladen wurde',
  ],
  [
    'The key of a new record is given by the server: leave it out',
    'Den Schlüssel eines neuen Datensatzes vergibt der Server: bitte weglassen',
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
  ["The Insert of '{0}' made no record", "Das Insert von '{0}' hat keinen Datensatz angelegt"],
  [
    'What events change raises events again, more than {0} times over',
    'Was Ereignisse ändern, löst wieder Ereignisse aus, mehr als {0}-mal nacheinander',
  ],
  ['Parameters must hold the key: {0}', 'Parameters muss den Schlüssel enthalten: {0}'],
  [
    "Parameter '{0}' must be a text, a number or a boolean",
    "Parameter '{0}' muss ein Text, eine Zahl oder ein Wahrheitswert sein",
  ],
  ["Unknown preset '{0}'", "Unbekannte Voreinstellung '{0}'"],
  ["Unknown detail '{0}'", "Unbekanntes Detail '{0}'"],
  [
    "Detail '{0}' takes at most {1} rows at once",
    "Detail '{0}' nimmt höchstens {1} Zeilen auf einmal",
  ],
  ['An action takes at most {0} rows at once', 'Eine Aktion nimmt höchstens {0} Zeilen auf einmal'],
  ['OnConflict is merge, or left out', 'OnConflict ist merge oder fehlt'],
  ['FormLoadTime is no instant', 'FormLoadTime ist kein Zeitpunkt'],
  ['Page begins at 1', 'Page beginnt bei 1'],
  ['Page is too large', 'Page ist zu groß'],
  ['PageSize is from 1 to {0}', 'PageSize liegt zwischen 1 und {0}'],
  ['CountMode is exact, bounded or none', 'CountMode ist exact, bounded oder none'],
  ['SearchText has at most {0} characters', 'SearchText hat höchstens {0} Zeichen'],
  ['SearchText is no valid text', 'SearchText ist kein gültiger Text'],
  [
    "Sort of '{0}': a list of keys has no order",
    "Sortierung nach '{0}': eine Liste von Schlüsseln hat keine Reihenfolge",
  ],
  [
    'The cursor does not belong to this grid and sort',
    'Der Cursor gehört nicht zu dieser Tabelle und Sortierung',
  ],
  ['Filters nest to {0} at most', 'Filter lassen sich höchstens {0}-fach verschachteln'],
  ['Filters of a group is a list', 'Filters einer Gruppe ist eine Liste'],
  ['Logic of a filter group is and or or', 'Logic einer Filtergruppe ist and oder or'],
  [
    'A request takes at most {0} filter conditions',
    'Eine Anfrage nimmt höchstens {0} Filterbedingungen',
  ],
  [
    'A filter is an object with Field, Operator and Value',
    'Ein Filter ist ein Objekt mit Field, Operator und Value',
  ],
  ['A filter names its Field', 'Ein Filter nennt sein Field'],
  ["Filter on '{0}': unknown operator '{1}'", "Filter auf '{0}': unbekannter Operator '{1}'"],
  ["Filter on '{0}': unknown date word '{1}'", "Filter auf '{0}': unbekanntes Datumswort '{1}'"],
  ["Filter on '{0}': {1}: {2}", "Filter auf '{0}': {1}: {2}"],
  ['takes one value, not a list', 'nimmt einen Wert, keine Liste'],
  ['needs a value', 'braucht einen Wert'],
  ['is not for lists of keys', 'ist nicht für Listen von Schlüsseln'],
  ['is for text fields', 'ist für Textfelder'],
  [
    '{0} is no member of this request; write {1}',
    '{0} gibt es in dieser Anfrage nicht; schreiben Sie {1}',
  ],
  ['takes a text', 'nimmt einen Text'],
  ['takes at most {0} characters', 'nimmt höchstens {0} Zeichen'],
  ['the value does not fit the field', 'der Wert passt nicht zum Feld'],
  ['takes a list', 'nimmt eine Liste'],
  ['takes at most {0} values', 'nimmt höchstens {0} Werte'],
  ['takes a list of two values', 'nimmt eine Liste von zwei Werten'],
  ['{0} takes a list of keys', '{0} nimmt eine Liste von Schlüsseln'],
  ['{0} takes at most {1} keys', '{0} nimmt höchstens {1} Schlüssel'],
  ['This object is read-only', 'Dieses Objekt ist nur zu lesen'],
  ['No view of this object has this name', 'Keine Ansicht dieses Objekts hat diesen Namen'],
  [
    'No file field of this name can be filled here',
    'Hier lässt sich kein Dateifeld dieses Namens füllen',
  ],
  ['{0} takes {1} only', '{0} nimmt nur {1}'],
  [
    'A file is not there, or has expired: upload it again',
    'Eine Datei ist nicht da oder abgelaufen: bitte noch einmal hochladen',
  ],
  ['There is no such sequence', 'Diesen Nummernkreis gibt es nicht'],
  [
    'Name the sequence: SequenceName, or FormName and FieldName',
    'Nennen Sie den Nummernkreis: SequenceName, oder FormName und FieldName',
  ],
  [
    'You have {0} numbers of this sequence reserved: use them first',
    'Sie haben {0} Nummern dieses Nummernkreises vorgemerkt: verwenden Sie zuerst diese',
  ],
  [
    'The result has more than {0} rows (Svc:Results:MaxRows)',
    'Das Ergebnis hat mehr als {0} Zeilen (Svc:Results:MaxRows)',
  ],
  [
    'The answer is over {0} bytes (Svc:Results:MaxBytes): ask for fewer rows or Fields',
    'Die Antwort ist größer als {0} Byte (Svc:Results:MaxBytes): ' +
      'fragen Sie nach weniger Zeilen oder Fields',
  ],
  [
    'The result is over {0} bytes (Svc:Results:MaxBytes)',
    'Das Ergebnis ist größer als {0} Byte (Svc:Results:MaxBytes)',
  ],
]
