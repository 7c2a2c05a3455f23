/** Sentences of notifications in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  [
    'Name Users or Roles, or set Company or All',
    'Users oder Roles angeben, oder Company oder All setzen',
  ],
  ['There is no such user in this company', 'Diesen Benutzer gibt es in dieser Firma nicht'],
  ['There is no such kind', 'Diese Art gibt es nicht'],
  [
    "The records of '{0}' have no key of an entity",
    "Die Datensätze von '{0}' haben keinen Schlüssel einer Entität",
  ],
]
