/** Report documents: what a deploy checks of them; a later engine reads the element. */
import type { Element } from '../element.ts'
import type { ModelText } from '../model-text.ts'
import type { AuthoredSql, Script } from '../model.ts'
import { toWords } from '../names.ts'
import { findChild, listChildren, listGrouped, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { checkArguments, checkRole } from './effects.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { scopeOf } from './parameters.ts'
import { checkSchedule } from './procedure.ts'
import { compileRead, textSource } from './sql.ts'

/** Filters with these names would clash with the printed page's own arguments. */
const RESERVED_FILTERS = new Set(['report', 'format', 'inline'])
const CHARTS = new Set(['Kpi', 'Bar', 'Line', 'Area', 'Pie', 'Table'])

/** Checks every report; their labels by their names. */
export function compileReports(c: Compilation): Map<string, ModelText> {
  const labels = new Map<string, ModelText>()
  for (const script of c.scriptsOf('Report')) {
    compileReport(c, script)
    labels.set(script.name, c.labelOf(script.element, toWords(script.name)))
  }
  return labels
}

function compileReport(c: Compilation, { element }: Script): void {
  const filters = compileFilters(c, element)
  const dataSets = compileDataSets(c, element, filters)
  const widgets = listGrouped(element, 'Widgets', 'Widget')
  for (const widget of widgets) checkWidget(c, widget, dataSets, filters)
  const names = widgets.map((widget) => readText(widget, 'Name') ?? '')
  for (const row of listGrouped(element, 'Layout', 'Row')) {
    for (const cell of listChildren(row, 'Cell')) {
      const widget = readText(cell, 'Widget') ?? ''
      if (names.includes(widget)) continue
      c.faults.add(placeOf(cell, 'Widget'), `There is no Widget ${widget}${suggest(widget, names)}`)
    }
  }
  for (const schedule of listChildren(element, 'Schedule')) checkSchedule(c, schedule, filters)
}

/** The names that datasets bind: a Date filter also binds its end. */
function compileFilters(c: Compilation, element: Element): string[] {
  const children = listGrouped(element, 'Filters', 'Filter')
  const names = children.map((child) => readText(child, 'Name') ?? '')
  return children.flatMap((child) => {
    const features = compileFeatures(c, child, { names: () => names })
    if (RESERVED_FILTERS.has(features.name.toLowerCase())) {
      const message = `${features.name} is a reserved name of filters: choose another`
      c.faults.add(placeOf(child, 'Name'), message)
    }
    return features.type === 'Date' ? [features.name, `${features.name}_End`] : [features.name]
  })
}

function compileDataSets(
  c: Compilation,
  element: Element,
  filters: readonly string[],
): Map<string, AuthoredSql | undefined> {
  const dataSets = new Map<string, AuthoredSql | undefined>()
  for (const child of listGrouped(element, 'DataSets', 'DataSet')) {
    const name = readText(child, 'Name') ?? ''
    const query = findChild(child, 'Sql')
    if (!query) c.faults.add(child.place, `The DataSet ${name} needs a Sql`)
    const sql =
      query &&
      compileRead(
        c,
        textSource(c, query),
        scopeOf(() => filters),
      )
    dataSets.set(name, sql)
  }
  return dataSets
}

function checkWidget(
  c: Compilation,
  element: Element,
  dataSets: ReadonlyMap<string, AuthoredSql | undefined>,
  filters: readonly string[],
): void {
  const kind = readText(element, 'Kind') ?? ''
  const name = readText(element, 'DataSet')
  if (name !== undefined && !dataSets.has(name)) {
    const message = `There is no DataSet ${name}${suggest(name, dataSets.keys())}`
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
  const sql = dataSets.get(name ?? '')
  if (sql) checkColumns(c, element, sql)
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
