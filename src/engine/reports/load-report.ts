/** The data of a report page: each dataset that a visible widget reads, once, of one state. */
import { JsonText } from '../../kernel/json-text.ts'
import type { Caller } from '../../access/caller.ts'
import type { Report, ReportDataSet, ReportWidget } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { toTableSet } from '../object/read/table-set.ts'
import { isClosed, planDataSet, writeClosed, writeDataSet } from './dataset-plan.ts'
import type { DataSetPlan } from './dataset-plan.ts'
import type { ReportUse } from './find-report.ts'
import { readArguments } from './report-arguments.ts'

/** Where reports are read. */
export interface ReportReader {
  readonly store: Store
  readonly queryCache: QueryCache
}

/** What a data call asks for, and what it may answer. */
export interface ReportRequest {
  arguments: Record<string, unknown> | null | undefined
  limits: RowLimits
}

/**
 * A ReportDataResult as JSON. With a required filter that is blank no dataset runs.
 * @throws validation for arguments that do not fit their filters, before anything runs
 */
export async function loadReport(
  reader: ReportReader,
  use: ReportUse,
  { arguments: given, limits }: ReportRequest,
): Promise<JsonText> {
  const { report, context } = use
  const { caller } = context
  const { values, isRequiredMissing } = readArguments(report, given, context)
  const widgets = listVisible(report, caller)
  const dataSets = isRequiredMissing ? [] : listRead(report, widgets)
  const share = Math.floor(limits.bytes / Math.max(1, dataSets.length))
  const plans = dataSets.map((each) => planDataSet(use, each, values, { ...limits, bytes: share }))
  const running = plans.filter((plan): plan is DataSetPlan => !isClosed(plan))
  const texts = await readTexts(reader, report, running)
  const members = plans.map((plan) => {
    const json = isClosed(plan)
      ? writeClosed(plan, caller?.language)
      : writeDataSet(plan, texts.get(plan) ?? '', caller?.language)
    return `${JSON.stringify(plan.dataSet.name)}:${json}`
  })
  const names = JSON.stringify(widgets.map(({ name }) => name))
  return new JsonText(
    `{"Name":${JSON.stringify(report.name)},"RequiredFilterMissing":${isRequiredMissing},` +
      `"DataSets":{${members.join(',')}},"AccessibleWidgets":${names}}`,
  )
}

/** Widgets that stand in the layout, where there is one, and that a role of the caller may see. */
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

/**
 * The texts of the statements, all of one state of the tables: side by side where no commit comes
 * between, else one after another in one snapshot.
 */
async function readTexts(
  { store, queryCache }: ReportReader,
  report: Report,
  plans: readonly DataSetPlan[],
): Promise<ReadonlyMap<DataSetPlan, string>> {
  const whole = queryCache.versionsOf(toTableSet(plans.flatMap(({ tables }) => tables)))
  if (plans.length <= 1 || whole.stamp !== undefined) {
    const texts = await Promise.all(
      plans.map(({ read, tables }) => queryCache.text(read, queryCache.versionsOf(tables))),
    )
    if (plans.length <= 1 || queryCache.holds(whole)) return pair(plans, texts)
  }
  const name = [`report ${report.name}`, ...plans.map(({ read }) => read.sql)].join('\n')
  const texts = await store.snapshot(name, async (reader) => {
    const found: string[] = []
    for (const { read } of plans) found.push(await reader.text(read))
    return found
  })
  return pair(plans, texts)
}

const pair = (
  plans: readonly DataSetPlan[],
  texts: readonly string[],
): ReadonlyMap<DataSetPlan, string> => new Map(plans.map((plan, at) => [plan, texts[at] ?? '']))
