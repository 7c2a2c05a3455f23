/** Sentences of scripts in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['type must be one of: {0}', 'type muss eines von diesen sein: {0}'],
  ['The model has {0} errors. The first one: {1}', 'Das Modell hat {0} Fehler. Der erste: {1}'],
  [
    'This would delete data. Set AllowDataLoss to go ahead: {0}',
    'Dabei gingen Daten verloren. Setzen Sie AllowDataLoss, um fortzufahren: {0}',
  ],
  ['{0} must be true or false', '{0} muss true oder false sein'],
  ['{0} is not valid UTF-8', '{0} ist kein gültiges UTF-8'],
  [
    'Files must contain at least one model file',
    'Files muss mindestens eine Modelldatei enthalten',
  ],
  [
    'FileName must be a path below the model folder',
    'FileName muss ein Pfad unter dem Modellordner sein',
  ],
  [
    'Rollback rolls the last deploy back: send neither Files nor Prune with it',
    'Rollback nimmt das letzte Ausrollen zurück: senden Sie weder Files noch Prune mit',
  ],
  ['{0} is included twice', '{0} ist doppelt vorhanden'],
]
