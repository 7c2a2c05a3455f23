/** Sentences of object in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'A format of an extension is not made in the background',
    'Ein Format einer Erweiterung wird nicht im Hintergrund gemacht',
  ],
  ['At most {0} exports of yours may wait', 'Höchstens {0} Ihrer Exporte dürfen warten'],
  ['Export of {0}: {1} rows', 'Export von {0}: {1} Zeilen'],
  ['Export of {0}: 1 row', 'Export von {0}: 1 Zeile'],
  ['Export of {0} failed', 'Export von {0} ist misslungen'],
  [
    'A format of an extension is not read in the background',
    'Ein Format einer Erweiterung wird nicht im Hintergrund gelesen',
  ],
  ['The file of the import is no longer there', 'Die Datei des Imports ist nicht mehr da'],
  [
    'inserted {0}, updated {1}, skipped {2}, failed {3}',
    'eingefügt {0}, geändert {1}, übersprungen {2}, fehlerhaft {3}',
  ],
  ['Import of {0}, checked only: {1}', 'Import von {0}, nur geprüft: {1}'],
  ['Import of {0}: {1}', 'Import von {0}: {1}'],
  ['Import of {0} failed', 'Import von {0} ist misslungen'],
  [
    "The field '{0}' stands behind the file: fields come first",
    'Das Feld „{0}“ steht hinter der Datei: Felder kommen zuerst',
  ],
  ['The upload was removed', 'Der Upload wurde entfernt'],
  ['Too many uploads at the same time', 'Zu viele Uploads zur selben Zeit'],
  ['Too many imports at the same time', 'Zu viele Importe zur selben Zeit'],
  ['The form holds no file', 'Das Formular enthält keine Datei'],
  ['There is no such file, or it has expired', 'Diese Datei gibt es nicht oder nicht mehr'],
  ['The form has no file', 'Das Formular hat keine Datei'],
  ["'{0}' has no {1}", '„{0}“ hat kein {1}'],
  ['This is no name of a handler', 'Das ist kein Name eines Formats'],
  ['There is no such handler', 'Dieses Format gibt es nicht'],
  ['parameters is a JSON object', 'parameters ist ein JSON-Objekt'],
]
