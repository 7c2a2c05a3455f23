/** Sentences of global-search in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['No object of this name is searched', 'Kein Objekt dieses Namens wird durchsucht'],
  ['A search has at most {0} characters', 'Eine Suche hat höchstens {0} Zeichen'],
  ['A search shows 1 to {0} hits of an object', 'Eine Suche zeigt 1 bis {0} Treffer eines Objekts'],
]
