/** Sentences of auth in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['The user name or the password is wrong', 'Der Benutzername oder das Kennwort ist falsch'],
  [
    'This user belongs to no company; an administrator can add one',
    'Dieser Benutzer gehört zu keiner Firma; ein Administrator kann eine hinzufügen',
  ],
  ['The password was changed by someone else', 'Das Kennwort wurde von jemand anderem geändert'],
  ['The new password is the present one', 'Das neue Kennwort ist das jetzige'],
  ['The password is wrong', 'Das Kennwort ist falsch'],
  [
    'The link is not valid any more; ask for another one',
    'Der Link gilt nicht mehr; bitte einen neuen anfordern',
  ],
  ['There is no such key', 'Diesen Schlüssel gibt es nicht'],
  ['This is no instant: 2027-01-31T00:00:00Z', 'Das ist kein Zeitpunkt: 2027-01-31T00:00:00Z'],
  [
    'A key of another user is for a user without a password',
    'Ein Schlüssel für jemand anderen ist für Benutzer ohne Kennwort',
  ],
  ['There is no such session', 'Diese Sitzung gibt es nicht'],
  ['Set a new password', 'Neues Kennwort setzen'],
  [
    'Somebody asked for a new password of {0}. This page sets it:',
    'Für {0} wurde ein neues Kennwort angefordert. Auf dieser Seite wird es gesetzt:',
  ],
  [
    'It does so once, within {0} minutes. If you did not ask, leave this mail alone.',
    'Das geht einmal, binnen {0} Minuten. Wenn Sie das nicht waren, ist nichts zu tun.',
  ],
  ['A sign-in with a new client', 'Anmeldung mit einem neuen Programm'],
  [
    '{0} signed in with a client that is new: {1}.',
    '{0} hat sich mit einem neuen Programm angemeldet: {1}.',
  ],
  ['Client: {0}', 'Programm: {0}'],
  ['Address: {0}', 'Adresse: {0}'],
  ['There is no second factor', 'Es gibt keinen zweiten Faktor'],
  ['This sign-in is over; begin it again', 'Diese Anmeldung ist abgelaufen; bitte neu beginnen'],
]
