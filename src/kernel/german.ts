/** Sentences of kernel in German, by their English template. */
import type { Translations } from './messages.ts'

export const GERMAN: Translations = [
  ['Sign in first', 'Bitte zuerst anmelden'],
  ['You are not allowed to do this', 'Dazu sind Sie nicht berechtigt'],
  [
    'The server could not complete this. Its log has the reason under this trace id.',
    'Der Server konnte das nicht ausführen. Den Grund nennt sein Protokoll unter dieser Trace-Id.',
  ],
  [
    'We cannot tell whether this was saved. Check before you send it again.',
    'Es ist unklar, ob dies gespeichert wurde. Bitte sehen Sie nach, bevor Sie es erneut senden.',
  ],
  [
    'The server has no disk space left for files. Try again later.',
    'Auf dem Server ist kein Speicherplatz für Dateien mehr frei. Bitte versuchen Sie es ' +
      'später noch einmal.',
  ],
  [
    'The server cannot write files right now. Try again later.',
    'Der Server kann gerade keine Dateien schreiben. Bitte versuchen Sie es später noch einmal.',
  ],
  [
    'The server cannot read files right now. Try again later.',
    'Der Server kann gerade keine Dateien lesen. Bitte versuchen Sie es später noch einmal.',
  ],
  ['expected a value', 'ein Wert wird erwartet'],
  ['expected a value or ]', 'ein Wert oder ] wird erwartet'],
  [
    'expected a name in double quotes, or }',
    'ein Name in doppelten Anführungszeichen oder } wird erwartet',
  ],
  ['expected a name in double quotes', 'ein Name in doppelten Anführungszeichen wird erwartet'],
  ['expected a colon', 'ein Doppelpunkt wird erwartet'],
  [
    'expected a comma or the closing bracket',
    'ein Komma oder die schließende Klammer wird erwartet',
  ],
  ['expected nothing more', 'hier darf nichts mehr folgen'],
  ['the text ends too early', 'der Text endet zu früh'],
  [
    'The server has too much of this work to do right now. Try again later.',
    'Der Server ist damit gerade ausgelastet. Bitte versuchen Sie es später noch einmal.',
  ],
  ['Validation failed', 'Die Prüfung ist fehlgeschlagen'],
]
