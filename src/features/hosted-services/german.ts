/** Sentences of hosted-services in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['There is no such service', 'Diesen Dienst gibt es nicht'],
  [
    'It failed. See the server log for the reason.',
    'Er ist fehlgeschlagen. Der Grund steht im Protokoll des Servers.',
  ],
]
