/** Sentences of access in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  ['The API key is not valid', 'Der API-Schlüssel ist nicht gültig'],
  ['The API key does not hold any more', 'Der API-Schlüssel gilt nicht mehr'],
  ['The API key has expired', 'Der API-Schlüssel ist abgelaufen'],
  [
    'No key has the role System: it holds in all companies',
    'Kein Schlüssel hat die Rolle System: sie gilt in allen Firmen',
  ],
  [
    'A key needs a company that it is used in',
    'Ein Schlüssel braucht eine Firma, in der er benutzt wird',
  ],
  ['A key expires within {0} days', 'Ein Schlüssel läuft binnen {0} Tagen ab'],
  ['A user has at most {0} keys', 'Ein Benutzer hat höchstens {0} Schlüssel'],
  [
    'The role {0} is not held in these companies',
    'Die Rolle {0} gibt es bei diesem Benutzer in diesen Firmen nicht',
  ],
  [
    'Your rights have changed meanwhile; try again',
    'Ihre Rechte haben sich inzwischen geändert; versuchen Sie es noch einmal',
  ],
  ['The session has ended', 'Die Sitzung ist beendet'],
  ['The access token is not valid', 'Das Zugriffstoken ist nicht gültig'],
  ['The access token has expired', 'Das Zugriffstoken ist abgelaufen'],
  ['The refresh token is not valid', 'Das Erneuerungstoken ist nicht gültig'],
  [
    'Too many failed sign-ins; try again later',
    'Zu viele fehlgeschlagene Anmeldungen; bitte später erneut versuchen',
  ],
  [
    'Too many refresh tokens were refused; try again later',
    'Zu viele Erneuerungstoken wurden abgewiesen; bitte später erneut versuchen',
  ],
  [
    'Too many wrong codes; try again later',
    'Zu viele falsche Codes; bitte später erneut versuchen',
  ],
  [
    'Too many password resets were asked for; try again later',
    'Das Zurücksetzen wurde zu oft angefordert; bitte später erneut versuchen',
  ],
  [
    'Too many sign-ins at once; try again in a moment',
    'Zu viele Anmeldungen auf einmal; bitte gleich erneut versuchen',
  ],
  ['This user does not belong to that company', 'Dieser Benutzer gehört nicht zu dieser Firma'],
  ['A password has at least {0} characters', 'Ein Kennwort hat mindestens {0} Zeichen'],
  ['A password has at most {0} bytes', 'Ein Kennwort hat höchstens {0} Bytes'],
  [
    'A password is no row of keys and no repetition',
    'Ein Kennwort ist keine Tastenreihe und keine Wiederholung',
  ],
  ['This password is one of the commonest', 'Dieses Kennwort ist eines der häufigsten'],
  [
    'A password is not made of the user’s own name',
    'Ein Kennwort besteht nicht aus dem eigenen Namen',
  ],
  ['There is no role {0}; there are {1}', 'Es gibt keine Rolle {0}; es gibt {1}'],
  [
    'This user name or mail address is taken',
    'Dieser Benutzername oder diese E-Mail-Adresse ist vergeben',
  ],
  [
    'A user name has 1 to {0} visible characters',
    'Ein Benutzername hat 1 bis {0} sichtbare Zeichen',
  ],
  ['This is no mail address', 'Das ist keine E-Mail-Adresse'],
  [
    'An attribute name has letters, digits and underscores',
    'Ein Attributname besteht aus Buchstaben, Ziffern und Unterstrichen',
  ],
  ['A company needs a name', 'Eine Firma braucht einen Namen'],
  [
    'A company code has 1 to 32 letters, digits, hyphens, underscores',
    'Ein Firmenkürzel hat 1 bis 32 Buchstaben, Ziffern, Bindestriche, Unterstriche',
  ],
  ['There is a company with this code', 'Es gibt schon eine Firma mit diesem Kürzel'],
  [
    'The last open company cannot be closed',
    'Die letzte offene Firma kann nicht geschlossen werden',
  ],
  [
    'The reference rows in {0}, line {1}, do not fit the new company',
    'Die Stammzeilen in {0}, Zeile {1}, passen nicht zu der neuen Firma',
  ],
  [
    'Somebody must be left who can act as System',
    'Jemand muss bleiben, der als System handeln kann',
  ],
  ['There is no company {0}', 'Es gibt keine Firma {0}'],
  ['This is no IANA time zone', 'Das ist keine IANA-Zeitzone'],
  ['This is no language tag, such as en or pt-BR', 'Das ist kein Sprachkürzel wie en oder pt-BR'],
  ['Your password was changed', 'Ihr Kennwort wurde geändert'],
  ['The password of {0} was changed: {1}.', 'Das Kennwort von {0} wurde geändert: {1}.'],
  ['A second factor was set up', 'Ein zweiter Faktor wurde eingerichtet'],
  ['Your second factor was removed', 'Ihr zweiter Faktor wurde entfernt'],
  ['A recovery code was used', 'Ein Wiederherstellungscode wurde verwendet'],
  ['An API key was made', 'Ein API-Schlüssel wurde angelegt'],
  [
    'An API key that acts as {0} was made: {1}.',
    'Ein API-Schlüssel, der als {0} handelt, wurde angelegt: {1}.',
  ],
  ['Your mail address was changed', 'Ihre Mailadresse wurde geändert'],
  [
    'Sign-ins of {0} ask for a code of an authenticator app from now on: {1}.',
    'Anmeldungen von {0} fragen von nun an nach dem Code einer Authenticator-App: {1}.',
  ],
  [
    'Sign-ins of {0} ask for no second factor any more: {1}.',
    'Anmeldungen von {0} fragen nach keinem zweiten Faktor mehr: {1}.',
  ],
  [
    'One of the recovery codes of {0} was used up: {1}.',
    'Einer der Wiederherstellungscodes von {0} wurde verbraucht: {1}.',
  ],
  [
    'Mails to {0} go to another address than this from now on: {1}.',
    'Mails an {0} gehen von nun an an eine andere Adresse als diese: {1}.',
  ],
  [
    'Mails to {0} come to this address from now on: {1}.',
    'Mails an {0} kommen von nun an zu dieser Adresse: {1}.',
  ],
  [
    'Somebody who administers this application did it. If you do not know why, ask them.',
    'Das hat jemand getan, der diese Anwendung verwaltet. Wenn Sie nicht wissen, warum, ' +
      'fragen Sie dort nach.',
  ],
  [
    'Too many second factors were begun; try again later',
    'Zu viele zweite Faktoren wurden begonnen; versuchen Sie es später noch einmal',
  ],
  [
    'If this was not you, change your password now and end all sessions.',
    'Wenn Sie das nicht waren, ändern Sie sofort Ihr Kennwort und beenden Sie alle Sitzungen.',
  ],
  [
    'A second factor is confirmed already; disable it first',
    'Ein zweiter Faktor ist schon bestätigt; bitte zuerst abschalten',
  ],
  ['Set a second factor up first', 'Bitte zuerst einen zweiten Faktor einrichten'],
  ['The code is wrong', 'Der Code ist falsch'],
  [
    'This is not possible while acting as another user',
    'Das geht nicht, solange Sie als jemand anderes handeln',
  ],
  ['Only a System user may do this to this user', 'Das darf bei diesem Benutzer nur System'],
  ['A name has visible characters only', 'Ein Name hat nur sichtbare Zeichen'],
  [
    'This user does not belong to that company: add them to it first',
    'Dieser Benutzer gehört nicht zu dieser Firma: nehmen Sie ihn zuerst auf',
  ],
  ['This user does not hold that role there', 'Dieser Benutzer hat diese Rolle dort nicht'],
  ['At most {0} characters are allowed', 'Höchstens {0} Zeichen sind erlaubt'],
  [
    'Records refer to this user ({0}): lock the user instead of deleting',
    'Datensätze verweisen auf diesen Benutzer ({0}): sperren Sie ihn, statt ihn zu löschen',
  ],
  ['This user holds more than you do', 'Dieser Benutzer hat mehr Rechte als Sie'],
  [
    'Nobody hands out what they do not hold: the attribute {0}',
    'Niemand gibt aus, was er nicht hat: die Eigenschaft {0}',
  ],
  [
    'The role System holds in all companies or not at all',
    'Die Rolle System gilt in allen Firmen oder gar nicht',
  ],
  ['There is no user {0}', 'Es gibt keinen Benutzer {0}'],
  ['A name has 1 to {0} visible characters', 'Ein Name hat 1 bis {0} sichtbare Zeichen'],
  ['The role {0} is given and taken by System alone', 'Die Rolle {0} gibt und nimmt allein System'],
  [
    'Nobody gives roles to themselves, or takes their own',
    'Niemand gibt sich selbst Rollen oder nimmt die eigenen',
  ],
  [
    'Nobody changes the roles of users who hold more than they may give',
    'Niemand ändert Rollen von Benutzern, die mehr haben, als er vergeben darf',
  ],
  [
    'The role {0} is assignable by nobody but System, and grants more than you have',
    'Die Rolle {0} vergibt nur System, und sie gewährt mehr, als Sie haben',
  ],
  [
    'The role {0} is assignable by {1}, and grants more than you have',
    'Die Rolle {0} vergibt {1}, und sie gewährt mehr, als Sie haben',
  ],
  ['There is no such user', 'Diesen Benutzer gibt es nicht'],
  ['There is no such company', 'Diese Firma gibt es nicht'],
  [
    'Roles in all companies are given and taken by System',
    'Rollen in allen Firmen vergibt und nimmt System',
  ],
]
