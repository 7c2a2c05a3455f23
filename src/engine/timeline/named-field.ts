/** Fields by the names that effects give them in their texts. */
import type { Field } from '../../model/compiled/field.ts'
import { isServed } from '../object/read/find-view.ts'
import type { OpenRecord } from './open-record.ts'
import { isStored } from './shown-fields.ts'

/**
 * The field by which a reader sees what an effect of a view or entity names so; undefined where
 * they do not see it on this record.
 */
export function findNamedField(
  { use, shown, hidden, keyed, by }: OpenRecord,
  owner: string,
  name: string,
): Field | undefined {
  const key = name.toLowerCase()
  const { view, grant } = use
  if (view.name === owner) {
    const field = view.fieldByName.get(key)
    return field && isServed(view, grant, field) && !hidden.has(key) ? field : undefined
  }
  const other = by.model.views.get(owner)
  const field = other?.fieldByName.get(key)
  const column =
    other === undefined
      ? keyed.entity.columnByName.get(key)
      : field && isStored(other, field)
        ? field.column
        : undefined
  if (!column) return undefined
  return column.key ? view.keys.find((each) => each.column === column) : shown.get(column.name)
}
