/** Values that a new record gets besides those it is given: the same for a form and for a file. */
import { newId } from '../../../kernel/ids.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { isGeneratedKey } from '../../../model/sql/generated-key.ts'
import { type DefaultAccess, loadDefault } from '../read/defaults.ts'
import { type Changes, type Check, dropBarred } from './changes.ts'
import { parseValue, toWire } from '../value.ts'

/**
 * Fields with a default, or that are a key which is a Guid; then columns with a default that no
 * field of the view shows. Company and sequences are filled elsewhere.
 */
export function listLacking(
  view: View,
  entity: Entity,
  given: ReadonlySet<Column | undefined>,
): { fields: Field[]; columns: Column[] } {
  const taken = new Set(given)
  const isOpen = (column: Column) =>
    column.kind === 'declared' &&
    !column.sequence &&
    column.name !== entity.company &&
    !taken.has(column)
  const fields: Field[] = []
  for (const field of view.fields) {
    const { column } = field
    if (!column || !isOpen(column) || !(field.default ?? isGeneratedKey(column))) continue
    taken.add(column)
    fields.push(field)
  }
  return { fields, columns: entity.columns.filter((each) => each.default && isOpen(each)) }
}

/** Changes so far, written as a request would send them, for the defaults that depend on them. */
export const toParameters = (changes: Changes): Map<string, unknown> =>
  new Map([...changes].map(([field, value]) => [field.name.toLowerCase(), toWire(field, value)]))

/** Value that the table stores in a column which the statement of a new record does not name. */
export function storedDefault(column: Column | undefined): SqlValue {
  if (column?.default?.kind !== 'literal' || column.identity) return null
  const parsed = parseValue(column, column.default.value)
  return parsed.fault === undefined ? parsed.value : null
}

/** Gives fields their missing values. */
export async function fillFields(
  fields: readonly Field[],
  changes: Changes,
  access: DefaultAccess,
): Promise<void> {
  for (const field of fields) {
    changes.set(field, field.default ? await loadDefault(field, access) : newId())
  }
}

/**
 * Adds to the given values, and drops those that a condition bars. Defaults that depended on a
 * dropped value are asked again: it is removed for everything. What is left of `given` stays in it.
 * A default is nobody's input: ReadOnlyWhen does not bar it, as ReadOnly does not.
 */
export async function completeNew<Made>(
  given: Changes,
  plan: (changes: Changes) => Check,
  add: (changes: Changes) => Promise<Made>,
): Promise<{ changes: Changes; check: Check; made: Made }> {
  for (;;) {
    const changes = new Map(given)
    const made = await add(changes)
    const check = plan(changes)
    dropBarred(check, given)
    const barred = [...given.keys()].filter((field) => !changes.has(field))
    if (barred.length === 0) return { changes, check, made }
    for (const field of barred) given.delete(field)
  }
}
