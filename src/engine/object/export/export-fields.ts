/** The fields of an export, and each as a cell of its file. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { requireShown } from '../read/find-view.ts'
import {
  composeOptionLabel,
  findOptionLabel,
  findOptionsOf,
  findRequestedOption,
} from '../read/option-labels.ts'
import { tellsOptions } from '../read/option-texts.ts'
import { isCarried, projectField, visibleFields } from '../read/projection.ts'
import type { ViewUse } from '../view-access.ts'

/**
 * The fields that an export has without a choice: those of the grid that are meant to be shown,
 * each followed by its label. People get options by their labels. @throws invalid for none
 */
export function planShownFields(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  isForPeople: boolean,
): Field[] {
  const shown = visibleFields(view, grant, 'Export').filter(
    (field) => !field.hidden && field.in.has('Export'),
  )
  if (shown.length === 0) throw invalid(say`This object has no fields to export`)
  return isForPeople ? shown.flatMap((field) => labelOptions({ view, grant }, field)) : shown
}

/** The label of a field's option, beside the value where labels do not tell the values. */
function labelOptions({ view, grant }: Pick<ViewUse, 'view' | 'grant'>, field: Field): Field[] {
  const label = findOptionLabel(view, field)
  if (!label) return [field]
  return tellsOptions(grant, field, true) ? [label] : [field, label]
}

/** @throws invalid for a field that the caller does not get, or that no export has */
export function requireExported(view: View, grant: Grant, name: string): Field {
  const field = findRequestedOption(view, grant, name) ?? requireShown(view, grant, name)
  if (field.in.has('Export') || isCarried(view, field)) return field
  throw invalid(say`The field '${field.name}' cannot be exported`, { code: 'FIELD_NOT_EXPORTED' })
}

/**
 * The field as the wire has it, but JSON as text, files by their names, and whole numbers that no
 * double holds too.
 */
export function projectCell(field: Field, view: View, grant: Grant): string {
  if (FIELD_KINDS[field.type].structure === 'files' && field.labelOf === undefined)
    return composeFileNames(field)
  const options = findOptionsOf(view, field)
  if (options) return composeOptionLabel(options, grant, projectField(options, view, grant))
  const sql = projectField(field, view, grant)
  if (
    field.link ||
    (field.labelOf === undefined && FIELD_KINDS[field.type].structure === 'document')
  )
    return `(${sql} || '')`
  if (FIELD_KINDS[field.type].number !== 'whole' || field.column || field.labelOf !== undefined)
    return sql
  const whole = FIELD_KINDS.Integer.toJsonSql(quote(field.name), field)
  const isExact = `${whole} BETWEEN -${Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
  return `CASE WHEN ${isExact} THEN ${whole} ELSE CAST(${whole} AS TEXT) END`
}

/** A file holds no files: it says what they are called. */
function composeFileNames({ name }: Field): string {
  const list = `CASE WHEN json_valid(${quote(name)}) THEN ${quote(name)} END`
  return `(SELECT group_concat(f.value ->> '$.FileName', '; ') FROM json_each(${list}) AS f)`
}
