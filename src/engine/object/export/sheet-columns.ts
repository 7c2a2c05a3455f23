/** Fields of a view as the columns of a file, and the headers that name them there. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field, View } from '../../../model/model.ts'
import type { SheetColumn } from '../../sheets/format.ts'
import { requireListed } from '../read/find-view.ts'
import { isCarried, visibleFields } from '../read/projection.ts'

/**
 * The fields that an export has: those of the grid that are meant to be shown, each followed by its
 * label; of those that were asked for, exactly these, in their order.
 * @throws invalid for a field that the caller does not get, or that no export has.
 */
export function planExportFields(
  view: View,
  grant: Grant,
  requested: readonly string[] | null | undefined,
): Field[] {
  if (!requested?.length) {
    const shown = visibleFields(view, grant, 'Export').filter(
      (field) => !field.hidden && field.in.has('Export'),
    )
    if (shown.length === 0) throw invalid(say`This object has no fields to export`)
    return shown
  }
  return [...new Set(requested.map((name) => requireExported(view, grant, name)))]
}

function requireExported(view: View, grant: Grant, name: string): Field {
  const field = requireListed(view, grant, name)
  if (field.in.has('Export') || isCarried(view, field)) return field
  throw invalid(say`Field '${field.name}' is not exported`, { code: 'FIELD_NOT_EXPORTED' })
}

/** The columns of fields, in their order. */
export function planSheetColumns(fields: readonly Field[]): SheetColumn[] {
  const headers = planHeaders(fields)
  return fields.map((field, at) => ({
    name: field.name,
    label: headers[at] ?? field.name,
    type: field.link ? 'Json' : field.column?.kind === 'stamp' ? 'Text' : field.type,
    scale: field.scale,
    format: field.format,
    options: field.options,
  }))
}

/**
 * Labels, each unlike the others: where some are alike, the names are added. What a record is
 * called bears the label that its key has, and keeps it: that is what people look for.
 */
export function planHeaders(
  fields: readonly Pick<Field, 'name' | 'label' | 'labelOf'>[],
): string[] {
  const labels = new Map<string, number>()
  const names = new Map<string, number>()
  const key = (label: string): string => label.trim().toLowerCase()
  for (const { label, labelOf } of fields) {
    const counts = labelOf === undefined ? labels : names
    counts.set(key(label), (counts.get(key(label)) ?? 0) + 1)
  }
  return fields.map(({ name, label, labelOf }) => {
    const own = (labelOf === undefined ? labels : names).get(key(label)) ?? 0
    const isTaken = own > 1 || (labelOf === undefined && names.has(key(label)))
    return isTaken ? `${label} (${name})` : label
  })
}
