/** Arguments of a print: the key of its record, and the parameters that the view's queries take. */
import type { View } from './compiled/view.ts'

/**
 * Lists how an argument may name a key: by its field, or, for a single key, by the entity and the
 * field, as columns that refer to the record are mostly called (`OrderId`).
 */
export const listKeyNames = ({ keys, entity }: View, key: string): string[] =>
  entity && keys.length === 1 ? [key, `${entity.name}${key}`] : [key]

/** Every name that an argument of a print of the view may have: of keys, and what it declares. */
export const listPrintArguments = (view: View): string[] => [
  ...view.keys.flatMap(({ name }) => listKeyNames(view, name)),
  ...[...view.parameters.values()].map(({ name }) => name),
]
