/** What an export reads: the rows and the order of the grid, each row as the cells of a file. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Field, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { SheetColumn } from '../../sheets/format.ts'
import type { Context } from '../context.ts'
import { isServed, requireListed } from '../read/find-view.ts'
import { composeJsonArray, isCarried, projectField, visibleFields } from '../read/projection.ts'
import type { ExportTableRequest } from '../schema.ts'
import { composeOver, type RowForm } from '../read/row-forms.ts'
import { planSearch } from '../read/search.ts'
import { requireSearchText } from '../read/search-text.ts'
import { composeOrder, planSort } from '../read/sort.ts'
import { planConditions } from '../read/table.ts'
import { planSheetColumns } from '../sheet-file.ts'

export interface ExportPlan {
  columns: SheetColumn[]
  /** One column: a row's cells as a JSON array. */
  rows: SqlRead
}

/**
 * All rows that the grid has for these filters, and that the caller may export.
 * @throws invalid for what does not fit the view; nothing has been read then.
 */
export function planExport(
  view: View,
  request: ExportTableRequest,
  grant: Grant,
  context: Context,
): ExportPlan {
  const fields = planExportFields(view, grant, request.Fields)
  const { bindings, source, scope, where } = planConditions(view, request, grant, context, 'export')
  const search = planSearch(scope, requireSearchText(request.SearchText))
  const order = composeOrder(planSort(view, grant, request.Sort))
  const all = search.where === '' ? where : [...where, search.where]
  const row = composeJsonArray(fields.map((field) => projectCell(field, view, grant)))
  // The limit has SQLite compute a column once however often it is named. What is sorted outside of
  // it are finished cells, which takes two thirds of the time that sorting whole rows takes.
  const compose = (form: RowForm): string => {
    const from = `${search.join}${form.from} ${form.where(all)}`
    const rows = `SELECT * FROM ${from} LIMIT -1 OFFSET 0`
    return `${form.with}SELECT ${row} FROM (${rows})${order && ` ORDER BY ${order}`}`
  }
  return {
    columns: planSheetColumns(fields, grant.caller.language),
    rows: {
      ...composeOver(source, compose),
      args: bindings.args(),
      runs: 'lane',
      of: source.of,
    },
  }
}

/**
 * The fields that an export has: those of the grid that are meant to be shown, each followed by its
 * label; of requested ones, exactly these, in their order.
 * @throws invalid for a field that the caller does not get, or that no export has.
 */
function planExportFields(
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
  const key = name.toLowerCase()
  const label = view.linked.find((each) => each.labelOf && each.name.toLowerCase() === key)
  const field = label && isServed(view, grant, label) ? label : requireListed(view, grant, name)
  if (field.in.has('Export') || isCarried(view, field)) return field
  throw invalid(say`Field '${field.name}' is not exported`, { code: 'FIELD_NOT_EXPORTED' })
}

/**
 * The field as the wire has it, but JSON as text, files by their names, and whole numbers that no
 * double holds too.
 */
function projectCell(field: Field, view: View, grant: Grant): string {
  if (field.type === 'File' && field.labelOf === undefined) return composeFileNames(field)
  const sql = projectField(field, view, grant)
  if (field.link || (field.labelOf === undefined && field.type === 'Json')) return `(${sql} || '')`
  if (field.type !== 'Integer' || field.column || field.labelOf !== undefined) return sql
  const whole = FIELD_KINDS.Integer.toJsonSql(quote(field.name), field)
  const isExact = `${whole} BETWEEN -${Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
  return `CASE WHEN ${isExact} THEN ${whole} ELSE CAST(${whole} AS TEXT) END`
}

/** A file holds no files: it says what they are called. */
function composeFileNames({ name }: Field): string {
  const list = `CASE WHEN json_valid(${quote(name)}) THEN ${quote(name)} END`
  return `(SELECT group_concat(f.value ->> '$.FileName', '; ') FROM json_each(${list}) AS f)`
}
