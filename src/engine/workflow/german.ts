import type { Translations } from '../../kernel/messages.ts'

/** Texts about instances and tasks of workflows, in German. */
export const WORKFLOW_GERMAN: Translations = [
  ['The workflow has a fault: {0}', 'Der Workflow hat einen Fehler: {0}'],
  ['The workflow has {0} faults, the first: {1}', 'Der Workflow hat {0} Fehler, der erste: {1}'],
  ['The workflow is not there any more', 'Den Workflow gibt es nicht mehr'],
  [
    'The workflow was changed at {0}: load it again',
    'Der Workflow wurde um {0} geändert: bitte neu laden',
  ],
  ['The workflow has no draft', 'Der Workflow hat keinen Entwurf'],
  ['Another workflow is called {0}', 'Ein anderer Workflow heißt {0}'],
  [
    'Your drafts and versions of workflows may take {0} bytes (Svc:Reports:UserQuota)',
    'Ihre Entwürfe und Versionen von Workflows dürfen {0} Bytes belegen (Svc:Reports:UserQuota)',
  ],
  ['The workflow has no such action', 'Diese Aktion hat der Workflow nicht'],
  ['A comment has at most {0} characters', 'Ein Kommentar hat höchstens {0} Zeichen'],
  ['No workflow is running for this record', 'Für diesen Datensatz läuft kein Workflow'],
  ['The task is done', 'Die Aufgabe ist erledigt'],
  ['This user cannot do the task', 'Dieser Benutzer kann die Aufgabe nicht erledigen'],
  ['Task: {0}', 'Aufgabe: {0}'],
  ['This link is used up, or was never valid', 'Dieser Link ist verbraucht oder war nie gültig'],
  ['{0}: {1} waits for you ({2}).', '{0}: {1} wartet auf Sie ({2}).'],
  ['It is due on {0} UTC.', 'Fällig am {0} UTC.'],
  [
    '{0} (the link works once, and shows first what it does):',
    '{0} (der Link gilt einmal und zeigt zuerst, was er tut):',
  ],
  ['Due soon: {0}', 'Bald fällig: {0}'],
  ['Overdue: {0}', 'Überfällig: {0}'],
  ['There is no such instance', 'Diese Instanz gibt es nicht'],
  [
    'Somebody has moved this meanwhile: look again',
    'Jemand hat dies inzwischen weiterbewegt: bitte neu laden',
  ],
  ['status is one of: {0}', 'status ist einer von: {0}'],
  ["'{0}' is a whole number from 1 on", "'{0}' ist eine ganze Zahl ab 1"],
  [
    "'key' is one value or a JSON list of them",
    "'key' ist ein Wert oder eine JSON-Liste von Werten",
  ],
  ['The workflow has no such version', 'Diese Version hat der Workflow nicht'],
  ["The version has no state '{0}'", "Die Version hat keinen Zustand '{0}'"],
  [
    'Branches run in one of the versions, and not in the other',
    'In einer der Versionen laufen Zweige, in der anderen nicht',
  ],
  ['The instance has ended', 'Die Instanz ist beendet'],
  ['The workflow runs in a circle without end', 'Der Workflow läuft endlos im Kreis'],
  ['This user cannot act for you', 'Dieser Benutzer kann Sie nicht vertreten'],
  ['Until is not after From', 'Until liegt nicht nach From'],
  ['There is no such workflow', 'Diesen Workflow gibt es nicht'],
  ["The workflow moves records of '{0}'", "Der Workflow bewegt Datensätze von '{0}'"],
  ['The record is on its way already', 'Der Datensatz ist schon unterwegs'],
  ['There is no such task', 'Diese Aufgabe gibt es nicht'],
  [
    'This version of the workflow does not fit the application any more',
    'Diese Version des Workflows passt nicht mehr zur Anwendung',
  ],
  ['This task is not yours', 'Das ist nicht Ihre Aufgabe'],
  ['Somebody else has claimed this task', 'Jemand anders hat diese Aufgabe übernommen'],
]
