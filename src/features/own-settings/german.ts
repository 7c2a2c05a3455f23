/** Sentences of own settings in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'The value of a setting can have at most {0} KB',
    'Der Wert einer Einstellung darf höchstens {0} KB haben',
  ],
  [
    'You can keep at most {0} settings. Clear some of them first.',
    'Sie können höchstens {0} Einstellungen behalten. Bitte löschen Sie zuerst einige davon.',
  ],
  [
    'Your settings can have at most {0} KB together. Clear some of them first.',
    'Ihre Einstellungen dürfen zusammen höchstens {0} KB haben. Bitte löschen Sie zuerst ' +
      'einige davon.',
  ],
]
