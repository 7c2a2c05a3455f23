/** The report `page`: a report page with its figures, charts and tables. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import { keyOfDocument } from '../../model/deploy/document-versions.ts'
import { Grant } from '../../access/rights/grant.ts'
import { planFileName } from '../files/file-name.ts'
import { newContext } from '../object/context.ts'
import { textsOf } from './list-document.ts'
import { mayTake } from './list-report.ts'
import { loadPage, requireArguments } from './page-data.ts'
import { composePageDocument } from './page-document.ts'
import { planPageSheets, requireOneSheet } from './page-sheets.ts'
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
import { findGiven, optional, required, requireGiven } from './report-parameters.ts'
import { type ReportUse, requireReport } from '../report-pages/find-report.ts'

/** Any report page. Filters are parameters by their names. Gate: List and Export of the page. */
export const pageReport: PrintedReport = {
  key: 'page',
  name: 'Page',
  label: say`Report page`,
  description: say`A report page with its figures, charts and tables; pass filters by name`,
  parameters: [
    required('report', 'Name or slug of the report page'),
    optional('dataset', 'The dataset of a csv file'),
  ],
  formats: ['pdf', 'xlsx', 'csv', 'json'],
  isListed: ({ caller, model }) =>
    [...model.reports.values()].some(({ name }) => mayTake(caller, model, name)),
  open: openPage,
}

/** A page in the use of a caller who may List and Export it. */
type PageUse = ReportUse & { grant: Grant }

function openPage({ engine, caller, model }: ReportCall, given: GivenParameters): OpenReport {
  const report = requireReport(model, requireGiven(given, 'report'))
  const grant = Grant.require(caller, model, report.name, ['List'])
  grant.requireVerb('Export')
  const use: PageUse = { report, grant, context: newContext(engine, caller, model) }
  return {
    gates: takeGates(report.name),
    check: async () => void (await requireArguments(engine, use, given)),
    fileName: planFileName(
      renderMessage(report.label, caller.language),
      dayIn(use.context.now, caller.timeZone),
    ),
    audited: { entity: report.name, key: [] },
    documents: [keyOfDocument('Report', report.name)],
    read: (format, options) => readPage({ engine, use, given }, format, options),
  }
}

async function readPage(
  { engine, use, given }: { engine: ReportCall['engine']; use: PageUse; given: GivenParameters },
  format: ReportFileFormat,
  options: ReportReading,
): Promise<ReportContent> {
  const data = await loadPage(engine, use, given, options)
  if (format === 'json')
    return {
      kind: 'file',
      body: Buffer.from(data.json),
      contentType: 'application/json',
      extension: '.json',
    }
  if (format === 'pdf') return composePageDocument(engine.store, data, options)
  const { style, render } = textsOf(use)
  // A filter of that name is the filter: then a file holds the only dataset there is.
  const isFilter = use.report.filters.some(({ name }) => name.toLowerCase() === 'dataset')
  const name = format === 'csv' && !isFilter ? findGiven(given, 'dataset') : ''
  const sheets = planPageSheets(data, { ...style, render }, name)
  if (format === 'csv') requireOneSheet(sheets)
  return { kind: 'sheets', title: render(use.report.label), sheets }
}
