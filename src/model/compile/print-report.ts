/**
 * A report as a print reads it: what it has once (its filters, the columns of its `Single`
 * datasets) as the fields of one record, and its other datasets as tables of it.
 */
import { listGrouped, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { type DataSetColumn, DataSetColumns } from './dataset-columns.ts'
import { suggest } from './fault-list.ts'
import { SURFACES } from './view-fields.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import type { Field } from '../compiled/field.ts'
import type { Print } from '../compiled/print.ts'
import type { Report, ReportDataSet } from '../compiled/report.ts'
import type { View } from '../compiled/view.ts'
import { plainShape } from '../fields/field-shape.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

const EVERYWHERE = new Set(SURFACES)

/** Finds the report that a print names; undefined, with a fault, if it does not exist. */
export function findPrintedReport(
  c: Compilation,
  reports: ReadonlyMap<string, Report>,
  element: Element,
): Report | undefined {
  const key = readText(element, 'Report') ?? ''
  const script = c.reportByKey.get(key.toLowerCase())
  const report = script && reports.get(script.name)
  if (report) return report
  if (c.faulty.hasLink(key)) return undefined
  const names = [...reports.keys()]
  c.faults.add(placeOf(element, 'Report'), `There is no Report ${key}${suggest(key, names)}`)
  return undefined
}

/** Compiles the report source of a print. Only datasets that a widget reads are ever run. */
export function compileReportSource(
  c: Compilation,
  report: Report,
  element: Element,
): NonNullable<Print['report']> | undefined {
  const columns = new DataSetColumns(c, report.dataSets)
  const isRead = ({ name }: ReportDataSet) => report.widgets.some(({ dataSet }) => dataSet === name)
  const read = report.dataSets.filter(isRead)
  const listFields = ({ name }: ReportDataSet): Field[] =>
    [...(columns.ofDataSet(name)?.values() ?? [])].map((column) => toField(column, element))
  const filters = report.filters.map(toFilterField)
  const once = filters.map(({ name }) => name.toLowerCase())
  const single = read.filter(({ mode }) => mode === 'Single').flatMap(listFields)
  const isOne = ({ name }: Field): boolean =>
    !once.includes(name.toLowerCase()) &&
    single.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1
  const [first] = report.dataSets
  // Without a dataset that the gate accepts, there is a fault already, or nothing at all to print.
  if (!first) {
    const page = c.reportByKey.get(report.name.toLowerCase())
    if (page && listGrouped(page.element, 'DataSets', 'DataSet').length === 0)
      c.faults.add(placeOf(element, 'Report'), `${report.name} has no DataSet to print`)
    return undefined
  }
  const plan = (name: string, fields: readonly Field[]): View =>
    toView(report, { name, fields, query: first.sql, element })
  return {
    name: report.name,
    view: plan(report.name, [...filters, ...single.filter(isOne)]),
    tables: read
      .filter(({ mode }) => mode === 'Rows')
      .map((dataSet) => ({ name: dataSet.name, view: plan(dataSet.name, listFields(dataSet)) })),
  }
}

const UNBOUND = {
  column: undefined,
  readOnly: true,
  searchable: false,
  in: EVERYWHERE,
  hidden: false,
  requiredWhen: undefined,
  visibleWhen: undefined,
  readOnlyWhen: undefined,
  section: undefined,
  tab: undefined,
  multiple: false,
  through: undefined,
  link: undefined,
  labelOf: undefined,
  labelSql: undefined,
} satisfies Partial<Field>

const toFilterField = (filter: FieldFeatures): Field => ({ ...filter, ...UNBOUND })

/** Makes a field of a dataset's column: as its table's column has it, or by its own type. */
function toField({ name, origin, type }: DataSetColumn, { place }: Element): Field {
  const plain = plainShape(toWords(name), type ?? 'Text')
  const { format, unit, help, options, scale } = origin ?? {}
  return {
    ...plain,
    name,
    place,
    format,
    unit,
    help,
    scale,
    options: options ?? [],
    label: origin?.label ?? toWords(name),
    default: undefined,
    lookup: undefined,
    dataSet: undefined,
    references: undefined,
    maxBytes: undefined,
    accept: [],
    ...UNBOUND,
  }
}

interface ViewParts {
  name: string
  fields: readonly Field[]
  query: View['query']
  element: Element
}

function toView(report: Report, { name, fields, query, element }: ViewParts): View {
  const { label, versionHash, filters } = report
  return Object.freeze({
    name,
    slug: report.slug,
    label,
    viewType: 'View',
    versionHash,
    entity: undefined,
    resource: report.name,
    query,
    isGenerated: false,
    formQuery: undefined,
    insert: undefined,
    update: undefined,
    delete: undefined,
    fields,
    linked: [],
    listed: fields,
    fieldByName: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
    parameters: new Map(filters.map((filter) => [filter.name.toLowerCase(), filter])),
    keys: [],
    sections: [],
    sort: [],
    presets: [],
    search: undefined,
    hints: {},
    permits: [],
    rowActions: [],
    details: [],
    validates: [],
    events: [],
    wizard: undefined,
    element,
    place: element.place,
  })
}
