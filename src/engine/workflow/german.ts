import type { Translations } from '../../kernel/messages.ts'

/** Texts about instances and tasks of workflows, in German. */
export const WORKFLOW_GERMAN: Translations = [
  ['The workflow has an error: {0}', 'Der Workflow hat einen Fehler: {0}'],
  [
    'The workflow has {0} errors. The first one: {1}',
    'Der Workflow hat {0} Fehler. Der erste: {1}',
  ],
  ['The workflow no longer exists', 'Der Workflow existiert nicht mehr'],
  [
    'The workflow was changed at {0}. Reload it and try again.',
    'Der Workflow wurde um {0} geändert. Bitte laden Sie ihn neu und versuchen Sie es noch ' +
      'einmal.',
  ],
  ['The workflow has no draft', 'Der Workflow hat keinen Entwurf'],
  ['Another workflow is already named {0}', 'Ein anderer Workflow heißt bereits {0}'],
  [
    'Your workflow drafts and versions are limited to {0} bytes (Svc:Reports:UserQuota)',
    'Ihre Entwürfe und Versionen von Workflows dürfen zusammen höchstens {0} Bytes belegen ' +
      '(Svc:Reports:UserQuota)',
  ],
  ['The workflow has no such action', 'Der Workflow hat keine solche Aktion'],
  ['A comment can have at most {0} characters', 'Ein Kommentar darf höchstens {0} Zeichen haben'],
  ['No workflow is running for this record', 'Für diesen Datensatz läuft kein Workflow'],
  ['The task is already done', 'Die Aufgabe ist bereits erledigt'],
  ['This user cannot take the task', 'Dieser Benutzer kann die Aufgabe nicht übernehmen'],
  ['Task: {0}', 'Aufgabe: {0}'],
  [
    'This link is not valid, or has already been used',
    'Dieser Link ist nicht gültig oder wurde bereits verwendet',
  ],
  ['{0}: {1} is waiting for you ({2}).', '{0}: {1} wartet auf Sie ({2}).'],
  ['It is due on {0} UTC.', 'Fällig am {0} UTC.'],
  [
    '{0} (this link works once; you confirm before anything happens):',
    '{0} (dieser Link funktioniert einmal; Sie bestätigen, bevor etwas geschieht):',
  ],
  ['Due soon: {0}', 'Bald fällig: {0}'],
  ['Overdue: {0}', 'Überfällig: {0}'],
  ['There is no such instance', 'Diese Instanz gibt es nicht'],
  [
    'Someone has moved this on in the meantime. Please reload.',
    'Jemand hat dies inzwischen weiterbearbeitet. Bitte laden Sie neu.',
  ],
  ['status must be one of: {0}', 'status muss eines von diesen sein: {0}'],
  ["'{0}' must be a whole number of 1 or more", "'{0}' muss eine ganze Zahl ab 1 sein"],
  [
    "'key' must be a value or a JSON list of values",
    "'key' muss ein Wert oder eine JSON-Liste von Werten sein",
  ],
  ['The workflow has no such version', 'Der Workflow hat keine solche Version'],
  ["The version has no state '{0}'", "Die Version hat keinen Zustand '{0}'"],
  [
    'Only one of the two versions has parallel branches here',
    'Nur eine der beiden Versionen hat hier parallele Zweige',
  ],
  ['The instance has ended', 'Die Instanz ist beendet'],
  ['The workflow runs in an endless loop', 'Der Workflow läuft in einer Endlosschleife'],
  ['This user cannot act for you', 'Dieser Benutzer kann Sie nicht vertreten'],
  ['Until must be after From', 'Until muss nach From liegen'],
  ['There is no such workflow', 'Diesen Workflow gibt es nicht'],
  ["The workflow is for records of '{0}'", "Der Workflow ist für Datensätze von '{0}'"],
  [
    'The workflow is already running for this record',
    'Für diesen Datensatz läuft der Workflow bereits',
  ],
  ['There is no such task', 'Diese Aufgabe gibt es nicht'],
  [
    'This version of the workflow no longer matches the application',
    'Diese Version des Workflows passt nicht mehr zur Anwendung',
  ],
  ['This task is not assigned to you', 'Diese Aufgabe ist Ihnen nicht zugewiesen'],
  ['Someone else has claimed this task', 'Jemand anders hat diese Aufgabe übernommen'],
]
