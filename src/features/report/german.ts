import type { Translations } from '../../kernel/messages.ts'

/** Code-defined reports in German, by English template. */
export const GERMAN: Translations = [['true or false', 'true oder false']]
