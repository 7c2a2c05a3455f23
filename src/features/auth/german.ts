/** Sentences of auth in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['The user name or the password is wrong', 'Der Benutzername oder das Kennwort ist falsch'],
  [
    'This user does not belong to any company. Ask an administrator to add one.',
    'Dieser Benutzer gehört zu keiner Firma. Bitten Sie einen Administrator, eine ' +
      'hinzuzufügen.',
  ],
  [
    'The password was changed in the meantime. Please try again.',
    'Das Kennwort wurde inzwischen geändert. Bitte versuchen Sie es noch einmal.',
  ],
  [
    'The new password must differ from the current one',
    'Das neue Kennwort muss sich vom jetzigen unterscheiden',
  ],
  ['The password is wrong', 'Das Kennwort ist falsch'],
  [
    'This link is no longer valid. Please request a new one.',
    'Dieser Link ist nicht mehr gültig. Bitte fordern Sie einen neuen an.',
  ],
  ['There is no such key', 'Diesen Schlüssel gibt es nicht'],
  [
    'must be an instant like 2027-01-31T00:00:00Z',
    'muss ein Zeitpunkt wie 2027-01-31T00:00:00Z sein',
  ],
  [
    'You can only create keys for yourself and for users without a password',
    'Sie können Schlüssel nur für sich selbst und für Benutzer ohne Kennwort anlegen',
  ],
  ['There is no such session', 'Diese Sitzung gibt es nicht'],
  ['Set a new password', 'Neues Kennwort setzen'],
  [
    'Someone requested a new password for {0}. Set it on this page:',
    'Für {0} wurde ein neues Kennwort angefordert. Auf dieser Seite können Sie es setzen:',
  ],
  [
    'The link works once, within {0} minutes. If this was not you, ignore this mail.',
    'Der Link funktioniert einmal, innerhalb von {0} Minuten. Wenn Sie das nicht waren, ' +
      'ignorieren Sie diese Mail.',
  ],
  ['Sign-in from a new client', 'Anmeldung mit einem neuen Programm'],
  [
    '{0} signed in from a new client: {1}.',
    '{0} hat sich mit einem neuen Programm angemeldet: {1}.',
  ],
  ['Client: {0}', 'Programm: {0}'],
  ['Address: {0}', 'Adresse: {0}'],
  ['This account has no second factor', 'Dieses Konto hat keinen zweiten Faktor'],
  [
    'This sign-in has expired. Please sign in again.',
    'Diese Anmeldung ist abgelaufen. Bitte melden Sie sich neu an.',
  ],
  ['This installation has no logo', 'Diese Installation hat kein Logo'],
]
