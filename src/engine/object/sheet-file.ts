/** Files of a view's rows: exports, what an import gives back, what is filled in for one. */
import { renderMessage } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { MadeFileRow, MadeFiles, MadeFor } from '../files/made-files.ts'
import type { ExportFormat, RowSink, SheetColumn, SheetPlan } from '../sheets/format.ts'
import type { MadeFile } from './schema.ts'
import type { ViewUse } from './view-access.ts'

/** A made file as results tell of it. */
export const describeFile = (
  files: Pick<MadeFiles, 'urlOf'>,
  file: MadeFileRow,
  rows: number,
): MadeFile => ({
  FileName: file.Name,
  Url: files.urlOf(file.Name),
  ContentType: file.ContentType,
  Size: file.Size,
  Rows: rows,
  Sha256: file.Sha256,
})

/** For whom a file of a view is made, and what it is called. */
export function planMadeFor(
  { view, grant, context }: ViewUse,
  format: ExportFormat,
  what = dayIn(context.now, grant.caller.timeZone),
): MadeFor {
  return {
    userId: grant.caller.userId,
    companyId: grant.caller.companyId,
    slug: view.slug,
    extension: format.extension,
    contentType: format.contentType,
    shownName: `${view.slug}-${what}`,
  }
}

/** What a file of a view is to hold, under the view's label and in the caller's zone. */
export const planSheet = (
  { view, grant, context }: ViewUse,
  columns: readonly SheetColumn[],
): SheetPlan => ({
  title: renderMessage(view.label, grant.caller.language),
  columns,
  zone: grant.caller.timeZone,
  madeAt: context.now,
})

/** Writes a file at `path` by what `fill` gives its sink; one that fails is not left there. */
export async function writeSheet(
  format: ExportFormat,
  sheet: SheetPlan,
  path: string,
  fill: (sink: RowSink) => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const sink = await format.open(sheet, path)
  try {
    await fill(sink)
    return await sink.close()
  } catch (error) {
    await sink.abort()
    throw error
  }
}

/** The columns of fields, in their order and in a language. */
export function planSheetColumns(fields: readonly Field[], language?: string): SheetColumn[] {
  const headers = planHeaders(fields, language)
  return fields.map((field, at) => ({
    name: field.name,
    label: headers[at] ?? field.name,
    type: field.link ? 'Json' : field.column?.kind === 'stamp' ? 'Text' : field.type,
    scale: field.scale,
    format: field.format,
    options: field.options.map(({ value, label }) => ({
      value,
      label: renderMessage(label, language),
    })),
  }))
}

/**
 * Labels, each unlike the others: where some are alike, the names are added. What a record is
 * called bears the label that its key has, and keeps it: that is what people look for.
 */
function planHeaders(
  fields: readonly Pick<Field, 'name' | 'label' | 'labelOf'>[],
  language?: string,
): string[] {
  const shown = fields.map((field) => ({ ...field, label: renderMessage(field.label, language) }))
  const labels = new Map<string, number>()
  const names = new Map<string, number>()
  const key = (label: string): string => label.trim().toLowerCase()
  for (const { label, labelOf } of shown) {
    const counts = labelOf === undefined ? labels : names
    counts.set(key(label), (counts.get(key(label)) ?? 0) + 1)
  }
  return shown.map(({ name, label, labelOf }) => {
    const own = (labelOf === undefined ? labels : names).get(key(label)) ?? 0
    const isTaken = own > 1 || (labelOf === undefined && names.has(key(label)))
    return isTaken ? `${label} (${name})` : label
  })
}
