/** The sentences of wizards in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const WIZARD_GERMAN: Translations = [
  ['There is no wizard with this name', 'Einen Assistenten mit diesem Namen gibt es nicht'],
  ["Unknown step '{0}'", 'Unbekannter Schritt „{0}“'],
  ['There is no such run, or it has expired', 'Diesen Lauf gibt es nicht, oder er ist abgelaufen'],
  [
    'The run was continued somewhere else. Reload it and try again.',
    'Der Lauf wurde anderswo fortgesetzt. Bitte laden Sie ihn neu und versuchen Sie es ' +
      'noch einmal.',
  ],
  [
    'You can have at most {0} open runs. Finish or cancel some first.',
    'Sie können höchstens {0} offene Läufe haben. Schließen Sie zuerst einige ab oder ' +
      'brechen Sie sie ab.',
  ],
  ['The wizard of this run no longer exists', 'Den Assistenten dieses Laufs gibt es nicht mehr'],
  [
    'None of the steps of this wizard currently applies to you',
    'Kein Schritt dieses Assistenten trifft derzeit auf Sie zu',
  ],
  ['The step {0} has more than {1} fields', 'Der Schritt {0} hat mehr als {1} Felder'],
  ['{0} needs at least {1} rows', '{0}: mindestens {1} Zeilen werden gebraucht'],
  ['{0} can have at most {1} rows', '{0}: höchstens {1} Zeilen sind erlaubt'],
  ['The wizard is at another step: {0}', 'Der Assistent ist bei einem anderen Schritt: {0}'],
  ['This is the first step', 'Das ist der erste Schritt'],
  ['This step has not been completed', 'Dieser Schritt wurde nicht durchlaufen'],
  [
    'The values of a run are limited to {0} KB',
    'Die Angaben eines Laufs dürfen höchstens {0} KB groß sein',
  ],
  [
    'The step {0} is still open. Continue with next.',
    'Der Schritt {0} ist noch offen. Machen Sie mit next weiter.',
  ],
  [
    'The wizard has changed since you left it. Continue from here.',
    'Der Assistent hat sich geändert, seit Sie ihn verlassen haben. Machen Sie hier weiter.',
  ],
  [
    'Data or rights have changed since you left the wizard. Continue from here.',
    'Daten oder Rechte haben sich geändert, seit Sie den Assistenten verlassen haben. ' +
      'Machen Sie hier weiter.',
  ],
  ['These values are no longer valid: {0}', 'Diese Angaben sind nicht mehr gültig: {0}'],
  ['{0} is still open', '{0} ist noch offen'],
  [
    'You can continue where you left off until {0}. After that it expires.',
    'Sie können bis {0} dort weitermachen, wo Sie aufgehört haben. Danach läuft es ab.',
  ],
]
