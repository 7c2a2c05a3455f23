/** Sentences of health in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['A database is not responding', 'Eine Datenbank antwortet nicht'],
  ['Extensions are still loading', 'Erweiterungen werden noch geladen'],
]
