/** The table of a Detail in a print: its columns are fields that the Detail's view serves. */
import { listChildren, placeOf, readCount, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import type { PrintReading } from './print-reading.ts'
import type { Field } from '../compiled/field.ts'
import type { PrintLineColumn, PrintPart } from '../compiled/print.ts'
import type { View } from '../compiled/view.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'
import { isOnSurface } from '../view-index.ts'

/** Compiles the part, with a fault for each unknown name; undefined for an unknown Detail. */
export function compileLines(reading: PrintReading, element: Element): PrintPart | undefined {
  const { c } = reading
  const view = findDetailView(reading, element)
  const label = reading.findText(element, 'Label')
  const empty = reading.findText(element, 'Empty')
  const when = reading.findWhen(element)
  const children = listChildren(element, 'Column')
  if (children.length === 0) c.faults.add(element.place, 'Lines need a Column')
  if (!view) return undefined
  const group = readText(element, 'Group')
  const grouped = group === undefined ? undefined : findServed(c, view, element, 'Group', group)
  const columns = children.flatMap((child) => compileColumn(c, view, child) ?? [])
  const detail = readText(element, 'Detail') ?? ''
  return { kind: 'lines', detail, label, group: grouped?.name, empty, columns, when }
}

function findDetailView({ c, view, tables }: PrintReading, element: Element): View | undefined {
  const name = readText(element, 'Detail') ?? ''
  const detail = view.details.find((each) => each.name === name)
  if (detail) return c.views.get(detail.view)
  const table = tables?.find((each) => each.name === name)
  if (table) return table.view
  const names = (tables ?? view.details).map((each) => each.name)
  const message = tables
    ? `No widget of ${view.name} reads a DataSet ${name} of Rows${suggest(name, names)}`
    : `${view.name} has no Detail ${name}${suggest(name, names)}`
  c.faults.add(placeOf(element, 'Detail'), message)
  return undefined
}

function compileColumn(c: Compilation, view: View, element: Element): PrintLineColumn | undefined {
  const field = findServed(c, view, element, 'Name', readText(element, 'Name') ?? '')
  const isSummed = readFlag(element, 'Sum') ?? false
  const isCarried = readFlag(element, 'Carried') ?? false
  const weight = readCount(element, 'Weight')
  if (!field) return undefined
  for (const attribute of ['Sum', 'Carried']) {
    if (!readFlag(element, attribute) || isNumber(field)) continue
    const message = `${attribute}: ${field.name} is of type ${field.type}, and has no sum`
    c.faults.add(placeOf(element, attribute), message)
  }
  const label = c.labelOf(element, field.label)
  const hasOwnLabel = readText(element, 'Label') !== undefined
  return { field: field.name, label, hasOwnLabel, weight, isSummed, isCarried }
}

const isNumber = ({ type, references, options }: Field): boolean =>
  FIELD_KINDS[type].number !== undefined && references === undefined && options.length === 0

function findServed(
  c: Compilation,
  view: View,
  element: Element,
  attribute: string,
  name: string,
): Field | undefined {
  const field = view.fieldByName.get(name.toLowerCase())
  if (field && isOnSurface(view, field)) return field
  const names = view.fields.filter((each) => isOnSurface(view, each)).map((each) => each.name)
  const message = field
    ? `${attribute}: ${name} is not served (In="None")`
    : `${attribute}: ${view.name} has no field ${name}${suggest(name, names)}`
  c.faults.add(placeOf(element, attribute), message)
  return undefined
}
