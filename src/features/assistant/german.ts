import type { Translations } from '../../kernel/messages.ts'

/** German texts of the assistant's routes. */
export const GERMAN: Translations = [
  [
    'Earlier questions can have at most {0} bytes in total',
    'Frühere Fragen dürfen zusammen höchstens {0} Bytes haben',
  ],
]
