/** A report page as the record of a print: its filters, its single rows, its tables. */
import { invalid } from '../../kernel/failure.ts'
import { plain } from '../../kernel/messages.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { Report } from '../../model/compiled/report.ts'
import { loadPage, type PageData, type PageDataSet, plainValue } from './page-data.ts'
import { toCell } from './page-sheets.ts'
import type { GivenParameters, ReportReading } from './printed-report.ts'
import type { Lines, LinesPart, PrintData } from './template-lines.ts'
import { PrintRecord, type PrintUse } from './template-record.ts'
import type { ReportReader } from '../report-pages/read-datasets.ts'

/**
 * Loads the data of a print of a report, from one state of the store. Leaves out datasets that only
 * withheld widgets read.
 * @throws validation for missing filters, invalid where rows of the print would be missing
 */
export async function loadReportPrint(
  reader: ReportReader,
  use: PrintUse & { report: Report },
  given: GivenParameters,
  options: Pick<ReportReading, 'limits'>,
): Promise<PrintData> {
  const { report, print, view } = use
  const page = await loadPage(reader, use, given, options)
  const values: Record<string, unknown> = {}
  for (const { name, mode } of report.dataSets) {
    const row = mode === 'Single' ? requireWhole(page, name)?.Rows[0] : undefined
    for (const [column, cell] of Object.entries(row ?? {})) {
      const field = view.fieldByName.get(column.toLowerCase())
      if (field) values[field.name] = toCell(cell, field.type)
    }
  }
  for (const { name } of report.filters)
    values[name] = plainValue(page.arguments.get(name.toLowerCase()) ?? null)
  const record = new PrintRecord(use, values, {}, page.filterLabels)
  const lines = new Map<LinesPart, Lines>()
  for (const part of print.parts) {
    if (part.kind !== 'lines' || !record.holds(part.when)) continue
    const table = print.report?.tables.find(({ name }) => name === part.detail)
    const dataSet = table && requireWhole(page, table.name)
    if (dataSet) lines.set(part, toLines(part, { view: table.view, grant: use.grant }, dataSet))
  }
  return { record, lines }
}

/** A dataset that has all of its rows; undefined where the caller does not get it. */
function requireWhole({ dataSets }: PageData, name: string): PageDataSet | undefined {
  const dataSet = dataSets.get(name)
  const missing = dataSet?.Error ?? dataSet?.Truncated
  if (missing !== undefined) throw invalid(plain(missing), { code: 'REPORT_INCOMPLETE' })
  return dataSet
}

function toLines(
  part: LinesPart,
  { view, grant }: Pick<Lines, 'view' | 'grant'>,
  { Rows }: PageDataSet,
): Lines {
  const find = (name: string): Field | undefined => view.fieldByName.get(name.toLowerCase())
  const columns = part.columns.flatMap((spec) => {
    const field = find(spec.field)
    return field ? [{ field, spec }] : []
  })
  const group = part.group === undefined ? undefined : find(part.group)
  const shown = [...columns.map(({ field }) => field), ...(group ? [group] : [])]
  const rows = Rows.map((row) => shown.map(({ name, type }) => toCell(row[name] ?? null, type)))
  // Rows of a group stay together; the groups are in the order of their first rows.
  const grouped = group
    ? [...Map.groupBy(rows, (row) => row[columns.length]).values()].flat()
    : rows
  return { part, view, grant, columns, group, rows: grouped, rest: undefined }
}
