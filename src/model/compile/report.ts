/** Report pages: filters, datasets, widgets and their layout. */
import type { Element } from '../element.ts'
import type { FieldFeatures, Report, ReportCell, Script } from '../model.ts'
import { toWords } from '../names.ts'
import { findChild, listChildren, listGrouped, placeOf, readCount, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { DataSetColumns, type GivenDataSet } from './dataset-columns.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { scopeOf } from './parameters.ts'
import { checkSchedule } from './procedure.ts'
import { compileRead, textSource } from './sql.ts'
import { slugOf } from './view.ts'
import { compileWidget } from './widget.ts'

/** Filters with these names would clash with the printed page's own arguments. */
const RESERVED_FILTERS = new Set(['report', 'format', 'inline'])

/** Compiles every report, by name. */
export function compileReports(c: Compilation): Map<string, Report> {
  return new Map(c.scriptsOf('Report').map((script) => [script.name, compileReport(c, script)]))
}

function compileReport(c: Compilation, script: Script): Report {
  const { element, name, versionHash } = script
  const filters = compileFilters(c, element)
  const bound = listBound(filters)
  const dataSets = compileDataSets(c, element, bound)
  const scope = { dataSets: new DataSetColumns(c, dataSets), filters: bound }
  const widgets = listGrouped(element, 'Widgets', 'Widget').map((widget) =>
    compileWidget(c, widget, scope),
  )
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
