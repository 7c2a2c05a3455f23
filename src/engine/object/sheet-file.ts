/** Files of a view's rows: exports, what an import gives back, what is filled in for one. */
import { renderMessage } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import { planFileName } from '../files/file-name.ts'
import type { MadeFileRow, MadeFiles, MadeFor } from '../files/generated-files.ts'
import type { MadeFile } from './import-schema.ts'
import type { ViewUse } from './view-access.ts'
import type { ExportFormat, RowSink, SheetColumn, SheetPlan } from '../sheets/format.ts'

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
    shownName: planFileName(renderMessage(view.label, grant.caller.language), what),
  }
}

/** Plans the file of a view, under the view's label and in the caller's zone. */
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
