/** Sentences of access in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['A service account has no password', 'Ein Dienstkonto hat kein Kennwort'],
  ['Nobody locks or deletes themselves', 'Niemand sperrt oder löscht sich selbst'],
  [
    'Change your own password where the present one is asked for',
    'Ändern Sie Ihr eigenes Kennwort dort, wo nach dem jetzigen gefragt wird',
  ],
  [
    'Attributes decide what you see: somebody else has to change yours',
    'Attribute entscheiden, was Sie sehen: Ihre muss jemand anderes ändern',
  ],
]
