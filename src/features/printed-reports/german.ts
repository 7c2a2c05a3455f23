import type { Translations } from '../../kernel/messages.ts'

/** Code-defined reports in German, by English template. */
export const GERMAN: Translations = [
  ['true or false', 'true oder false'],
  [
    'A report is made in the background by POST, with Background in its body',
    'Ein Bericht entsteht im Hintergrund durch POST, mit Background im Rumpf',
  ],
  [
    'A report is made at once by GET: set Background',
    'Ein Bericht entsteht sofort durch GET: setzen Sie Background',
  ],
  ['At most {0} reports of yours may wait', 'Von Ihnen dürfen höchstens {0} Berichte warten'],
  ['Report {0} is ready', 'Der Bericht {0} liegt bereit'],
  ['Report {0} could not be made', 'Der Bericht {0} konnte nicht erstellt werden'],
]
