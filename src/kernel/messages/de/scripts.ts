/** Scripts, procedures, extensions and the explorer. */
export const SCRIPTS: readonly (readonly [english: string, german: string])[] = [
  ["Unknown field '{0}'", "Unbekanntes Feld '{0}'"],
  ['Sort takes at most {0} fields', 'Sort nimmt höchstens {0} Felder'],
  [
    "Sort of '{0}': the direction is asc or desc",
    "Sort nach '{0}': die Richtung ist asc oder desc",
  ],
  ['There is no such script', 'Dieses Skript gibt es nicht'],
  ['type is one of {0}', 'type ist eines von {0}'],
  ['The model has {0} faults, the first: {1}', 'Das Modell hat {0} Fehler, der erste: {1}'],
  [
    'This would lose data; AllowDataLoss lets it happen: {0}',
    'Dabei gingen Daten verloren; AllowDataLoss lässt es zu: {0}',
  ],
  ['{0} is true or false', '{0} ist true oder false'],
  ['{0} is not encoded as UTF-8', '{0} ist nicht als UTF-8 kodiert'],
  ['Files must hold at least one model file', 'Files muss mindestens eine Modelldatei enthalten'],
  [
    'A FileName is a path below the model’s folder',
    'Ein FileName ist ein Pfad unter dem Ordner des Modells',
  ],
  ['{0} is there twice', '{0} ist doppelt vorhanden'],
  [
    "The result of '{0}' is larger than {1} characters",
    'Das Ergebnis von „{0}“ ist größer als {1} Zeichen',
  ],
  [
    "'{0}' ended its process; the server's log has the reason",
    '„{0}“ hat seinen Prozess beendet; der Grund steht im Protokoll des Servers',
  ],
  [
    'A query gives at most {0} rows: narrow it',
    'Eine Abfrage gibt höchstens {0} Zeilen: bitte enger fassen',
  ],
  ['SQL may have {0} characters', 'SQL darf {0} Zeichen haben'],
  [
    "'{0}' took longer than {1} seconds and was ended",
    '„{0}“ hat länger als {1} Sekunden gebraucht und wurde beendet',
  ],
  [
    "'{0}' took more than {1} MB and was ended",
    '„{0}“ hat mehr als {1} MB gebraucht und wurde beendet',
  ],
  ["'{0}' failed: {1}", '„{0}“ ist gescheitert: {1}'],
  [
    "'{0}' failed; the server's log has the reason",
    '„{0}“ ist gescheitert; der Grund steht im Protokoll des Servers',
  ],
  ['Parameters may have {0} characters as JSON', 'Parameters dürfen als JSON {0} Zeichen haben'],
  ['The request is not valid: {0}', 'Die Anfrage ist nicht gültig: {0}'],
  [
    'Background: this engine has no jobs yet; run the script without it',
    'Background: es gibt noch keine Aufträge; bitte das Skript ohne dies ausführen',
  ],
  ['Name is no name of a script', 'Name ist kein Name eines Skripts'],
  ['This is no name of a procedure', 'Das ist kein Name einer Prozedur'],
  ['There is no such procedure', 'Diese Prozedur gibt es nicht'],
  ['Parameters take at most {0} characters', 'Parameter haben höchstens {0} Zeichen'],
  ['Limit is from 1 to {0}', 'Limit liegt zwischen 1 und {0}'],
  ['GroupBy takes at most {0} fields', 'GroupBy nimmt höchstens {0} Felder'],
  ['Aggregates are at most {0}', 'Aggregates sind höchstens {0}'],
  [
    "The result has two columns '{0}': name one by As",
    'Das Ergebnis hat zwei Spalten „{0}“: benennen Sie eine durch As',
  ],
  [
    "GroupBy of '{0}': a list or a document has no groups",
    'GroupBy von „{0}“: eine Liste oder ein Dokument hat keine Gruppen',
  ],
  ["GroupBy of '{0}': a part of a date is {1}", 'GroupBy von „{0}“: ein Teil eines Datums ist {1}'],
  ["GroupBy of '{0}': only a date has parts", 'GroupBy von „{0}“: nur ein Datum hat Teile'],
  ['Function of an aggregate is one of {0}', 'Function eines Aggregats ist eine von {0}'],
  ['An aggregate {0} names its Field', 'Ein Aggregat {0} nennt sein Field'],
  ["{0} of '{1}': not for a field of its type", '{0} von „{1}“: nicht für ein Feld seines Typs'],
  [
    'As of an aggregate is a letter, then letters and digits',
    'As eines Aggregats ist ein Buchstabe, dann Buchstaben und Ziffern',
  ],
  [
    'Fields are for rows: a grouped query answers GroupBy and Aggregates',
    'Fields gilt für Zeilen: eine gruppierte Abfrage antwortet mit GroupBy und Aggregates',
  ],
]
