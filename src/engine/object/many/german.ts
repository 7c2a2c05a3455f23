/** German of bulk edits (`kernel/messages.ts`). */
import type { Translations } from '../../../kernel/messages.ts'

export const MANY_GERMAN: Translations = [
  [
    'Name the records by Keys, or by Filters, SearchText and Preset',
    'Nennen Sie die Datensätze durch Keys oder durch Filters, SearchText und Preset',
  ],
  [
    'Send the Token of a dry run: it says which records are meant',
    'Senden Sie den Token eines Probelaufs: Er sagt, welche Datensätze gemeint sind',
  ],
  [
    'Parameters hold what the records get. Name the records by Keys.',
    'Parameters enthält, was die Datensätze bekommen. Nennen Sie die Datensätze durch Keys.',
  ],
  [
    'Parameters must hold a value that the records get',
    'Parameters muss einen Wert enthalten, den die Datensätze bekommen',
  ],
  [
    'The values take {0} MB in all records together, at most {1} may be. Choose fewer.',
    'Die Werte brauchen in allen Datensätzen zusammen {0} MB, höchstens {1} sind erlaubt. ' +
      'Wählen Sie weniger.',
  ],
  [
    'Nothing was changed: the object has changed since',
    'Es wurde nichts geändert: Das Objekt wurde seither geändert',
  ],
  ['Keys name no record', 'Keys nennt keinen Datensatz'],
  ['The key is missing: {0}', 'Der Schlüssel fehlt: {0}'],
  ['This is the record of Keys[{0}] again', 'Das ist noch einmal der Datensatz aus Keys[{0}]'],
  [
    'A bulk edit takes at most {0} records. Choose fewer.',
    'Auf einmal können höchstens {0} Datensätze geändert werden. Wählen Sie weniger.',
  ],
  [
    'The Token is of a dry run with other records or values. Do it again.',
    'Der Token ist von einem Probelauf mit anderen Datensätzen oder Werten. Wiederholen Sie ' +
      'ihn.',
  ],
  [
    'The dry run is over: its Token was used, or has expired. Do it again.',
    'Der Probelauf gilt nicht mehr: Sein Token wurde benutzt oder ist abgelaufen. ' +
      'Wiederholen Sie ihn.',
  ],
  [
    'Nothing was changed: others changed records meanwhile ({0} of {1})',
    'Es wurde nichts geändert: Andere haben Datensätze inzwischen geändert ({0} von {1})',
  ],
  [
    'Nothing was changed: some records cannot be ({0} of {1})',
    'Es wurde nichts geändert: Bei manchen Datensätzen geht es nicht ({0} von {1})',
  ],
]
