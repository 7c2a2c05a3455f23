/** Sentences of impersonation in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['Say what for', 'Sagen Sie, wozu'],
  ['At most {0} minutes', 'Höchstens {0} Minuten'],
  ['Nobody acts as themselves', 'Niemand handelt als er selbst'],
  ['Nobody acts as a System user', 'Niemand handelt als ein System-Benutzer'],
  ['This user is locked', 'Dieser Benutzer ist gesperrt'],
  ['This user belongs to no company', 'Dieser Benutzer gehört zu keiner Firma'],
  ['This session acts as nobody else', 'Diese Sitzung handelt als niemand anderes'],
  [
    'This has ended; go on with your own tokens',
    'Das ist beendet; bitte mit den eigenen Tokens weitermachen',
  ],
]
