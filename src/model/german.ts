/** Sentences of model in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'Update allows writing SQL that reads all data of the company, even what a role hides',
    'Update erlaubt SQL, das alle Daten der Firma liest, auch solche, die eine Rolle verbirgt',
  ],
  [
    'Update allows writing SQL that reads and changes all tables of the company',
    'Update erlaubt SQL, das alle Tabellen der Firma liest und ändert',
  ],
  [
    'The model changed in the meantime. Try again.',
    'Das Modell hat sich inzwischen geändert. Bitte versuchen Sie es noch einmal.',
  ],
  [
    'The model changed in the meantime ({0}). Try again.',
    'Das Modell hat sich inzwischen geändert ({0}). Bitte versuchen Sie es noch einmal.',
  ],
  ['{0} is required', '{0} ist erforderlich'],
  ['{0} is longer than {1} characters', '{0} ist länger als {1} Zeichen'],
  ['{0} must be one of: {1}{2}', '{0} muss einer der folgenden Werte sein: {1}{2}'],
  ['{0} must be at least {1}', '{0} muss mindestens {1} sein'],
  ['{0} must be at most {1}', '{0} darf höchstens {1} sein'],
  [
    '{0} is too long to be checked against its pattern',
    '{0} ist zu lang, um gegen das Muster geprüft zu werden',
  ],
  ['{0} is not in the expected format', '{0} hat nicht das erwartete Format'],
  ['Must be text', 'Muss ein Text sein'],
  ['Must be valid Unicode text', 'Muss gültiger Unicode-Text sein'],
  ['Must be a whole number', 'Muss eine ganze Zahl sein'],
  [
    'A spreadsheet has shortened the number. Show all its digits and save again.',
    'Eine Tabellenkalkulation hat die Zahl gekürzt. Alle Ziffern anzeigen und neu speichern.',
  ],
  ['Must be a number', 'Muss eine Zahl sein'],
  ['The number is too large', 'Die Zahl ist zu groß'],
  ['The JSON has more than {0} values', 'Das JSON hat mehr als {0} Werte'],
  ['Must be true or false', 'Muss wahr oder falsch sein'],
  ['Must be a date (YYYY-MM-DD)', 'Muss ein Datum sein (JJJJ-MM-TT)'],
  ['Must be a time (HH:mm or HH:mm:ss)', 'Muss eine Uhrzeit sein (HH:mm oder HH:mm:ss)'],
  [
    'Must be a date and time with Z or an offset, like 2026-05-31T13:45:00Z',
    'Muss Datum und Uhrzeit mit Z oder Zeitverschiebung sein, etwa 2026-05-31T13:45:00Z',
  ],
  ['Must be a GUID', 'Muss eine GUID sein'],
  ['Must be valid JSON', 'Muss gültiges JSON sein'],
  [
    'The JSON contains a number that cannot be stored exactly. Send it as text in quotes.',
    'Das JSON enthält eine Zahl, die sich nicht genau speichern lässt. Bitte als Text in ' +
      'Anführungszeichen senden.',
  ],
  ['The JSON is nested too deeply', 'Das JSON ist zu tief verschachtelt'],
  [
    'The JSON contains text that is not valid Unicode',
    'Das JSON enthält Text, der kein gültiges Unicode ist',
  ],
  ['Must be a list of upload keys', 'Muss eine Liste von Upload-Schlüsseln sein'],
  ['At most {0} files are allowed', 'Höchstens {0} Dateien sind erlaubt'],
  ['Id', 'Id'],
  ['User', 'Benutzer'],
  ['User name', 'Benutzername'],
  ['Name', 'Name'],
  ['Email', 'E-Mail'],
  ['Active', 'Aktiv'],
  ['Row version', 'Datensatzversion'],
  ['Created at', 'Angelegt am'],
  ['Created by', 'Angelegt von'],
  ['Changed at', 'Geändert am'],
  ['Changed by', 'Geändert von'],
  [
    'The data or the model changed in the meantime. Deploy again.',
    'Die Daten oder das Modell haben sich inzwischen geändert. Bitte erneut ausrollen.',
  ],
  [
    'Another deploy or rollback came in between. Look at the plan again first.',
    'Inzwischen wurde etwas anderes ausgerollt. Sehen Sie zuerst den neuen Plan an.',
  ],
  [
    'No model has been deployed: there is nothing to roll back.',
    'Es wurde kein Modell ausgerollt: Es gibt nichts zurückzunehmen.',
  ],
  [
    'The last deploy was the first one: there is no model to go back to.',
    'Das letzte Ausrollen war das erste: Es gibt kein Modell, zu dem es zurückgehen könnte.',
  ],
  [
    'An earlier version made the last deploy and kept no way back. Deploy the earlier files.',
    'Eine frühere Version hat zuletzt ausgerollt und keinen Rückweg festgehalten. ' +
      'Rollen Sie die früheren Dateien aus.',
  ],
  [
    'The last deploy lost data: {0}. Restore a backup, or deploy the earlier files.',
    'Beim letzten Ausrollen gingen Daten verloren: {0}. Stellen Sie eine Sicherung wieder her, ' +
      'oder rollen Sie die früheren Dateien aus.',
  ],
]
