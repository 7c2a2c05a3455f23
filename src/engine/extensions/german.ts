import type { Translations } from '../../kernel/messages.ts'

/** Messages of extensions' jobs, in German. */
export const EXTENSION_GERMAN: Translations = [
  ['One run can start at most {0} jobs', 'Ein Lauf kann höchstens {0} Aufträge starten'],
  [
    'You already have {0} jobs waiting. Please try again later.',
    'Es warten bereits {0} Ihrer Aufträge. Bitte versuchen Sie es später noch einmal.',
  ],
  ['The arguments are not those of an event', 'Die Argumente gehören nicht zu einem Ereignis'],
  ['A check cannot change data', 'Eine Prüfung kann keine Daten ändern'],
  [
    "The check '{0}' must return its errors by field",
    'Die Prüfung „{0}“ muss ihre Fehler nach Feldern liefern',
  ],
  [
    'An extension can check at most {0} characters at once',
    'Eine Erweiterung kann höchstens {0} Zeichen auf einmal prüfen',
  ],
  [
    'Without a user, data cannot be read or changed. Set RunAs.',
    'Ohne Benutzer lassen sich Daten weder lesen noch ändern. Setzen Sie RunAs.',
  ],
  [
    'The extensions folder cannot be read',
    'Der Ordner der Erweiterungen kann nicht gelesen werden',
  ],
  ['There is no such script', 'Dieses Skript gibt es nicht'],
  ['Name is not a valid script name', 'Name ist kein gültiger Skriptname'],
  [
    "'{0}' is a job. Run it with Background.",
    '„{0}“ ist ein Auftrag. Starten Sie ihn mit Background.',
  ],
]
