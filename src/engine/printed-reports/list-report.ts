/** The report `list`: a grid as its caller sees it, all rows of one state of the data. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { SqlRead } from '../../store/sql.ts'
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import { planFileName } from '../files/file-name.ts'
import { newContext } from '../object/context.ts'
import { requireView } from '../object/read/find-view.ts'
import { planSheet } from '../object/sheet-file.ts'
import { composeListDocument } from './list-document.ts'
import { type ListPlan, type ListUse, planListRows, readPages } from './list-rows.ts'
import {
  type GivenParameters,
  type OpenReport,
  type PrintedReport,
  type ReportCall,
  type ReportContent,
  type ReportFileFormat,
  type ReportReading,
  takeGates,
} from './printed-report.ts'
import {
  GRID_PARAMETERS,
  readGridRequest,
  required,
  requireGiven,
  TypedParameters,
} from './report-parameters.ts'
import { RowPage } from '../sheets/row-page.ts'

const PARAMETERS = [required('object', 'Name or slug of the object'), ...GRID_PARAMETERS]

/** Tells whether the caller may List and Export a resource. */
export function mayTake(caller: ReportCall['caller'], model: Model, resource: string): boolean {
  const grant = Grant.find(caller, model, resource, 'List')
  return grant?.may('Export') === true
}

/** Any grid. Gate: List and Export of the object. */
export const listReport: PrintedReport = {
  key: 'list',
  name: 'List',
  label: say`List`,
  description: say`A grid as you see it, grouped and with totals`,
  parameters: PARAMETERS,
  formats: ['pdf', 'xlsx', 'csv', 'json'],
  isListed: ({ caller, model }) =>
    [...model.views.values()].some(({ resource }) => mayTake(caller, model, resource)),
  open: openList,
}

function openList({ engine, caller, model }: ReportCall, given: GivenParameters): OpenReport {
  const view = requireView(model, requireGiven(given, 'object'))
  const own = Grant.require(caller, model, view.resource, ['List'])
  own.requireVerb('Export')
  const parameters = new TypedParameters(PARAMETERS, given)
  const grant = own.over(parameters.isTrue('allCompanies'))
  const context = newContext(engine, caller, model)
  const use: ListUse = {
    view,
    grant,
    context,
    request: readGridRequest(parameters),
    fields: parameters.names('fields'),
    group: parameters.text('group'),
    totals: parameters.names('totals'),
  }
  const plan = planListRows(use)
  return {
    gates: takeGates(view.resource),
    fileName: planFileName(
      renderMessage(view.label, caller.language),
      dayIn(context.now, caller.timeZone),
    ),
    audited: { entity: view.entity?.name ?? view.name, key: [] },
    documents: [],
    read: async (format, options) => readList(engine, { ...use, plan }, format, options),
  }
}

function readList(
  { store }: ReportCall['engine'],
  { plan, ...use }: ListUse & { plan: ListPlan },
  format: ReportFileFormat,
  options: ReportReading,
): ReportContent {
  const pages = (rows: SqlRead) => readPages(store, rows, options)
  if (format === 'pdf') return composeListDocument(use, plan, pages(plan.rows), options)
  const { columns, rows } = format === 'json' ? plan : planListRows(use, true)
  return {
    kind: 'sheets',
    title: renderMessage(use.view.label, use.grant.caller.language),
    sheets: [{ name: use.view.name, plan: planSheet(use, columns), rows: toPages(pages(rows)) }],
  }
}

async function* toPages(texts: AsyncIterable<Uint8Array>): AsyncGenerator<RowPage> {
  for await (const text of texts) yield new RowPage(text)
}
