import type { Translations } from '../../kernel/messages.ts'

/** Messages about addresses that are sent to, in German. */
export const OUTBOUND_GERMAN: Translations = [
  ['Requests to this host are not allowed', 'Anfragen an diesen Host sind nicht erlaubt'],
  [
    'This must be a URL of at most {0} characters',
    'Das muss eine URL mit höchstens {0} Zeichen sein',
  ],
  ['The address must begin with https://', 'Die Adresse muss mit https:// beginnen'],
  [
    'The address must not contain a user or a password',
    'Die Adresse darf weder Benutzer noch Kennwort enthalten',
  ],
  ['Requests to this port are not allowed', 'Anfragen an diesen Port sind nicht erlaubt'],
  ['No answer: {0}', 'Keine Antwort: {0}'],
]
