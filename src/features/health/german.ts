/** Sentences of health in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'Since the restore of {0} mails and jobs that send are held: resume them',
    'Seit der Wiederherstellung von {0} werden Mails und sendende Aufträge zurückgehalten: ' +
      'setzen Sie sie fort',
  ],
  ['A database is not responding', 'Eine Datenbank antwortet nicht'],
  ['Extensions are still loading', 'Erweiterungen werden noch geladen'],
]
