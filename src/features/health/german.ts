/** Sentences of health in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['A store does not answer', 'Ein Speicher antwortet nicht'],
  ['Extensions are still being read', 'Erweiterungen werden noch gelesen'],
]
