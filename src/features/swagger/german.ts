/** Sentences of swagger in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [['Swagger is turned off', 'Swagger ist abgeschaltet']]
