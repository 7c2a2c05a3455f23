/** Report pages: filters, datasets, widgets and their layout. */
import { findChild, listChildren, listGrouped, placeOf, readCount, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { DataSetColumns, type GivenDataSet } from './dataset-columns.ts'
import { suggest } from './fault-list.ts'
import { compileFeatures } from './features.ts'
import { findReserved, scopeOf, typesOf } from './parameters.ts'
import { compileSchedule } from './schedule.ts'
import { compileRead, textSource } from './sql.ts'
import { slugOf } from './view.ts'
import { compileWidget } from './widget.ts'
import type { FieldFeatures, FieldType } from '../compiled/field-features.ts'
import type { Report, ReportCell } from '../compiled/report.ts'
import type { Script } from '../compiled/script.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** Filters with these names would clash with the printed page's own arguments. */
const RESERVED_FILTERS = new Set(['report', 'format', 'inline', 'background'])

/** Compiles every report, by name. */
export function compileReports(c: Compilation): Map<string, Report> {
  return new Map(c.scriptsOf('Report').map((script) => [script.name, compileReport(c, script)]))
}

function compileReport(c: Compilation, script: Script): Report {
  const { element, name, versionHash } = script
  const filters = compileFilters(c, element)
  const bound = listBound(filters)
  const dataSets = compileDataSets(c, element, filters)
  const scope = { dataSets: new DataSetColumns(c, dataSets), filters: bound }
  const widgets = listGrouped(element, 'Widgets', 'Widget').map((widget) =>
    compileWidget(c, widget, scope),
  )
  const layout = compileLayout(
    c,
    element,
    widgets.map((widget) => widget.name),
  )
  const schedules = listChildren(element, 'Schedule').map((each) => compileSchedule(c, each, bound))
  const label = c.labelOf(element, toWords(name))
  const usable = dataSets.flatMap(({ sql, ...rest }) => (sql ? [{ ...rest, sql }] : []))
  const parts = { filters, dataSets: usable, widgets, layout, schedules }
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
  const filters = children.map((child) => compileFeatures(c, child, { names: () => names }))
  const bound = new Set<string>()
  for (const [at, child] of children.entries()) {
    const taken = listBound(filters.slice(at, at + 1)).map((name) => name.toLowerCase())
    const message = refuseName(c, names[at] ?? '', taken, bound)
    if (message !== undefined) c.faults.add(placeOf(child, 'Name'), message)
    for (const name of taken) bound.add(name)
  }
  return filters
}

/** Returns the reason against a filter's name; undefined if none. `taken` is all it would bind. */
function refuseName(
  c: Compilation,
  name: string,
  taken: readonly string[],
  bound: ReadonlySet<string>,
): string | undefined {
  if (RESERVED_FILTERS.has(name.toLowerCase()))
    return `${name} is a reserved name of filters: choose another`
  const reserved = findReserved(name, c)
  if (reserved !== undefined) return `@${name} is ${reserved}: choose another name`
  const twice = taken.find((each) => bound.has(each))
  return (
    twice && `Another filter already binds @${twice} (case makes no difference): choose another`
  )
}

/** The names that datasets bind: a Date filter also binds where its day begins and ends. */
const listBound = (filters: readonly FieldFeatures[]): string[] =>
  listTyped(filters).map(({ name }) => name)

interface BoundName {
  name: string
  type: FieldType
}

const listTyped = (filters: readonly FieldFeatures[]): BoundName[] =>
  filters.flatMap(({ name, type }): BoundName[] => {
    const ends = FIELD_KINDS[type].moment === 'day' ? ['_Start', '_End'] : []
    return [
      { name, type },
      ...ends.map((end): BoundName => ({ name: name + end, type: 'DateTime' })),
    ]
  })

function compileDataSets(
  c: Compilation,
  element: Element,
  filters: readonly FieldFeatures[],
): GivenDataSet[] {
  const bound = listTyped(filters)
  const scope = scopeOf(() => bound.map(({ name }) => name), { types: typesOf(bound) })
  return listGrouped(element, 'DataSets', 'DataSet').map((child) => {
    const name = readText(child, 'Name') ?? ''
    const query = findChild(child, 'Sql')
    if (!query) c.faults.add(child.place, `The DataSet ${name} needs a Sql`)
    const sql = query && compileRead(c, textSource(c, query), scope)
    return { name, mode: readText(child, 'Mode') === 'Single' ? 'Single' : 'Rows', sql }
  })
}
