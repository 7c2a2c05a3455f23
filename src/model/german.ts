/** Sentences of model in German, by their English template. */
import type { Translations } from '../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'Update means writing SQL that reads all of the company, whatever a role hides',
    'Update heißt SQL schreiben, das alles in der Firma liest, was auch immer eine Rolle verbirgt',
  ],
  [
    'Update means writing SQL that reads and changes all tables of the company',
    'Update heißt SQL schreiben, das alle Tabellen der Firma liest und ändert',
  ],
  [
    'The model has changed meanwhile; try again',
    'Das Modell hat sich inzwischen geändert; versuchen Sie es noch einmal',
  ],
  [
    'The model has changed meanwhile ({0}); try again',
    'Das Modell hat sich inzwischen geändert ({0}); versuchen Sie es noch einmal',
  ],
  ['{0} is required', '{0} ist erforderlich'],
  ['{0} is longer than {1} characters', '{0} ist länger als {1} Zeichen'],
  ['{0} must be one of: {1}{2}', '{0} muss einer dieser Werte sein: {1}{2}'],
  ['{0} must be at least {1}', '{0} muss mindestens {1} sein'],
  ['{0} must be at most {1}', '{0} darf höchstens {1} sein'],
  ['{0} is too long for its pattern', '{0} ist zu lang für sein Muster'],
  ['{0} does not have the form that it should have', '{0} hat nicht die verlangte Form'],
  ['A text is needed here', 'Hier wird ein Text gebraucht'],
  ['A text must not hold the character NUL', 'Ein Text darf das Zeichen NUL nicht enthalten'],
  ['This is no valid Unicode text', 'Das ist kein gültiger Unicode-Text'],
  ['A whole number is needed here', 'Hier wird eine ganze Zahl gebraucht'],
  ['A number is needed here', 'Hier wird eine Zahl gebraucht'],
  ['The number is too large', 'Die Zahl ist zu groß'],
  ['The JSON holds more than {0} values', 'Das JSON hat mehr als {0} Werte'],
  ['True or false is needed here', 'Hier wird wahr oder falsch gebraucht'],
  ['A date as YYYY-MM-DD is needed here', 'Hier wird ein Datum als JJJJ-MM-TT gebraucht'],
  [
    'A time as HH:mm or HH:mm:ss is needed here',
    'Hier wird eine Uhrzeit als HH:mm oder HH:mm:ss gebraucht',
  ],
  [
    'A date and time with Z or an offset is needed here, like 2026-05-31T13:45:00Z',
    'Hier werden Datum und Uhrzeit mit Z oder Zeitverschiebung gebraucht, etwa ' +
      '2026-05-31T13:45:00Z',
  ],
  ['A GUID is needed here', 'Hier wird eine GUID gebraucht'],
  ['This is no valid JSON', 'Das ist kein gültiges JSON'],
  [
    'The JSON holds a number that cannot be kept exactly: send it as a text in quotes',
    'Eine Zahl im JSON lässt sich nicht genau speichern: als Text in Anführungszeichen senden',
  ],
  ['The JSON is nested too deeply', 'Das JSON ist zu tief verschachtelt'],
  [
    'The JSON holds text that is no valid Unicode',
    'Das JSON enthält Text, der kein gültiges Unicode ist',
  ],
  ['A list of upload keys is needed here', 'Hier wird eine Liste von Upload-Schlüsseln gebraucht'],
  ['At most {0} files are allowed here', 'Hier sind höchstens {0} Dateien erlaubt'],
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
    'The data or the model changed meanwhile: deploy again',
    'Daten oder Modell haben sich inzwischen geändert: bitte erneut ausrollen',
  ],
]
