/** The report `record`: a record of any view with its details, as the caller sees it. */
import { validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { Grant } from '../../access/rights/grant.ts'
import { planFileName } from '../files/file-name.ts'
import { newContext } from '../object/context.ts'
import { requireView } from '../object/read/find-view.ts'
import { readPrint } from './print-report.ts'
import type {
  GivenParameters,
  OpenReport,
  PrintedReport,
  ReportCall,
  ReportContent,
  ReportFileFormat,
  ReportReading,
} from './printed-report.ts'
import { planViewPrint } from './record-print.ts'
import {
  findGiven,
  optional,
  required,
  requireGiven,
  TypedParameters,
} from './report-parameters.ts'
import { listKey, type PrintUse, readPrintArguments } from './template-record.ts'

const ALL_COMPANIES = optional(
  'allCompanies',
  'Records of all companies, for System callers',
  'Boolean',
)

/** A record of any view, by its key. Gate: View of the object. */
export const recordReport: PrintedReport = {
  key: 'record',
  name: 'Record',
  label: say`Record`,
  description: say`A record with its details; pass the fields of its key`,
  parameters: [
    required('object', 'Name or slug of the object'),
    optional('detail', 'The Detail whose rows a csv file holds; else the record'),
    ALL_COMPANIES,
  ],
  formats: ['pdf', 'xlsx', 'csv', 'json'],
  isListed: ({ caller, model }) =>
    [...model.views.values()].some(
      ({ resource, keys }) => keys.length > 0 && Grant.find(caller, model, resource, 'View'),
    ),
  open: openRecord,
}

function openRecord({ engine, caller, model }: ReportCall, given: GivenParameters): OpenReport {
  const view = requireView(model, requireGiven(given, 'object'))
  const own = Grant.require(caller, model, view.resource, ['View'])
  const grant = own
    .over(new TypedParameters([ALL_COMPANIES], given).isTrue('allCompanies'))
    .toFile()
  const context = newContext(engine, caller, model)
  const key = listKey(view, readPrintArguments(view, given))
  const use: PrintUse = { print: planViewPrint(view, model), view, grant, context }
  return {
    gates: [{ resource: view.resource, rights: ['View'] }],
    fileName: planFileName(renderMessage(view.label, caller.language), key.join(' ')),
    audited: { entity: view.entity?.name ?? view.name, key },
    documents: [],
    read: (format, options) => readRecord({ engine, use, given }, format, options),
  }
}

async function readRecord(
  { engine, use, given }: { engine: ReportCall['engine']; use: PrintUse; given: GivenParameters },
  format: ReportFileFormat,
  options: ReportReading,
): Promise<ReportContent> {
  const content = await readPrint(engine, { use, given }, format, options)
  if (format !== 'csv' || content.kind !== 'sheets') return content
  const name = findGiven(given, 'detail')
  const [record, ...details] = content.sheets
  if (name === '') return { ...content, sheets: record ? [record] : [] }
  const found = details.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!found)
    throw validation({
      detail: say`must be one of: ${details.map((each) => each.name).join(', ')}`,
    })
  return { ...content, sheets: [found] }
}
