/** The right to pick one record: the gate of a field's options, for one value. */
import type { SqlValue } from '../../../store/sql.ts'
import { isReference, listLookups } from './lookup.ts'
import { findOption, type OptionRows } from './option-query.ts'
import { type FieldAccess, planDataSet, planLookupRows, planUsers } from './option-rows.ts'
import { toWire } from '../value.ts'

/**
 * Finds the label of the option that a value is, null for a record without a name, as in a grid;
 * undefined if it is not an option, so that a record that the caller may not pick is like a missing
 * one.
 */
export async function findPick(
  requested: FieldAccess,
  value: SqlValue,
): Promise<string | null | undefined> {
  if (value === null) return undefined
  const wanted = String(toWire(requested.field, value))
  for (const rows of listPickRows(requested)) {
    const option = await findOption(requested.reader, rows, wanted)
    if (option) return option.Label === '' ? null : option.Label
  }
  return undefined
}

/** Each source of options that the caller has, planned when the one before it had none. */
function* listPickRows(requested: FieldAccess): Iterable<OptionRows> {
  const { field, grant } = requested
  if (field.dataSet) yield planDataSet(requested, field.dataSet)
  if (!isReference(field)) return
  const lookups = listLookups(field, grant)
  for (const lookup of lookups) yield planLookupRows(requested, lookup)
  if (lookups.length === 0 && field.references === 'User' && !field.lookup)
    yield planUsers(requested)
}
