/** Fields of a record's changes that a caller sees, with their values as rows have them. */
import { renderMessage } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { isServed } from '../object/read/find-view.ts'
import { findOwnTable } from '../object/read/query-shape.ts'
import { readEntries } from '../object/record/file-entries.ts'
import { toWire } from '../object/value.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { TimelineField } from './schema.ts'

/** Most characters of a text or document; the rest is cut. */
const CHARACTERS_MAX = 2000

/** Columns with their old and new values, as the audit log has them. */
export type StoredChanges = Readonly<Record<string, readonly [SqlValue, SqlValue]>>

/** The facts of an entry that is no change of fields: they come from nothing. */
export const readFacts = <T>(changes: StoredChanges): T =>
  Object.fromEntries(Object.entries(changes).map(([name, [, to]]) => [name, to])) as T

/** A change with the field that shows it. */
export interface ShownChange {
  field: Field
  from: SqlValue
  to: SqlValue
}

/**
 * Fields of a view by the column of the record that they show as it is stored, without those that
 * the caller does not see on this row.
 */
export function listShown(
  { view, grant }: ViewUse,
  hidden: ReadonlySet<string>,
): ReadonlyMap<string, Field> {
  const shown = new Map<string, Field>()
  if (!showsOwnRows(view, grant.model)) return shown
  for (const field of view.fields) {
    const column = field.column?.name
    if (column === undefined || shown.has(column)) continue
    if (field.hidden || field.column?.key === true || hidden.has(field.name.toLowerCase())) continue
    if (isServed(view, grant, field) && isStored(view, field)) shown.set(column, field)
  }
  return shown
}

/** True where a row of the view is its record, and no other one of the same table. */
function showsOwnRows(view: View, model: ViewUse['grant']['model']): boolean {
  const [key, ...others] = view.keys
  if (view.isGenerated) return true
  if (!key || others.length > 0) return false
  return findOwnTable(view.query, key.name, model) === view.entity?.table.toLowerCase()
}

/** True for a column of the query that comes straight from the table: no expression covers it. */
export function isStored({ query, entity, isGenerated }: View, { name, column }: Field): boolean {
  const output = query.columns.find((each) => each.name === name)
  if (output?.table === undefined) return isGenerated
  return (
    output.table.toLowerCase() === entity?.table.toLowerCase() &&
    output.column?.toLowerCase() === column?.name.toLowerCase()
  )
}

/** The changes of an entry that a caller sees. */
export const listChanges = (
  shown: ReadonlyMap<string, Field>,
  changes: StoredChanges,
): ShownChange[] =>
  Object.entries(changes).flatMap(([column, [from, to]]) => {
    const field = shown.get(column)
    return field ? [{ field, from, to }] : []
  })

/** Tells whether only the files of a field changed. */
export const isFiles = ({ field }: ShownChange): boolean =>
  FIELD_KINDS[field.type].structure === 'files'

/** A change as the wire has it, without the labels of records. */
export function toTimelineField(change: ShownChange, language: string): TimelineField {
  const { field } = change
  const [from, isFromCut] = showValue(field, change.from)
  const [to, isToCut] = showValue(field, change.to)
  return {
    Field: field.name,
    Label: renderMessage(field.label, language),
    From: from,
    To: to,
    ...((isFromCut || isToCut) && { IsCut: true }),
  }
}

function showValue(field: Field, value: SqlValue): [value: unknown, isCut: boolean] {
  const { structure } = FIELD_KINDS[field.type]
  if (value === null) return [null, false]
  if (structure === 'files')
    return [
      readEntries(value).flatMap((each) => (typeof each === 'string' ? [] : [each.FileName])),
      false,
    ]
  if (typeof value === 'string' && value.length > CHARACTERS_MAX)
    return [`${value.slice(0, CHARACTERS_MAX)}…`, true]
  return [toWire(field, value), false]
}
