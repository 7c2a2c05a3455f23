import type { Translations } from '../../kernel/messages.ts'

/** Messages about addresses that are sent to, in German. */
export const OUTBOUND_GERMAN: Translations = [
  [
    'The address is of no host that may be sent to',
    'Die Adresse nennt keinen Host, an den gesendet werden darf',
  ],
  [
    'This is no address of at most {0} characters',
    'Das ist keine Adresse von höchstens {0} Zeichen',
  ],
  ['The address must begin with https://', 'Die Adresse muss mit https:// beginnen'],
  [
    'The address must not name a user or a password',
    'Die Adresse darf weder Benutzer noch Kennwort nennen',
  ],
  [
    'The port of the address is none that may be sent to',
    'An den Port der Adresse darf nicht gesendet werden',
  ],
]
