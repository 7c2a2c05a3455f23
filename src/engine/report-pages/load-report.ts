/** The data of a report page: each dataset that a visible widget reads, once, of one state. */
import { JsonText } from '../../kernel/json-text.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Report, ReportDataSet } from '../../model/compiled/report.ts'
import type { ReportWidget } from '../../model/compiled/widget.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { REPORTS_MAX_ROWS, REPORTS_TIMEOUT, RESULTS_MAX_BYTES } from '../floor.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import {
  type ClosedDataSet,
  type DataSetPlan,
  isClosed,
  planDataSet,
  writeClosed,
  writeDataSet,
  writeLate,
} from './dataset-plan.ts'
import type { ReportUse } from './find-report.ts'
import { holdReport } from './held-report.ts'
import { readDataSets, type ReportReader } from './read-datasets.ts'
import { readArguments, type ReportArguments } from './report-arguments.ts'

/** Limits of a report's answer: rows of each dataset, bytes and time of all of them. */
export interface ReportLimits extends RowLimits {
  milliseconds: number
}

/** A data call, with the limits of its answer. */
interface ReportRequest {
  arguments: Record<string, unknown> | null | undefined
  limits: ReportLimits
}

/** The limits by the settings. */
export const readReportLimits = (settings: Settings): ReportLimits => ({
  rows: settings.get(REPORTS_MAX_ROWS),
  bytes: settings.get(RESULTS_MAX_BYTES),
  milliseconds: settings.get(REPORTS_TIMEOUT),
})

/**
 * Loads a ReportDataResult as JSON. While a required filter is blank no dataset runs.
 * @throws validation for arguments that do not fit their filters, before any dataset runs
 */
export async function loadReport(
  reader: ReportReader,
  asked: ReportUse,
  { arguments: given, limits }: ReportRequest,
): Promise<JsonText> {
  const use = await holdReport(reader, asked)
  return loadData(reader, use, await readArguments(reader.queryCache, use, given), limits)
}

/** The same for arguments that are already read. */
export async function loadData(
  reader: ReportReader,
  use: ReportUse,
  { values, isRequiredMissing }: ReportArguments,
  limits: ReportLimits,
): Promise<JsonText> {
  const { report, context } = use
  const { caller } = context
  const widgets = listVisible(report, caller)
  const dataSets = isRequiredMissing ? [] : listRead(report, widgets)
  const share = Math.floor(limits.bytes / Math.max(1, dataSets.length))
  const own = { rows: limits.rows, bytes: share }
  const plans = dataSets.map((each) => planDataSet(use, each, values, own))
  const running = plans.filter((plan): plan is DataSetPlan => !isClosed(plan))
  const texts = await readDataSets(reader, report, running, limits.milliseconds)
  const write = (plan: DataSetPlan | ClosedDataSet): string => {
    if (isClosed(plan)) return writeClosed(plan, caller?.language)
    const read = texts.get(plan)
    if (read && 'reason' in read) return writeLate(plan, read.reason, caller?.language)
    return writeDataSet(plan, read?.text ?? '', caller?.language)
  }
  const members = plans.map((plan) => `${JSON.stringify(plan.dataSet.name)}:${write(plan)}`)
  const names = JSON.stringify(widgets.map(({ name }) => name))
  return new JsonText(
    `{"Name":${JSON.stringify(report.name)},"RequiredFilterMissing":${isRequiredMissing},` +
      `"DataSets":{${members.join(',')}},"AccessibleWidgets":${names}}`,
  )
}

/** The datasets of the widgets that a caller sees. */
export const listShownDataSets = (report: Report, caller: Caller): ReportDataSet[] =>
  listRead(report, listVisible(report, caller))

/** Lists the widgets placed in the layout, if there is one, that a role of the caller may see. */
function listVisible({ widgets, layout }: Report, caller: Caller | undefined): ReportWidget[] {
  const placed = new Set(layout.flat().map(({ widget }) => widget))
  const roles = new Set(caller?.roles)
  return widgets.filter(
    ({ name, allowedRoles }) =>
      (placed.size === 0 || placed.has(name)) &&
      (allowedRoles.length === 0 ||
        caller?.isSystem === true ||
        allowedRoles.some((role) => roles.has(role))),
  )
}

/** Datasets that any of the widgets reads, each once. */
function listRead({ dataSets }: Report, widgets: readonly ReportWidget[]): ReportDataSet[] {
  const names = new Set(
    widgets.flatMap(({ dataSet, comparison, sparkline }) => [
      dataSet,
      comparison?.dataSet,
      sparkline?.dataSet,
    ]),
  )
  return dataSets.filter(({ name }) => names.has(name))
}
