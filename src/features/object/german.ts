/** Sentences of object in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'The format of an extension cannot be exported in the background',
    'Das Format einer Erweiterung lässt sich nicht im Hintergrund exportieren',
  ],
  [
    'You already have {0} exports waiting. Please try again later.',
    'Es warten bereits {0} Ihrer Exporte. Bitte versuchen Sie es später noch einmal.',
  ],
  ['Export of {0}: {1} rows', 'Export von {0}: {1} Zeilen'],
  ['Export of {0}: 1 row', 'Export von {0}: 1 Zeile'],
  ['Export of {0} failed', 'Der Export von {0} ist fehlgeschlagen'],
  [
    'The format of an extension cannot be imported in the background',
    'Das Format einer Erweiterung lässt sich nicht im Hintergrund importieren',
  ],
  ['The file of the import no longer exists', 'Die Datei des Imports gibt es nicht mehr'],
  [
    'inserted {0}, updated {1}, skipped {2}, failed {3}',
    'eingefügt {0}, geändert {1}, übersprungen {2}, fehlerhaft {3}',
  ],
  ['Import of {0} (check only): {1}', 'Import von {0} (nur Prüfung): {1}'],
  ['Import of {0}: {1}', 'Import von {0}: {1}'],
  ['Import of {0} failed', 'Der Import von {0} ist fehlgeschlagen'],
  ['Bulk edit of {0}: {1}', 'Änderung von {0}: {1}'],
  ['Bulk edit of {0} failed', 'Die Änderung von {0} ist fehlgeschlagen'],
  ['updated {0}, skipped {1}, failed {2}', 'geändert {0}, übersprungen {1}, fehlerhaft {2}'],
  [
    'You already have {0} bulk edits waiting. Please try again later.',
    'Es warten schon {0} Änderungen von Ihnen. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    "The form must send the field '{0}' before the file",
    'Das Formular muss das Feld „{0}“ vor der Datei senden',
  ],
  ['The upload was removed', 'Der Upload wurde entfernt'],
  [
    'You have too many uploads running. Please try again later.',
    'Sie haben zu viele laufende Uploads. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'You have too many imports running. Please try again later.',
    'Sie haben zu viele laufende Importe. Bitte versuchen Sie es später noch einmal.',
  ],

  [
    'There is no such file, or it has expired',
    'Diese Datei gibt es nicht, oder sie ist abgelaufen',
  ],
  ['The form has no file', 'Das Formular hat keine Datei'],
  ["'{0}' does not support {1}", '„{0}“ unterstützt {1} nicht'],
  ['This is not a valid handler name', 'Das ist kein gültiger Name eines Formats'],
  ['There is no such handler', 'Dieses Format gibt es nicht'],
  ['parameters must be a JSON object', 'parameters muss ein JSON-Objekt sein'],
]
