import type { Translations } from '../../kernel/messages.ts'

/** Code-defined reports in German, by English template. */
export const GERMAN: Translations = [
  ['must be true or false', 'muss true oder false sein'],
  [
    'Use POST with Background in its body to create a report in the background',
    'Verwenden Sie POST mit Background im Rumpf, um einen Bericht im Hintergrund zu erstellen',
  ],
  [
    'Set Background, or use GET to create the report right away',
    'Setzen Sie Background, oder verwenden Sie GET, um den Bericht sofort zu erstellen',
  ],
  [
    'You already have {0} reports waiting. Please try again later.',
    'Es warten bereits {0} Ihrer Berichte. Bitte versuchen Sie es später noch einmal.',
  ],
  ['{0} pages written', '{0} Seiten geschrieben'],
  ['{0} rows written', '{0} Zeilen geschrieben'],
  ['Report {0} is ready', 'Der Bericht {0} ist fertig'],
  ['Report {0} could not be created', 'Der Bericht {0} konnte nicht erstellt werden'],
]
