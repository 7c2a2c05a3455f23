/** Sentences of impersonation in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['Please give a reason', 'Bitte geben Sie einen Grund an'],
  ['must be at most {0} minutes', 'darf höchstens {0} Minuten sein'],
  ['You cannot act as yourself', 'Sie können nicht als Sie selbst handeln'],
  ['You cannot act as a System user', 'Sie können nicht als System-Benutzer handeln'],
  ['This user is locked', 'Dieser Benutzer ist gesperrt'],
  ['This user does not belong to any company', 'Dieser Benutzer gehört zu keiner Firma'],
  ['You are not acting as another user', 'Sie handeln gerade nicht als anderer Benutzer'],
  [
    'Acting as this user has ended. Continue with your own tokens.',
    'Das Handeln als dieser Benutzer ist beendet. Machen Sie mit Ihren eigenen Tokens weiter.',
  ],
]
