/** The sentences of wizards in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const WIZARD_GERMAN: Translations = [
  ['No wizard of this name', 'Kein Assistent dieses Namens'],
  ["Unknown step '{0}'", 'Unbekannter Schritt „{0}“'],
  ['No such run, or it has expired', 'Diesen Lauf gibt es nicht oder nicht mehr'],
  [
    'The run was gone on with elsewhere: load it again',
    'Der Lauf ging anderswo weiter: laden Sie ihn neu',
  ],
  [
    'At most {0} runs of yours may be open: end some first',
    'Höchstens {0} Ihrer Läufe dürfen offen sein: beenden Sie zuerst welche',
  ],
  [
    'The wizard of this run is not there any more',
    'Den Assistenten dieses Laufs gibt es nicht mehr',
  ],
  [
    'No step of this wizard applies to you now',
    'Kein Schritt dieses Assistenten gilt jetzt für Sie',
  ],
  ['The step {0} has more than {1} fields', 'Der Schritt {0} hat mehr als {1} Felder'],
  ['{0} needs at least {1} rows', '{0}: mindestens {1} Zeilen werden gebraucht'],
  ['{0} takes at most {1} rows', '{0}: höchstens {1} Zeilen sind erlaubt'],
  ['Another step asks now: {0}', 'Jetzt fragt ein anderer Schritt: {0}'],
  ['This is the first step', 'Das ist der erste Schritt'],
  ['This step was not taken', 'Dieser Schritt wurde nicht gegangen'],
  [
    'What is given in one run may take {0} KB',
    'Was in einem Lauf angegeben wird, darf {0} KB groß sein',
  ],
  [
    'The step {0} is still to come: go on with next',
    'Der Schritt {0} kommt noch: gehen Sie mit next weiter',
  ],
  [
    'The wizard has changed since you left it: it goes on here',
    'Der Assistent hat sich geändert, seit Sie ihn verließen: hier geht es weiter',
  ],
  [
    'What a step depends on has changed since you left it: it goes on here',
    'Wovon ein Schritt abhängt, hat sich geändert, seit Sie hier waren: hier geht es weiter',
  ],
  ['What was given no longer fits: {0}', 'Was angegeben wurde, passt nicht mehr: {0}'],
  ['{0} is still open', '{0} ist noch offen'],
  [
    'Go on where you were until {0}: then it expires',
    'Machen Sie bis {0} weiter, wo Sie waren: dann läuft es ab',
  ],
]
