/** Report pages: filters, datasets, widgets and their layout. */
import type { Element } from '../element.ts'
import type {
  AuthoredSql,
  FieldFeatures,
  Report,
  ReportCell,
  ReportDataSet,
  ReportWidget,
  Script,
} from '../model.ts'
import { toWords } from '../names.ts'
import {
  findChild,
  listChildren,
  listGrouped,
  placeOf,
  readCount,
  readText,
  readWords,
} from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkArguments, checkRole } from './effects.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { scopeOf } from './parameters.ts'
import { checkSchedule } from './procedure.ts'
import { compileRead, textSource } from './sql.ts'
import { slugOf } from './view.ts'

/** Filters with these names would clash with the printed page's own arguments. */
const RESERVED_FILTERS = new Set(['report', 'format', 'inline'])
const CHARTS = new Set(['Kpi', 'Bar', 'Line', 'Area', 'Pie', 'Table'])

/** Compiles every report, by name. */
export function compileReports(c: Compilation): Map<string, Report> {
  return new Map(c.scriptsOf('Report').map((script) => [script.name, compileReport(c, script)]))
}

function compileReport(c: Compilation, script: Script): Report {
  const { element, name, versionHash } = script
  const filters = compileFilters(c, element)
  const bound = listBound(filters)
  const dataSets = compileDataSets(c, element, bound)
  const widgets = listGrouped(element, 'Widgets', 'Widget').map((widget) => {
    checkWidget(c, widget, dataSets, bound)
    return compileWidget(c, widget)
  })
  const layout = compileLayout(
    c,
    element,
    widgets.map((widget) => widget.name),
  )
  for (const schedule of listChildren(element, 'Schedule')) checkSchedule(c, schedule, bound)
  const label = c.labelOf(element, toWords(name))
  const usable = dataSets.flatMap(({ sql, ...rest }) => (sql ? [{ ...rest, sql }] : []))
  const parts = { filters, dataSets: usable, widgets, layout }
  return Object.freeze({ name, slug: slugOf(script), label, versionHash, ...parts })
}

function compileLayout(c: Compilation, element: Element, names: readonly string[]): ReportCell[][] {
  return listGrouped(element, 'Layout', 'Row').map((row) =>
    listChildren(row, 'Cell').map((cell) => {
      const widget = readText(cell, 'Widget') ?? ''
      if (!names.includes(widget)) {
        const message = `There is no Widget ${widget}${suggest(widget, names)}`
        c.faults.add(placeOf(cell, 'Widget'), message)
      }
      return { widget, span: readCount(cell, 'Span') }
    }),
  )
}

function compileWidget(c: Compilation, element: Element): ReportWidget {
  const name = readText(element, 'Name') ?? ''
  return {
    name,
    label: c.labelOf(element, toWords(name)),
    kind: readText(element, 'Kind') ?? '',
    dataSet: readText(element, 'DataSet'),
    category: readText(element, 'Category'),
    text: c.findText(element, 'Text'),
    view: readText(element, 'View'),
    allowedRoles: readWords(element, 'AllowedRoles'),
    with: readText(element, 'With'),
    series: listChildren(element, 'Series').map((series) => ({
      column: readText(series, 'Column') ?? '',
      label: c.labelOf(series, toWords(readText(series, 'Column') ?? '')),
      format: readText(series, 'Format'),
      unit: c.findText(series, 'Unit'),
    })),
  }
}

function compileFilters(c: Compilation, element: Element): FieldFeatures[] {
  const children = listGrouped(element, 'Filters', 'Filter')
  const names = children.map((child) => readText(child, 'Name') ?? '')
  return children.map((child) => {
    const features = compileFeatures(c, child, { names: () => names })
    if (RESERVED_FILTERS.has(features.name.toLowerCase())) {
      const message = `${features.name} is a reserved name of filters: choose another`
      c.faults.add(placeOf(child, 'Name'), message)
    }
    return features
  })
}

/** The names that datasets bind: a Date filter also binds its end. */
const listBound = (filters: readonly FieldFeatures[]): string[] =>
  filters.flatMap(({ name, type }) => (type === 'Date' ? [name, `${name}_End`] : [name]))

/** A dataset as it stands; without SQL where the gate refuses it. */
type GivenDataSet = Omit<ReportDataSet, 'sql'> & { sql: AuthoredSql | undefined }

function compileDataSets(
  c: Compilation,
  element: Element,
  bound: readonly string[],
): GivenDataSet[] {
  return listGrouped(element, 'DataSets', 'DataSet').map((child) => {
    const name = readText(child, 'Name') ?? ''
    const query = findChild(child, 'Sql')
    if (!query) c.faults.add(child.place, `The DataSet ${name} needs a Sql`)
    const scope = scopeOf(() => bound)
    const sql = query && compileRead(c, textSource(c, query), scope)
    return { name, mode: readText(child, 'Mode') === 'Single' ? 'Single' : 'Rows', sql }
  })
}

function checkWidget(
  c: Compilation,
  element: Element,
  dataSets: readonly GivenDataSet[],
  filters: readonly string[],
): void {
  const kind = readText(element, 'Kind') ?? ''
  const name = readText(element, 'DataSet')
  const dataSet = dataSets.find((each) => each.name === name)
  if (name !== undefined && !dataSet) {
    const names = dataSets.map((each) => each.name)
    const message = `There is no DataSet ${name}${suggest(name, names)}`
    c.faults.add(placeOf(element, 'DataSet'), message)
  }
  if (name === undefined && CHARTS.has(kind)) {
    c.faults.add(placeOf(element, 'Kind'), `A ${kind} needs a DataSet`)
  }
  const view = readText(element, 'View')
  if (view !== undefined) c.findView(view, element, 'View')
  else if (kind === 'View') {
    c.faults.add(placeOf(element, 'Kind'), 'A View widget needs a View')
  }
  for (const role of readWords(element, 'AllowedRoles')) {
    checkRole(c, role, placeOf(element, 'AllowedRoles'))
  }
  checkArguments(c, element, filters)
  if (dataSet?.sql) checkColumns(c, element, dataSet.sql)
}

function checkColumns(c: Compilation, element: Element, sql: AuthoredSql): void {
  const outputs = sql.columns.map((column) => column.name)
  const require = (holder: Element, attribute: string) => {
    const name = readText(holder, attribute)
    if (name === undefined || outputs.some((each) => each.toLowerCase() === name.toLowerCase())) {
      return
    }
    const message = `${attribute}: the DataSet has no column ${name}${suggest(name, outputs)}`
    c.faults.add(placeOf(holder, attribute), message)
  }
  require(element, 'Category')
  for (const series of listChildren(element, 'Series')) require(series, 'Column')
}
