/** The sentences of webhooks in German, by English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [['There is no such event', 'Dieses Ereignis gibt es nicht']]
