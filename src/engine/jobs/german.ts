import type { Translations } from '../../kernel/messages.ts'

/** Jobs and their histories in German. */
export const JOB_GERMAN: Translations = [
  [
    'The arguments of a job can have at most {0} bytes',
    'Die Argumente eines Auftrags dürfen höchstens {0} Bytes lang sein',
  ],
  [
    'This job belongs to the engine and has no user',
    'Dieser Auftrag gehört der Engine und hat keinen Benutzer',
  ],
  [
    'The job is held after a restore. Resume lets all go; delete what must not be sent.',
    'Der Auftrag wird nach einer Wiederherstellung zurückgehalten. Fortsetzen gibt alle frei; ' +
      'löschen Sie, was nicht gesendet werden darf.',
  ],
  ['There is no such job', 'Diesen Auftrag gibt es nicht'],
  ['It took too long and was stopped', 'Das hat zu lange gedauert und wurde beendet'],
  [
    'The server stopped while the job was running',
    'Der Server wurde beendet, während der Auftrag lief',
  ],
  [
    'The job is already running or waiting for a worker',
    'Der Auftrag läuft bereits oder wartet auf einen freien Platz',
  ],
  ['Restarted by {0}', 'Neu gestartet von {0}'],
  ['Restarted with changes by {0}', 'Mit Änderungen neu gestartet von {0}'],
  ['Deleted by {0}', 'Gelöscht von {0}'],
  ['The server stopped', 'Der Server wurde beendet'],
  [
    'The job did not stop when it was asked to',
    'Der Auftrag hat auf die Aufforderung hin nicht angehalten',
  ],
  [
    'The model has changed. The job starts over.',
    'Das Modell hat sich geändert. Der Auftrag beginnt von vorn.',
  ],
  [
    'The model or the rights have changed. The job starts over.',
    'Das Modell oder die Rechte haben sich geändert. Der Auftrag beginnt von vorn.',
  ],
  [
    'The result is over {0} characters and was not kept',
    'Das Ergebnis hat mehr als {0} Zeichen und wurde nicht gespeichert',
  ],
]
