/** Sentences of server in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  ['You cannot do this with an API key', 'Mit einem API-Schlüssel ist das nicht möglich'],
  ['There is nothing at this address', 'Unter dieser Adresse gibt es nichts'],
  ['This address only accepts {0}', 'Diese Adresse akzeptiert nur {0}'],
  ['The request is not valid', 'Die Anfrage ist nicht gültig'],
  ['{0}: {1}', '{0}: {1}'],
  ['This value is not valid', 'Dieser Wert ist nicht gültig'],
  [
    'The Host header must name one valid host',
    'Der Header Host muss genau einen gültigen Host nennen',
  ],
  ['The request body could not be read', 'Der Inhalt der Anfrage konnte nicht gelesen werden'],
  ['A cookie could not be read', 'Ein Cookie konnte nicht gelesen werden'],
  [
    'The body must be sent as Content-Type: application/json, in UTF-8',
    'Der Inhalt muss als Content-Type: application/json gesendet werden, in UTF-8',
  ],
  ['The body must be a JSON object', 'Der Inhalt muss ein JSON-Objekt sein'],
  ['The body is over {0} KB', 'Der Inhalt ist größer als {0} KB'],
  [
    'You have too many requests running. Try again later.',
    'Von Ihnen laufen zu viele Anfragen gleichzeitig. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'The server is receiving too much data right now. Try again in a moment.',
    'Beim Server geht gerade zu viel auf einmal ein. Bitte versuchen Sie es gleich noch einmal.',
  ],
  ['The body is not valid UTF-8', 'Der Inhalt ist kein gültiges UTF-8'],
  [
    'The body is not valid JSON: line {0}, column {1}: {2}',
    'Der Inhalt ist kein gültiges JSON: Zeile {0}, Spalte {1}: {2}',
  ],
  [
    'The body is not valid JSON. The error is after the first 256 KB.',
    'Der Inhalt ist kein gültiges JSON. Der Fehler liegt hinter den ersten 256 KB.',
  ],
  [
    'The body is nested deeper than {0} levels',
    'Der Inhalt ist tiefer als {0} Ebenen verschachtelt',
  ],
  ['Must be {0}', 'Muss {0} sein'],
  ['Must be one of: {0}', 'Muss einer der folgenden Werte sein: {0}'],
  ['a string', 'ein Text'],
  ['an integer', 'eine ganze Zahl'],
  ['a number', 'eine Zahl'],
  ['true or false', 'wahr oder falsch'],
  ['an array', 'eine Liste'],
  ['an object', 'ein Objekt'],
  ['null', 'null'],
  ['an object with all its required fields', 'ein Objekt mit allen erforderlichen Feldern'],
  ['an object without unknown fields', 'ein Objekt ohne unbekannte Felder'],
  ['a string of at most {0} characters', 'ein Text mit höchstens {0} Zeichen'],
  ['a string of at least {0} characters', 'ein Text mit mindestens {0} Zeichen'],
  ['an object of at most {0} members', 'ein Objekt mit höchstens {0} Angaben'],
  ['an array of at most {0} entries', 'eine Liste mit höchstens {0} Einträgen'],
  ['an array of at least {0} entries', 'eine Liste mit mindestens {0} Einträgen'],
  ['at most {0}', 'höchstens {0}'],
  ['at least {0}', 'mindestens {0}'],
  ["a string that matches '{0}'", "ein Text der Form '{0}'"],
  ['This field is not known', 'Dieses Feld ist nicht bekannt'],
  [
    'X-TimeZone must be an IANA time zone, such as Europe/Berlin',
    'X-TimeZone muss eine IANA-Zeitzone sein, etwa Europe/Berlin',
  ],
  [
    'The header must be Authorization: Bearer <token>',
    'Der Header muss Authorization: Bearer <Token> lauten',
  ],
  [
    'Change your one-time password first: POST /auth/password/change',
    'Bitte ändern Sie zuerst Ihr Einmalkennwort: POST /auth/password/change',
  ],
  [
    'Your role requires a second factor. Set one up first: POST /auth/mfa/setup',
    'Ihre Rolle verlangt einen zweiten Faktor. Bitte richten Sie zuerst einen ein: POST ' +
      '/auth/mfa/setup',
  ],
  [
    'Idempotency-Key must be 1 to 255 visible ASCII characters',
    'Idempotency-Key muss aus 1 bis 255 sichtbaren ASCII-Zeichen bestehen',
  ],
  [
    'A request with this Idempotency-Key is still running',
    'Eine Anfrage mit diesem Idempotency-Key läuft gerade',
  ],
  [
    'This Idempotency-Key was already used for a different request',
    'Dieser Idempotency-Key wurde schon für eine andere Anfrage verwendet',
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
  ['The body has more than {0} values', 'Der Inhalt hat mehr als {0} Werte'],
  [
    'The request has a map of more than {0} members',
    'In der Anfrage hat eine Sammlung mehr als {0} Angaben',
  ],
  ['The form has too many parts', 'Das Formular hat zu viele Teile'],
  ['The request body arrived too slowly', 'Der Inhalt der Anfrage kam zu langsam an'],
  ['The requested range is outside the file', 'Der angeforderte Bereich liegt außerhalb der Datei'],
  ['This is no text that can be searched for', 'Nach diesem Text kann nicht gesucht werden'],
]
