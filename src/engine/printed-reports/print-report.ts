/** Prints of the model among the code-defined reports: as documents, and as data. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { Store } from '../../store/store.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { Print } from '../../model/compiled/print.ts'
import type { View } from '../../model/compiled/view.ts'
import { keyOfDocument } from '../../model/deploy/document-versions.ts'
import { FIELD_KINDS, isValueType } from '../../model/fields/kinds.ts'
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { PartParameter } from '../extensions/parts.ts'
import { planFileName } from '../files/file-name.ts'
import { findLabel } from '../object/read/labels.ts'
import { findOptionLabel, findOptionsOf } from '../object/read/option-labels.ts'
import { planSheetColumns } from '../object/read/sheet-columns.ts'
import { planSheet } from '../object/sheet-file.ts'
import { requirePrintUse } from './find-print.ts'
import { mayTake } from './list-report.ts'
import { requireArguments } from './page-data.ts'
import { composePrint, type PreparedPrint, preparePrint } from './print-template.ts'
import {
  type GivenParameters,
  type OpenReport,
  type PrintedReport,
  type ReportCall,
  type ReportContent,
  type ReportFileFormat,
  type ReportReading,
  type ReportSheet,
  takeGates,
} from './printed-report.ts'
import { type Lines, type PrintData, readLines } from './template-lines.ts'
import { listKey, type PrintUse, readPrintArguments } from './template-record.ts'
import { loadReportPrint } from './template-report.ts'
import { requireReport } from '../report-pages/find-report.ts'
import { RowPage, type SheetCell } from '../sheets/row-page.ts'

/** Every print of the model as a report. */
export const listPrintReports = (model: Model): PrintedReport[] =>
  [...model.prints.values()].flatMap((print) => planPrintReport(model, print) ?? [])

function planPrintReport(model: Model, print: Print): PrintedReport | undefined {
  const view = print.report?.view ?? model.views.get(print.view)
  if (!view) return undefined
  const isOfReport = print.report !== undefined
  return {
    key: print.slug,
    name: print.name,
    label: print.label,
    description: isOfReport ? say`A document of a report page` : say`A document of one record`,
    parameters: planParameters(view),
    formats: ['pdf', 'xlsx', 'json'],
    isListed: ({ caller }) =>
      isOfReport
        ? mayTake(caller, model, view.resource)
        : Grant.find(caller, model, view.resource, 'View') !== undefined,
    open: (call, given) => openPrint(call, print, given),
  }
}

/** Parameters that a list of reports shows: the key by its fields, and those the view declares. */
const planParameters = (view: View): PartParameter[] => [
  ...view.keys.map(({ name, label, type }) => toParameter(name, label, type, true)),
  ...[...view.parameters.values()].map(({ name, label, type, required, default: preset }) =>
    toParameter(name, label, type, required && preset === undefined),
  ),
]

const toParameter = (
  Name: string,
  label: Print['label'],
  type: FieldType,
  Required: boolean,
): PartParameter => ({
  Name,
  Label: renderMessage(label, undefined),
  Scale: 0,
  Required,
  Default: null,
  Type: isValueType(type) ? type : 'Text',
})

function openPrint(call: ReportCall, print: Print, given: GivenParameters): OpenReport {
  const { engine, caller, model } = call
  const use = requirePrintUse(engine, { caller, model }, print)
  if (print.report) return openReportPrint(call, use, given)
  const key = listKey(use.view, readPrintArguments(use.view, given))
  return {
    gates: [{ resource: use.view.resource, rights: ['View'] }],
    fileName: planFileName(renderMessage(print.label, caller.language), key.join(' ')),
    audited: { entity: use.view.entity?.name ?? use.view.name, key },
    documents: [keyOfDocument('Print', print.name)],
    read: (format, options) => readPrint(engine, { use, given }, format, options),
  }
}

/** @throws notFound where the report no longer exists */
function openReportPrint(
  { engine, caller, model }: ReportCall,
  use: PrintUse,
  given: GivenParameters,
): OpenReport {
  const { print, context } = use
  const report = requireReport(model, print.view)
  return {
    gates: takeGates(use.view.resource),
    check: async () => void (await requireArguments(engine, { ...use, report }, given)),
    fileName: planFileName(
      renderMessage(print.label, caller.language),
      dayIn(context.now, caller.timeZone),
    ),
    audited: { entity: report.name, key: [] },
    documents: [keyOfDocument('Print', print.name), keyOfDocument('Report', report.name)],
    read: async (format, options) => {
      const data = await loadReportPrint(engine, { ...use, report }, given, options)
      const prepared = composePrint(engine.store, use, data, options.companyName)
      return toContent(engine.store, use, prepared, { format, options })
    },
  }
}

