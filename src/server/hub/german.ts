/** Texts of hubs in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const HUB_GERMAN: Translations = [
  ['This invocation id is already in use', 'Diese Aufruf-Id ist schon in Gebrauch'],
  ['Too many streams at once', 'Zu viele Datenströme auf einmal'],
  ['You have too many streams open', 'Sie haben zu viele Datenströme offen'],
  ['Arguments cannot be streamed', 'Argumente können nicht als Datenstrom gesendet werden'],
  ['This method does not return a stream', 'Diese Methode liefert keinen Datenstrom'],
  ['This method returns a stream', 'Diese Methode liefert einen Datenstrom'],
  ['The result is too large for a hub message', 'Das Ergebnis ist zu groß für eine Hub-Nachricht'],
  ['There is no such connection', 'Diese Verbindung gibt es nicht'],
  [
    'Pages of this origin are not allowed to connect',
    'Seiten dieses Ursprungs dürfen sich nicht verbinden',
  ],
  ['This is not a WebSocket handshake', 'Das ist kein WebSocket-Handshake'],
  ['You have too many connections open', 'Sie haben zu viele Verbindungen offen'],
  [
    'The server has too many connections right now. Try again later.',
    'Der Server hat gerade zu viele Verbindungen. Bitte versuchen Sie es später noch einmal.',
  ],
  ['There is no such method', 'Diese Methode gibt es nicht'],
  ['The method takes at most {0} arguments', 'Die Methode nimmt höchstens {0} Argumente'],
  ['The message is too long', 'Die Nachricht ist zu lang'],
  [
    'The handshake must have a protocol and a version',
    'Der Handshake muss ein Protokoll und eine Version haben',
  ],
  ["The protocol '{0}' is not supported.", 'Das Protokoll „{0}“ wird nicht unterstützt.'],
  [
    "The server does not support version {0} of the 'json' protocol.",
    'Der Server unterstützt Version {0} des Protokolls „json“ nicht.',
  ],
  ['The message must have a type', 'Die Nachricht muss einen Typ haben'],
  ['The message has too many values', 'Die Nachricht hat zu viele Werte'],
  ['The message must be JSON', 'Die Nachricht muss JSON sein'],
  ['The message must be a JSON object', 'Die Nachricht muss ein JSON-Objekt sein'],
  ['The message must be UTF-8', 'Die Nachricht muss UTF-8 sein'],
  ['target must be a text', 'target muss ein Text sein'],
  ['arguments must be a list', 'arguments muss eine Liste sein'],
  [
    'invocationId must be a text of at most {0} characters',
    'invocationId muss ein Text mit höchstens {0} Zeichen sein',
  ],
  ['Too many messages', 'Zu viele Nachrichten'],
  ['Too many calls are waiting', 'Zu viele Aufrufe warten'],
  ['The client stopped responding', 'Der Client antwortet nicht mehr'],
]
