/** Sentences of global-search in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'There is no searchable object with this name',
    'Ein durchsuchbares Objekt mit diesem Namen gibt es nicht',
  ],
  ['A search can have at most {0} characters', 'Eine Suche darf höchstens {0} Zeichen haben'],
  ['must be between 1 and {0}', 'muss zwischen 1 und {0} liegen'],
]