/** Reads what a print shows, as a document or as sheets: the record, then its details. */
export async function readPrint(
  { store }: ReportCall['engine'],
  { use, given }: { use: PrintUse; given: GivenParameters },
  format: ReportFileFormat,
  options: ReportReading,
): Promise<ReportContent> {
  const { companyName } = options
  const prepared = await preparePrint(store, use, { arguments: given, companyName })
  return toContent(store, use, prepared, { format, options })
}

function toContent(
  store: Store,
  use: PrintUse,
  { head, messages, data, ...named }: PreparedPrint,
  { format, options }: { format: ReportFileFormat; options: ReportReading },
): ReportContent {
  if (format === 'pdf') return { kind: 'document', head, messages: messages(options), ...named }
  const areRaw = format === 'json'
  const lines = [...data.lines.values()].map((each) =>
    planLinesSheet(store, { use, lines: each, areRaw }, options),
  )
  const record = planRecordSheet(use, data, areRaw)
  return { kind: 'sheets', title: head.title, sheets: [record, ...lines], ...named }
}

/** One row: the fields of the record that the document names, within what the caller sees. */
function planRecordSheet(use: PrintUse, { record }: PrintData, areRaw: boolean): ReportSheet {
  const named = new Set(use.print.fields)
  const names = Object.keys(record.values).filter((name) => !use.print.report || named.has(name))
  const fields = names.flatMap((name) => record.findField(name) ?? [])
  const shown = fields.map((field) => (areRaw ? field : labelOptions(use.view, field)))
  const cells = fields.map((field, at) => toCell(shown[at] ?? field, record.values[field.name]))
  return {
    name: use.view.name,
    plan: planSheet(use, planSheetColumns(use, shown)),
    rows: single(RowPage.of([nameOptions(use, shown, cells)])),
  }
}

/** The field that labels its options, in place of their values. */
const labelOptions = (view: View, field: Field): Field => findOptionLabel(view, field) ?? field

interface SheetLines {
  use: PrintUse
  lines: Lines
  /** Options are written as their values, for programs. */
  areRaw: boolean
}

function planLinesSheet(store: Store, sheet: SheetLines, options: ReportReading): ReportSheet {
  const { use, lines, areRaw } = sheet
  const { view } = lines
  const fields = lines.columns.map(
    ({ field }) => findLabel(view, field) ?? (areRaw ? field : labelOptions(view, field)),
  )
  const plan = planSheet({ ...use, view }, planSheetColumns(lines, fields))
  return { name: lines.part.detail, plan, rows: readPages(store, lines, fields, options) }
}

/** Reads the cells without the group, which is not a column. */
async function* readPages(
  store: Store,
  lines: Lines,
  fields: readonly Field[],
  options: ReportReading,
): AsyncGenerator<RowPage> {
  const toCells = (row: readonly unknown[]): SheetCell[] =>
    nameOptions(
      lines,
      fields,
      fields.map((field, at) => toCell(field, row[at])),
    )
  for await (const rows of readLines(store, lines, options)) yield RowPage.of(rows.map(toCells))
}

/** Cells whose columns are labels of options, with the labels of their values. */
function nameOptions(
  { view, grant }: Pick<Lines, 'view' | 'grant'>,
  fields: readonly Field[],
  cells: readonly SheetCell[],
): SheetCell[] {
  return cells.map((cell, at) => {
    const field = fields[at] && findOptionsOf(view, fields[at])
    const option = field?.options.find(({ value }) => value === String(cell))
    return option ? renderMessage(option.label, grant.caller.language) : cell
  })
}

async function* single(page: RowPage): AsyncGenerator<RowPage> {
  yield page
}

/** Lists and documents are JSON texts in a sheet, a document that is a text too. */
function toCell({ type, link }: Field, value: unknown): SheetCell {
  if (value === null || value === undefined) return null
  const isJson =
    FIELD_KINDS[type].structure === 'document' || link !== undefined || typeof value === 'object'
  return isJson ? JSON.stringify(value) : (value as SheetCell)
}
