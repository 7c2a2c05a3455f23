/** Sentences of access in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['A service account cannot have a password', 'Ein Dienstkonto kann kein Kennwort haben'],
  [
    'You cannot lock or delete your own account',
    'Sie können Ihr eigenes Konto nicht sperren oder löschen',
  ],
  [
    'To change your own password, use the form that asks for your current one',
    'Ihr eigenes Kennwort ändern Sie in dem Formular, das nach dem jetzigen fragt',
  ],
  [
    'You cannot change your own attributes, because they decide what you see',
    'Sie können Ihre eigenen Attribute nicht ändern, denn sie entscheiden, was Sie sehen',
  ],
]
