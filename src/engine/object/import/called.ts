/**
 * Labels of stored values, for columns of labels: a cell that says just that changes nothing,
 * whether or not others are called the same, or the caller could pick what it names.
 */
import { normalizeText } from '../../../kernel/blanks.ts'
import { renderMessage } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { ImportColumn, ImportColumns } from './import-plan.ts'
import { findLabel } from '../read/labels.ts'
import { projectField } from '../read/projection.ts'

/** A column of labels, and the field that tells them of stored records. */
export interface CalledColumn {
  column: ImportColumn
  label: Field
}

/** Columns whose labels only rows tell: those of options are known. */
export const listCalled = (view: View, { values, lists }: ImportColumns): CalledColumn[] =>
  [...values, ...lists].flatMap((column) => {
    const label = column.isLabel ? findLabel(view, column.field) : undefined
    return label ? [{ column, label }] : []
  })

/** Cells over rows of the view: what each is called, and of a list its keys, as texts. */
export const composeCalled = (
  called: readonly CalledColumn[],
  { view, grant }: { view: View; grant: Grant },
): string[] =>
  called.flatMap(({ column: { at, field }, label }) => [
    `(${projectField(label, view, grant)} || '') AS _called${at}`,
    ...(field.link ? [`(${projectField(field, view, grant)} || '') AS _keys${at}`] : []),
  ])

/** True when a cell of a column of labels is what the stored value is called. */
export function isCalled(
  { field, at }: ImportColumn,
  cell: string | null,
  { called, stored, grant }: { called: SqlRow; stored: SqlValue; grant: Grant },
): boolean {
  const text = normalizeText(cell ?? '')
  if (field.options.length === 0) {
    return called[`_called${at}`] !== undefined && text === textOf(called[`_called${at}`])
  }
  const option = field.options.find(({ value }) => value === String(stored))
  const label = option ? renderMessage(option.label, grant.caller.language) : stored
  return text === textOf(label)
}

/** The keys of a stored list, where the cell has what they are called in their order. */
export const findCalledKeys = (
  { at }: ImportColumn,
  cell: string | null,
  called: SqlRow,
): SqlValue | undefined => (cell === called[`_called${at}`] ? called[`_keys${at}`] : undefined)

const textOf = (value: SqlValue | undefined): string => normalizeText(String(value ?? ''))
