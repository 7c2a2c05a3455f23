/** The sentences of webhooks in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['There is no such event', 'Dieses Ereignis gibt es nicht'],
  ['A webhook was turned off: {0}', 'Ein Webhook wurde abgeschaltet: {0}'],
  ['The receiver is gone (410)', 'Der Empfänger ist nicht mehr da (410)'],
  ['It took nothing for five days', 'Er nahm fünf Tage lang nichts an'],
]
