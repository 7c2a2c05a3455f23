import type { Translations } from '../../kernel/messages.ts'

/** Sentences of timelines in German, by their English template. */
export const TIMELINE_GERMAN: Translations = [
  [
    "The records of '{0}' have no timeline, because they have no key of their own",
    'Die Datensätze von „{0}“ haben keine Zeitleiste, weil sie keinen eigenen Schlüssel haben',
  ],
]
