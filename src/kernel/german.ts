/** Sentences of kernel in German, by their English template. */
import type { Translations } from './messages.ts'

export const GERMAN: Translations = [
  ['Sign in first', 'Bitte zuerst anmelden'],
  ['You are not allowed to do this', 'Das dürfen Sie nicht'],
  [
    'The server could not do this. Its log has the reason under this trace id.',
    'Der Server konnte das nicht tun. Den Grund nennt sein Protokoll unter dieser Trace-Id.',
  ],
  [
    'It is not known whether this was saved. Check before you send it again.',
    'Es ist nicht bekannt, ob dies gespeichert wurde. Bitte vor dem Wiederholen nachsehen.',
  ],
  [
    'The disk of the server has no room for files now',
    'Die Platte des Servers hat gerade keinen Platz für Dateien',
  ],
  [
    'The server cannot write its files now. Try again later.',
    'Der Server kann seine Dateien gerade nicht schreiben. Bitte später noch einmal versuchen.',
  ],
  [
    'The server cannot read its files now. Try again later.',
    'Der Server kann seine Dateien gerade nicht lesen. Bitte später noch einmal versuchen.',
  ],
  ['a value was expected', 'ein Wert wurde erwartet'],
  ['a value or ] was expected', 'ein Wert oder ] wurde erwartet'],
  [
    'a member name in double quotes or } was expected',
    'ein Name in doppelten Anführungszeichen oder } wurde erwartet',
  ],
  [
    'a member name in double quotes was expected',
    'ein Name in doppelten Anführungszeichen wurde erwartet',
  ],
  ['a colon was expected', 'ein Doppelpunkt wurde erwartet'],
  [
    'a comma or the closing bracket was expected',
    'ein Komma oder die schließende Klammer wurde erwartet',
  ],
  ['nothing more was expected', 'es wurde nichts mehr erwartet'],
  ['the text ended too early', 'der Text endet zu früh'],
  [
    'Too much of this is under way; try again later',
    'Davon läuft gerade zu viel; bitte später noch einmal',
  ],
  ['Validation failed', 'Die Prüfung ist fehlgeschlagen'],
]
