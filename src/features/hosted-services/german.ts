/** Sentences of hosted-services in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['There is no such service', 'Diesen Dienst gibt es nicht'],
  ['It failed; the log says why', 'Er ist fehlgeschlagen; das Protokoll sagt warum'],
]
