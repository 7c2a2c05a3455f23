/** Sentences of files in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [['There is no such file', 'Diese Datei gibt es nicht']]
