/** Sentences of scripts in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
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
]
