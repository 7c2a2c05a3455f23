/** Texts of hubs in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const HUB_GERMAN: Translations = [
  ['This invocation id is in use', 'Diese Aufruf-Id ist schon in Gebrauch'],
  ['Too many streams at once', 'Zu viele Datenströme auf einmal'],
  ['You have too many streams running', 'Bei Ihnen laufen zu viele Datenströme'],
  ['Arguments cannot be streamed', 'Argumente können nicht als Datenstrom kommen'],
  ['This method gives no stream', 'Diese Methode gibt keinen Datenstrom'],
  ['This method gives a stream', 'Diese Methode gibt einen Datenstrom'],
  ['The answer is too large for a hub', 'Die Antwort ist zu groß für einen Hub'],
  ['There is no such connection', 'Diese Verbindung gibt es nicht'],
  [
    'Pages of this origin are not allowed to connect',
    'Seiten dieses Ursprungs dürfen sich nicht verbinden',
  ],
  ['This is no handshake of a WebSocket', 'Das ist kein Verbindungsaufbau eines WebSockets'],
  ['You have too many connections open', 'Sie haben zu viele Verbindungen offen'],
  [
    'The server takes no more connections now; try again',
    'Der Server nimmt gerade keine Verbindungen mehr an; bitte noch einmal versuchen',
  ],
  ['There is no such method', 'Diese Methode gibt es nicht'],
  ['At most {0} arguments are expected', 'Höchstens {0} Argumente werden erwartet'],
]
