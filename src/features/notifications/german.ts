/** Sentences of notifications in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['Set Users, Roles, Company or All', 'Geben Sie Users, Roles, Company oder All an'],
  ['There is no such kind', 'Diese Art gibt es nicht'],
  [
    "The records of '{0}' do not contain the key of an entity",
    "Die Datensätze von '{0}' enthalten nicht den Schlüssel einer Entität",
  ],
]
