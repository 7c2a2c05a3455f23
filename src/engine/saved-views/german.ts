import type { Translations } from '../../kernel/messages.ts'

/** Sentences of saved views in German, by their English template. */
export const SAVED_VIEWS_GERMAN: Translations = [
  ['There is no such saved view', 'Diese gespeicherte Ansicht gibt es nicht'],
  ['You are not allowed to share views', 'Sie dürfen keine Ansichten teilen'],
  [
    'You are not allowed to change this shared view',
    'Sie dürfen diese geteilte Ansicht nicht ändern',
  ],
  [
    'You are not allowed to delete this shared view',
    'Sie dürfen diese geteilte Ansicht nicht löschen',
  ],
  [
    'The view was changed by someone else. Reload it and try again.',
    'Die Ansicht wurde von jemand anderem geändert. Bitte laden Sie sie neu und versuchen Sie ' +
      'es noch einmal.',
  ],
  [
    'Only the person who shared a view can take it back',
    'Nur wer eine Ansicht geteilt hat, kann sie zurücknehmen',
  ],
  [
    'Name the role to share the view with',
    'Bitte nennen Sie die Rolle, mit der die Ansicht geteilt wird',
  ],
  ['must be one of your roles', 'muss eine Ihrer Rollen sein'],
  [
    'The name of a view must have visible characters',
    'Der Name einer Ansicht muss sichtbare Zeichen haben',
  ],
  ['A saved view can have at most {0} KB', 'Eine gespeicherte Ansicht darf höchstens {0} KB haben'],
  [
    'The company can share at most {0} views of an object. Delete some of them first.',
    'Die Firma kann höchstens {0} Ansichten eines Objekts teilen. Bitte löschen Sie zuerst ' +
      'einige davon.',
  ],
  [
    'You can save at most {0} views of an object. Delete some of them first.',
    'Sie können höchstens {0} Ansichten eines Objekts speichern. Bitte löschen Sie zuerst ' +
      'einige davon.',
  ],
  [
    "A group is a field, or a part of a date such as '{0}:month'",
    'Eine Gruppe ist ein Feld oder ein Teil eines Datums wie „{0}:month“',
  ],
]
