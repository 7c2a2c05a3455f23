/** Sentences of server in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  ['This is not possible with an API key', 'Das geht nicht mit einem API-Schlüssel'],
  ['There is nothing at this address', 'Unter dieser Adresse gibt es nichts'],
  ['This address takes {0}', 'Diese Adresse nimmt nur {0}'],
  ['The request is not valid', 'Die Anfrage ist nicht gültig'],
  ['{0}: {1}', '{0}: {1}'],
  ['This value does not fit', 'Dieser Wert passt nicht'],
  [
    'A request names one host, in its Host header',
    'Eine Anfrage nennt einen Host, in ihrer Kopfzeile Host',
  ],
  ['The body cannot be read', 'Der Inhalt der Anfrage ist nicht lesbar'],
  ['A cookie cannot be read', 'Ein Cookie ist nicht lesbar'],
  [
    'The body must be sent as Content-Type: application/json, in UTF-8',
    'Der Inhalt muss als Content-Type: application/json gesendet werden, in UTF-8',
  ],
  ['The body must be a JSON object', 'Der Inhalt muss ein JSON-Objekt sein'],
  ['The body is over {0} KB', 'Der Inhalt ist größer als {0} KB'],
  [
    'Too many of your requests are under way; try again later',
    'Zu viele Ihrer Anfragen sind in Arbeit; versuchen Sie es später noch einmal',
  ],
  [
    'Too much is being sent at once; try again in a moment',
    'Es wird gerade zu viel auf einmal gesendet; versuchen Sie es gleich noch einmal',
  ],
  ['The body is not valid UTF-8', 'Der Inhalt ist kein gültiges UTF-8'],
  [
    'The body is no JSON: line {0}, column {1}: {2}',
    'Der Inhalt ist kein JSON: Zeile {0}, Spalte {1}: {2}',
  ],
  [
    'The body is no JSON somewhere behind its first 256 KB',
    'Der Inhalt ist irgendwo hinter seinen ersten 256 KB kein JSON',
  ],
  [
    'The body is nested deeper than {0} levels',
    'Der Inhalt ist tiefer als {0} Ebenen verschachtelt',
  ],
  ['Expected string', 'Ein Text wird erwartet'],
  ['Expected integer', 'Eine ganze Zahl wird erwartet'],
  ['Expected number', 'Eine Zahl wird erwartet'],
  ['Expected boolean', 'Wahr oder falsch wird erwartet'],
  ['Expected array', 'Eine Liste wird erwartet'],
  ['Expected object', 'Ein Objekt wird erwartet'],
  ['Expected null', 'Null wird erwartet'],
  ['Expected one of {0}', 'Erwartet wird eines von {0}'],
  ['{0}, or: {1}', '{0}, oder: {1}'],
  ['Expected required property', 'Eine erforderliche Angabe fehlt'],
  ['Unexpected property', 'Diese Angabe wird nicht erwartet'],
  ['Expected string length less or equal to {0}', 'Höchstens {0} Zeichen werden erwartet'],
  ['Expected string length greater or equal to {0}', 'Mindestens {0} Zeichen werden erwartet'],
  ['Expected array length to be less or equal to {0}', 'Höchstens {0} Einträge werden erwartet'],
  [
    'Expected array length to be greater or equal to {0}',
    'Mindestens {0} Einträge werden erwartet',
  ],
  ['Expected integer to be less or equal to {0}', 'Höchstens {0} wird erwartet'],
  ['Expected integer to be greater or equal to {0}', 'Mindestens {0} wird erwartet'],
  ["Expected string to match '{0}'", "Ein Text der Form '{0}' wird erwartet"],
  ['Expected {0}', '{0} wird erwartet'],
  ['X-TimeZone is no IANA time zone', 'X-TimeZone ist keine IANA-Zeitzone'],
  [
    'The header must be Authorization: Bearer <token>',
    'Der Header muss Authorization: Bearer <Token> lauten',
  ],
  [
    'Change the one-time password first: POST /auth/password/change',
    'Bitte zuerst das Einmalkennwort ändern: POST /auth/password/change',
  ],
  [
    'Your role asks for a second factor: POST /auth/mfa/setup',
    'Ihre Rolle verlangt einen zweiten Faktor: POST /auth/mfa/setup',
  ],
  [
    'Idempotency-Key takes 1 to 255 visible ASCII characters',
    'Idempotency-Key nimmt 1 bis 255 sichtbare ASCII-Zeichen',
  ],
  [
    'A request with this Idempotency-Key is in flight',
    'Eine Anfrage mit diesem Idempotency-Key läuft gerade',
  ],
  [
    'This Idempotency-Key was used for another request',
    'Dieser Idempotency-Key wurde für eine andere Anfrage verwendet',
  ],
  [
    'The body must be sent as Content-Type: multipart/form-data',
    'Der Inhalt muss als Content-Type: multipart/form-data gesendet werden',
  ],
  [
    'The multipart form is malformed or ended early',
    'Das Multipart-Formular ist fehlerhaft oder endet zu früh',
  ],
  ['A field of the form is too long', 'Ein Feld des Formulars ist zu lang'],
  ['The body holds more than {0} values', 'Der Inhalt hat mehr als {0} Werte'],
  ['The form has too many parts', 'Das Formular hat zu viele Teile'],
  ['The body came too slowly', 'Der Inhalt kam zu langsam'],
  ['The file has no such bytes', 'So viele Bytes hat die Datei nicht'],
  ['This is no text that can be searched for', 'Nach diesem Text kann nicht gesucht werden'],
]
