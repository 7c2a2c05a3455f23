/** Sentences of access in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  ['The API key is not valid', 'Der API-Schlüssel ist nicht gültig'],
  ['The API key is no longer valid', 'Der API-Schlüssel ist nicht mehr gültig'],
  ['The API key has expired', 'Der API-Schlüssel ist abgelaufen'],
  [
    'An API key cannot have the role System, which applies to all companies',
    'Ein API-Schlüssel kann die Rolle System nicht haben: Sie gilt in allen Firmen',
  ],
  ['Choose at least one company for the key', 'Wählen Sie mindestens eine Firma für den Schlüssel'],
  [
    'A key must expire in the future, within {0} days',
    'Ein Schlüssel muss in der Zukunft ablaufen, innerhalb von {0} Tagen',
  ],
  ['A user can have at most {0} keys', 'Ein Benutzer kann höchstens {0} Schlüssel haben'],
  [
    'You can only give roles that the user has in these companies, not {0}',
    'Möglich sind nur Rollen, die der Benutzer in diesen Firmen hat, nicht {0}',
  ],
  [
    'Your permissions changed in the meantime. Try again.',
    'Ihre Rechte haben sich inzwischen geändert. Bitte versuchen Sie es noch einmal.',
  ],
  [
    'The session has ended. Please sign in again.',
    'Die Sitzung ist beendet. Bitte melden Sie sich erneut an.',
  ],
  ['The access token is not valid', 'Das Zugriffstoken ist nicht gültig'],
  ['The access token has expired', 'Das Zugriffstoken ist abgelaufen'],
  ['The refresh token is not valid', 'Das Erneuerungstoken ist nicht gültig'],
  [
    'Too many failed sign-ins. Try again later.',
    'Zu viele fehlgeschlagene Anmeldungen. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'Too many refresh tokens were refused. Try again later.',
    'Zu viele Erneuerungstoken wurden abgewiesen. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'Too many wrong codes. Try again later.',
    'Zu viele falsche Codes. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'Too many password resets were requested. Try again later.',
    'Das Zurücksetzen des Kennworts wurde zu oft angefordert. Bitte versuchen Sie es später ' +
      'noch einmal.',
  ],
  [
    'Too many people are signing in right now. Try again in a moment.',
    'Gerade melden sich zu viele gleichzeitig an. Bitte versuchen Sie es gleich noch einmal.',
  ],
  ['This user does not belong to that company', 'Dieser Benutzer gehört nicht zu dieser Firma'],
  [
    'A password must have at least {0} characters',
    'Ein Kennwort muss mindestens {0} Zeichen haben',
  ],
  ['A password must have at most {0} bytes', 'Ein Kennwort darf höchstens {0} Bytes haben'],
  [
    'A password must not be a row of keys or a repetition',
    'Ein Kennwort darf keine Tastenreihe und keine Wiederholung sein',
  ],
  ['This password is too common', 'Dieses Kennwort ist zu verbreitet'],
  [
    'A password must not be made up of the user’s name',
    'Ein Kennwort darf nicht aus dem Namen des Benutzers bestehen',
  ],
  ['There is no role {0}. Choose one of: {1}', 'Es gibt keine Rolle {0}. Wählen Sie eine von: {1}'],
  [
    'This user name or email address is already taken',
    'Dieser Benutzername oder diese E-Mail-Adresse ist schon vergeben',
  ],
  [
    'A user name must have 1 to {0} visible characters',
    'Ein Benutzername muss aus 1 bis {0} sichtbaren Zeichen bestehen',
  ],
  ['This is not an email address', 'Das ist keine E-Mail-Adresse'],
  [
    'An attribute name may only contain letters, digits and underscores',
    'Ein Attributname darf nur Buchstaben, Ziffern und Unterstriche enthalten',
  ],
  ['A company needs a name', 'Eine Firma braucht einen Namen'],
  [
    'A company code must be 1 to 32 letters, digits, hyphens or underscores',
    'Ein Firmenkürzel muss aus 1 bis 32 Buchstaben, Ziffern, Bindestrichen oder ' +
      'Unterstrichen bestehen',
  ],
  ['This company code is already taken', 'Dieses Firmenkürzel ist schon vergeben'],
  [
    'The last open company cannot be closed',
    'Die letzte offene Firma kann nicht geschlossen werden',
  ],
  [
    'The reference rows in {0}, line {1}, do not fit the new company',
    'Die Stammdaten in {0}, Zeile {1}, passen nicht zu der neuen Firma',
  ],
  [
    'At least one user must still be able to act as System',
    'Mindestens ein Benutzer muss weiterhin als System handeln können',
  ],
  ['There is no company {0}', 'Es gibt keine Firma {0}'],
  [
    'Must be an IANA time zone, such as Europe/Berlin',
    'Muss eine IANA-Zeitzone sein, etwa Europe/Berlin',
  ],
  ['Must be a language tag, such as en or pt-BR', 'Muss ein Sprachkürzel sein, etwa en oder pt-BR'],
  ['Your password was changed', 'Ihr Kennwort wurde geändert'],
  ['The password of {0} was changed: {1}.', 'Das Kennwort von {0} wurde geändert: {1}.'],
  ['A second factor was set up', 'Ein zweiter Faktor wurde eingerichtet'],
  ['Your second factor was removed', 'Ihr zweiter Faktor wurde entfernt'],
  ['A recovery code was used', 'Ein Wiederherstellungscode wurde verwendet'],
  ['An API key was created', 'Ein API-Schlüssel wurde erstellt'],
  [
    'An API key that acts as {0} was created: {1}.',
    'Ein API-Schlüssel, der als {0} handelt, wurde erstellt: {1}.',
  ],
  ['Your email address was changed', 'Ihre E-Mail-Adresse wurde geändert'],
  [
    'Signing in as {0} now requires a code from an authenticator app: {1}.',
    'Die Anmeldung als {0} verlangt nun einen Code aus einer Authenticator-App: {1}.',
  ],
  [
    'Signing in as {0} no longer requires a second factor: {1}.',
    'Die Anmeldung als {0} verlangt keinen zweiten Faktor mehr: {1}.',
  ],
  [
    'One of the recovery codes of {0} was used: {1}.',
    'Einer der Wiederherstellungscodes von {0} wurde verwendet: {1}.',
  ],
  [
    'Emails to {0} no longer go to this address: {1}.',
    'E-Mails an {0} gehen nicht mehr an diese Adresse: {1}.',
  ],
  [
    'Emails to {0} now go to this address: {1}.',
    'E-Mails an {0} gehen jetzt an diese Adresse: {1}.',
  ],
  [
    'An administrator of this application did this. If you do not know why, ask them.',
    'Das war ein Administrator dieser Anwendung. Wenn Sie nicht wissen, warum, fragen Sie ' +
      'dort nach.',
  ],
  [
    'You started setting up a second factor too often. Try again later.',
    'Sie haben das Einrichten eines zweiten Faktors zu oft begonnen. Bitte versuchen Sie es ' +
      'später noch einmal.',
  ],
  [
    'If this was not you, change your password now and end all sessions.',
    'Wenn Sie das nicht waren, ändern Sie sofort Ihr Kennwort und beenden Sie alle Sitzungen.',
  ],
  [
    'A second factor is already set up. Disable it first.',
    'Ein zweiter Faktor ist schon eingerichtet. Bitte schalten Sie ihn zuerst ab.',
  ],
  ['Set up a second factor first', 'Bitte richten Sie zuerst einen zweiten Faktor ein'],
  ['The code is wrong', 'Der Code ist falsch'],
  [
    'You cannot do this while acting as another user',
    'Das ist nicht möglich, solange Sie als ein anderer Benutzer handeln',
  ],
  [
    'Only a System user may do this to this user',
    'Bei diesem Benutzer darf das nur ein Benutzer mit der Rolle System',
  ],
  ['A name may only contain visible characters', 'Ein Name darf nur sichtbare Zeichen enthalten'],
  [
    'This user does not belong to that company. Add them to it first.',
    'Dieser Benutzer gehört nicht zu dieser Firma. Nehmen Sie ihn zuerst auf.',
  ],
  [
    'This user does not have that role in that company',
    'Dieser Benutzer hat diese Rolle in dieser Firma nicht',
  ],
  ['At most {0} characters are allowed', 'Höchstens {0} Zeichen sind erlaubt'],
  [
    'Records refer to this user ({0}). Lock the user instead.',
    'Datensätze verweisen auf diesen Benutzer ({0}). Sperren Sie ihn stattdessen.',
  ],
  ['This user has more permissions than you', 'Dieser Benutzer hat mehr Rechte als Sie'],
  [
    'You can only give the attribute {0} the value that you have yourself',
    'Die Eigenschaft {0} können Sie nur mit Ihrem eigenen Wert vergeben',
  ],
  [
    'The role System can only be given for all companies',
    'Die Rolle System kann nur für alle Firmen vergeben werden',
  ],
  ['There is no user {0}', 'Es gibt keinen Benutzer {0}'],
  [
    'A name must have 1 to {0} visible characters',
    'Ein Name muss aus 1 bis {0} sichtbaren Zeichen bestehen',
  ],
  [
    'Only System can give or remove the role {0}',
    'Nur System kann die Rolle {0} vergeben oder entziehen',
  ],
  ['You cannot change your own roles', 'Sie können Ihre eigenen Rollen nicht ändern'],
  [
    'You cannot change the roles of a user who has roles that you may not give',
    'Sie können die Rollen eines Benutzers nicht ändern, der Rollen hat, die Sie nicht ' +
      'vergeben dürfen',
  ],
  [
    'Only System can assign the role {0}: it grants more than you have',
    'Nur System kann die Rolle {0} vergeben: Sie gewährt mehr, als Sie haben',
  ],
  [
    'The role {0} can be assigned by {1}: it grants more than you have',
    'Die Rolle {0} können {1} vergeben: Sie gewährt mehr, als Sie haben',
  ],
  ['There is no such user', 'Diesen Benutzer gibt es nicht'],
  ['There is no such company', 'Diese Firma gibt es nicht'],
  [
    'Only System can give or remove roles for all companies',
    'Nur System kann Rollen für alle Firmen vergeben oder entziehen',
  ],
]
