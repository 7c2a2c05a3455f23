/** The data of a report page as it is printed: exactly what its caller may see of it. */
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type SqlArg, SqlReal, type SqlValue } from '../../store/sql.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import { isReference } from '../object/form/lookup.ts'
import { findPick } from '../object/form/pick.ts'
import type { GivenParameters, ReportReading } from './printed-report.ts'
import type { ReportCellText, ReportRow } from '../report-pages/aggregate.ts'
import type { ReportUse } from '../report-pages/find-report.ts'
import { holdReport } from '../report-pages/held-report.ts'
import { loadData } from '../report-pages/load-report.ts'
import type { ReportReader } from '../report-pages/read-datasets.ts'
import { readArguments, type ReportArguments } from '../report-pages/report-arguments.ts'

/** A dataset in the data of a report page. */
export interface PageDataSet {
  Columns: readonly { Name: string; ClrType: string }[]
  Rows: readonly ReportRow[]
  Error?: string
  Truncated?: string
}

/** The parts of a page that are printed. */
export interface PageData {
  use: ReportUse
  /** Widgets in the order of the page. */
  widgets: readonly ReportWidget[]
  dataSets: ReadonlyMap<string, PageDataSet>
  /** Values of filters, by lower-case name. */
  arguments: ReadonlyMap<string, SqlArg>
  /** Labels of the records and options that filters name, by the filters' lower-case names. */
  filterLabels: ReadonlyMap<string, string>
  /** The data as JSON, as the data call answers it. */
  json: string
}

interface Loaded {
  DataSets: Record<string, PageDataSet>
  AccessibleWidgets: readonly string[]
}

/** A page's data is parsed at once, on the serving thread. */
const BYTES_MAX = 4 * 1024 * 1024

/** @throws validation naming required filters without a value, and arguments that do not fit */
export async function loadPage(
  reader: ReportReader,
  asked: ReportUse,
  given: GivenParameters,
  { limits }: Pick<ReportReading, 'limits'>,
): Promise<PageData> {
  const use = await holdReport(reader, { ...asked, grant: asked.grant?.toFile() })
  const { report } = use
  const read = await requireArguments(reader, use, given)
  const bounded = { ...limits, bytes: Math.min(limits.bytes, BYTES_MAX) }
  const { text } = await loadData(reader, use, read, bounded)
  const loaded = JSON.parse(text) as Loaded
  const seen = new Set(loaded.AccessibleWidgets)
  return {
    use,
    widgets: report.widgets.filter(({ name }) => seen.has(name)),
    dataSets: new Map(Object.entries(loaded.DataSets)),
    arguments: read.values,
    filterLabels: await loadFilterLabels(reader, use, read.values),
    json: text,
  }
}

/** The labels of values that are picked from rows, as far as the caller may pick them. */
async function loadFilterLabels(
  { queryCache: reader }: ReportReader,
  { report, grant, context }: ReportUse,
  given: ReadonlyMap<string, SqlArg>,
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  if (!grant) return labels
  const { name, filters } = report
  const view = {
    name,
    fieldByName: new Map(filters.map((each) => [each.name.toLowerCase(), each])),
  }
  const values = [...given].map(([key, value]) => [key, plainValue(value)] as const)
  const parameters = new Map(values)
  for (const field of filters) {
    const key = field.name.toLowerCase()
    const value = parameters.get(key) ?? null
    if (value === null || !(field.dataSet || isReference(field))) continue
    const label = await findPick({ reader, view, grant, context, field, parameters }, value)
    if (typeof label === 'string') labels.set(key, label)
  }
  return labels
}

/** The value of a filter without the mark of its type. */
export const plainValue = (value: SqlArg): SqlValue =>
  value instanceof SqlReal ? value.value : value

/** @throws validation naming required filters without a value, and arguments that do not fit */
export async function requireArguments(
  reader: ReportReader,
  asked: ReportUse,
  given: GivenParameters,
): Promise<ReportArguments> {
  const use = await holdReport(reader, asked)
  const read = await readArguments(reader.queryCache, use, { ...given })
  requireFilters(use, read.values)
  return read
}

function requireFilters({ report }: ReportUse, values: ReadonlyMap<string, SqlArg>): void {
  const missing = report.filters.filter(
    ({ name, required }) => required && (values.get(name.toLowerCase()) ?? null) === null,
  )
  if (missing.length === 0) return
  throw validation(
    Object.fromEntries(missing.map(({ name, label }) => [name, say`${label} is required`])),
  )
}

/** Returns a cell of the first row; null without one. */
export const firstCell = (
  { dataSets }: PageData,
  dataSet: string | undefined,
  column: string | undefined,
): ReportCellText => dataSets.get(dataSet ?? '')?.Rows[0]?.[column ?? ''] ?? null

/** The rows of a widget's dataset. */
export const rowsOf = ({ dataSets }: PageData, dataSet: string | undefined): readonly ReportRow[] =>
  dataSets.get(dataSet ?? '')?.Rows ?? []
