/** Widgets of a report page: figures, charts, tables, pivots, texts and embedded views. */
import { findChild, listChildren, placeOf, readFlag, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import {
  compileReportColumn,
  type DataSetColumn,
  type DataSetColumns,
  findDataSetColumn,
  plainColumn,
} from './dataset-columns.ts'
import { checkArguments, checkRole, checkTexts } from './effects.ts'
import { suggest } from './fault-list.ts'
import { compileWireComparison } from './field-condition.ts'
import { checkGiven, compileTarget } from './targets.ts'
import type { OpenTarget } from '../compiled/action.ts'
import type { FieldFeatures, FieldType } from '../compiled/field-features.ts'
import type { View } from '../compiled/view.ts'
import type {
  AggregateFunction,
  FormatRule,
  ReportColumn,
  ReportComparison,
  ReportGroup,
  ReportSeries,
  ReportSparkline,
  ReportWidget,
  Tone,
} from '../compiled/widget.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { plainShape } from '../fields/field-shape.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'
import {
  WIDGET_ATTRIBUTES,
  WIDGET_CHILD_ATTRIBUTES,
  WIDGET_CHILDREN,
  WIDGET_KINDS,
  type WidgetKind,
} from '../widget-kinds.ts'

/** Names that the widgets of a report may use. */
interface WidgetScope {
  dataSets: DataSetColumns
  /** The names that filters bind. */
  filters: readonly string[]
}

type Columns = ReadonlyMap<string, DataSetColumn> | undefined

/** Compiles a widget; adds a fault for each unknown name in it. */
export function compileWidget(c: Compilation, element: Element, scope: WidgetScope): ReportWidget {
  const name = readText(element, 'Name') ?? ''
  const kind = readText(element, 'Kind') as WidgetKind
  const columns = scope.dataSets.find(element, 'DataSet')
  checkKind(c, element, kind)
  const preset = compileEmbedded(c, element, kind)
  const outputs = [...(columns?.values() ?? [])].map((each) => each.name)
  const isWhole = columns !== undefined || readText(element, 'DataSet') === undefined
  const names = isWhole ? [...outputs, ...scope.filters] : undefined
  if (names) checkTexts(c, element, names)
  checkArguments(c, element, scope.filters)
  const category = compileCategory(c, element, kind, columns)
  const groups = compileGroups(c, element, columns)
  const series = compileSeries(c, element, { kind, columns, category })
  return {
    name,
    label: c.labelOf(element, toWords(name)),
    kind,
    dataSet: readText(element, 'DataSet'),
    category,
    isStacked: readFlag(element, 'Stacked') ?? false,
    text: c.findText(element, 'Text'),
    view: readText(element, 'View'),
    preset,
    allowedRoles: readWords(element, 'AllowedRoles'),
    with: readText(element, 'With'),
    series,
    groups,
    hasTotals: WIDGET_KINDS[kind].isAggregated && (readFlag(element, 'Totals') ?? true),
    formats: compileFormats(c, element, columns, [...series, ...groups]),
    comparison: compileComparison(c, element, scope),
    sparkline: compileSparkline(c, element, scope),
    drill: compileDrill(c, element, names),
  }
}

/** Checks that a widget has what its kind needs, and nothing that does not belong to it. */
function checkKind(c: Compilation, element: Element, kind: WidgetKind): void {
  const refuse = (message: string): void => c.faults.add(placeOf(element, 'Kind'), message)
  const { reads, isAggregated, attributes, children, childAttributes } = WIDGET_KINDS[kind]
  if (readText(element, 'DataSet') === undefined && reads !== 'nothing')
    refuse(`A ${kind} needs a DataSet`)
  const lacks = (child: string): boolean => listChildren(element, child).length === 0
  if (isAggregated && lacks('Group')) refuse(`A ${kind} needs a Group`)
  if (isAggregated && lacks('Series')) refuse(`A ${kind} needs a Series: the values in its cells`)
  for (const role of readWords(element, 'AllowedRoles'))
    checkRole(c, role, placeOf(element, 'AllowedRoles'))
  checkBelongs(c, element, kind, without(WIDGET_ATTRIBUTES, attributes))
  const [foreign, others] = [
    without(WIDGET_CHILDREN, children),
    without(WIDGET_CHILD_ATTRIBUTES, childAttributes),
  ]
  for (const child of element.children) {
    if (foreign.includes(child.name))
      c.faults.add(child.place, `${child.name} does not belong to a ${kind}`)
    else checkBelongs(c, child, kind, others)
  }
}

const without = (all: readonly string[], own: readonly string[]): string[] =>
  all.filter((name) => !own.includes(name))

function checkBelongs(
  c: Compilation,
  element: Element,
  kind: WidgetKind,
  foreign: readonly string[],
): void {
  for (const attribute of foreign) {
    if (readText(element, attribute) === undefined) continue
    c.faults.add(placeOf(element, attribute), `${attribute} does not belong to a ${kind}`)
  }
}

/**
 * Checks arguments of an embedded view: each is a field of it, or a parameter of its query. Returns
 * the name of its preset.
 */
function compileEmbedded(c: Compilation, element: Element, kind: WidgetKind): string | undefined {
  const key = readText(element, 'View')
  if (key === undefined) {
    if (WIDGET_KINDS[kind].embedsView)
      c.faults.add(placeOf(element, 'Kind'), `A ${kind} widget needs a View`)
    return undefined
  }
  const view = c.findView(key, element, 'View')
  if (!view) return undefined
  checkGiven(c, element, view)
  return findPreset(c, element, view)
}

/** Finds the preset that a widget names; undefined, with a fault, where the view has none of it. */
function findPreset(c: Compilation, element: Element, view: View): string | undefined {
  const name = readText(element, 'Preset')
  if (name === undefined) return undefined
  const names = listChildren(view.element, 'Preset').map((child) => readText(child, 'Name') ?? '')
  const found = names.find((each) => each.toLowerCase() === name.toLowerCase())
  if (found === undefined) {
    const message = `${view.name} has no Preset ${name}${suggest(name, names)}`
    c.faults.add(placeOf(element, 'Preset'), message)
  }
  return found
}

/** Compiles the category of a chart: the first column where it names none. */
function compileCategory(
  c: Compilation,
  element: Element,
  kind: WidgetKind,
  columns: Columns,
): ReportColumn | undefined {
  const named = findDataSetColumn(c, element, 'Category', columns)
  const [first] = columns?.values() ?? []
  const column = named ?? (WIDGET_KINDS[kind].hasCategory ? first : undefined)
  if (!column) return undefined
  const plain = plainColumn(column)
  return {
    ...plain,
    label: c.findText(element, 'CategoryLabel') ?? plain.label,
    format: readText(element, 'CategoryFormat') ?? plain.format,
  }
}

/** Series by default: a figure's first column, a chart's all but its category, a table's all. */
function compileSeries(
  c: Compilation,
  element: Element,
  {
    kind,
    columns,
    category,
  }: { kind: WidgetKind; columns: Columns; category?: ReportColumn | undefined },
): ReportSeries[] {
  const children = listChildren(element, 'Series')
  const written = children.map((child) => ({
    ...compileReportColumn(c, child, findDataSetColumn(c, child, 'Column', columns)),
    kind: readText(child, 'Kind') as ReportSeries['kind'],
    axis: (readText(child, 'Axis') ?? 'Primary') as ReportSeries['axis'],
    function: readText(child, 'Function') as AggregateFunction | undefined,
  }))
  const { reads, isAggregated } = WIDGET_KINDS[kind]
  if (written.length > 0 || reads === 'nothing') {
    if (!isAggregated) return written
    return written.map((each) => ({ ...each, function: each.function ?? 'sum' }))
  }
  const all = [...(columns?.values() ?? [])].filter(({ name }) => name !== category?.column)
  return (reads === 'figure' ? all.slice(0, 1) : all).map((column) => ({
    ...plainColumn(column),
    kind: undefined,
    axis: 'Primary',
    function: undefined,
  }))
}

const compileGroups = (c: Compilation, element: Element, columns: Columns): ReportGroup[] =>
  listChildren(element, 'Group').map((child) => ({
    ...compileReportColumn(c, child, findDataSetColumn(c, child, 'Column', columns)),
    on: readText(child, 'On') === 'Columns' ? 'Columns' : 'Rows',
    breaksPage: readFlag(child, 'Break') ?? false,
  }))

/** Conditions on columns of the dataset, of the types that the widget shows them in. */
function compileFormats(
  c: Compilation,
  element: Element,
  columns: Columns,
  shown: readonly ReportColumn[],
): FormatRule[] {
  const types = new Map(shown.map(({ column, type }) => [column.toLowerCase(), type]))
  const owner = `The DataSet ${readText(element, 'DataSet') ?? ''}`
  return listChildren(element, 'Format').flatMap((child) => {
    const value = CONDITION_VALUE.exec(readText(child, 'When') ?? '')?.[1]
    const fields = new Map(
      [...(columns ?? [])].map(([key, column]) => {
        const type = types.get(key) ?? column.type ?? guessType(value)
        return [key, featuresOf(column, type)] as const
      }),
    )
    const column = findDataSetColumn(c, child, 'Column', columns)?.name
    const when =
      columns && compileWireComparison(c, child, { owner, fields, noun: 'column' }, 'When')
    if (!when) return []
    const type = fields.get(when.field.toLowerCase())?.type ?? 'Text'
    const tone = readText(child, 'Tone') as Tone
    return [{ column, when: { ...when, type }, tone, label: c.findText(child, 'Label') }]
  })
}

/** The value after the operator of a condition. */
const CONDITION_VALUE = /^\s*\w+\s+\w+\s+(\S+)/

/** Guesses the type of a column of unknown type from the value that it is compared with. */
function guessType(value: string | undefined): FieldType {
  const parsed = FIELD_KINDS.Decimal.parse(value, plainShape('', 'Decimal'))
  return value === undefined || parsed instanceof FieldFault ? 'Text' : 'Decimal'
}

const featuresOf = (
  { name, origin }: DataSetColumn,
  type: FieldType,
): Pick<FieldFeatures, 'name'> & ReturnType<typeof plainShape> => ({
  ...plainShape(name, type),
  name,
  scale: FIELD_KINDS[type].number === 'scaled' ? EVALUATED_SCALE : undefined,
  options: origin?.type === type ? origin.options : [],
})

/** Decimal places up to which a condition's value is taken as written. */
const EVALUATED_SCALE = 9

/** A figure's comparison reads the widget's own dataset where it names none. */
function compileComparison(
  c: Compilation,
  element: Element,
  scope: WidgetScope,
): ReportComparison | undefined {
  const child = findChild(element, 'Compare')
  if (!child) return undefined
  const { dataSet, columns } = findRead(element, child, scope)
  return {
    ...compileReportColumn(c, child, findDataSetColumn(c, child, 'Column', columns)),
    dataSet,
    better: readText(child, 'Better') === 'down' ? 'down' : 'up',
  }
}

function compileSparkline(
  c: Compilation,
  element: Element,
  scope: WidgetScope,
): ReportSparkline | undefined {
  const child = findChild(element, 'Sparkline')
  if (!child) return undefined
  const { dataSet, columns } = findRead(element, child, scope)
  const column = findDataSetColumn(c, child, 'Column', columns)?.name ?? ''
  return { dataSet, column, category: findDataSetColumn(c, child, 'Category', columns)?.name }
}

function findRead(
  element: Element,
  child: Element,
  { dataSets }: WidgetScope,
): { dataSet: string; columns: Columns } {
  const holder = readText(child, 'DataSet') === undefined ? element : child
  return {
    dataSet: readText(holder, 'DataSet') ?? '',
    columns: dataSets.find(holder, 'DataSet'),
  }
}

/**
 * Compiles a drill: its With and the texts of its Url name columns of the row, or filters;
 * undefined where the columns are unknown.
 */
function compileDrill(
  c: Compilation,
  element: Element,
  names: readonly string[] | undefined,
): OpenTarget | undefined {
  const child = findChild(element, 'Drill')
  if (!child) return undefined
  if (names) {
    checkArguments(c, child, names)
    checkTexts(c, child, names)
  }
  const target = compileTarget(c, child)
  if (!target) c.faults.add(child.place, 'A Drill needs a target (Object, Report or Url)')
  return target && { ...target, with: readText(child, 'With') }
}
