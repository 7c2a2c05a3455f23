import type { Translations } from '../../kernel/messages.ts'

/** Messages of extensions' jobs, in German. */
export const EXTENSION_GERMAN: Translations = [
  ['One run asks for at most {0} jobs', 'Ein Lauf fordert höchstens {0} Aufträge an'],
  ['At most {0} jobs of yours may wait', 'Es dürfen höchstens {0} Ihrer Aufträge warten'],
  ['The arguments are none of an event', 'Die Argumente sind keine eines Ereignisses'],
  ['A check writes nothing', 'Eine Prüfung schreibt nichts'],
  ["The check '{0}' gave no faults by field", 'Die Prüfung „{0}“ gab keine Fehler nach Feldern'],
  [
    'An extension checks at most {0} characters at once',
    'Eine Erweiterung prüft höchstens {0} Zeichen auf einmal',
  ],
  [
    'Without a user it reads and writes nothing: RunAs says as whom it does',
    'Ohne Benutzer wird nichts gelesen und geschrieben: RunAs sagt, als wer es geschieht',
  ],
  [
    'The folder of extensions cannot be read',
    'Der Ordner der Erweiterungen kann nicht gelesen werden',
  ],
  ['There is no such script', 'Dieses Skript gibt es nicht'],
  ['Name is no name of a script', 'Name ist kein Name eines Skripts'],
  [
    "'{0}' is a job: ask for it with Background",
    '„{0}“ ist ein Auftrag: er wird mit Background angefordert',
  ],
]
