import { findChild, placeOf, readPairs, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { findReserved, scopeOf } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import type { Lookup } from '../compiled/field-features.ts'
import type { View } from '../compiled/view.ts'
import type { Element } from '../parse/element.ts'

/** Compiles the Lookup child of an element, or its short form; checked once views are compiled. */
export function compileLookup(
  c: Compilation,
  element: Element,
  names: () => Iterable<string>,
): Lookup | undefined {
  const child = findChild(element, 'Lookup')
  const view = child ? readText(child, 'View') : readText(element, 'Lookup')
  const label = readWords(element, 'LookupLabel')
  if (label.length > 0 && (child || view === undefined)) {
    const message = 'LookupLabel goes with the short form Lookup; a Lookup child has its own Label'
    c.faults.add(placeOf(element, 'LookupLabel'), message)
  }
  if (view === undefined) return undefined
  const lookup: Lookup = {
    view,
    place: child ? placeOf(child, 'View') : placeOf(element, 'Lookup'),
    search: child ? readWords(child, 'Search') : [],
    where: undefined,
    dependsOn: [],
    fill: child ? readPairs(child, 'Fill').map(([field, from]) => ({ field, from })) : [],
    label: child ? readWords(child, 'Label') : label,
  }
  c.whenViewed(() => checkLookup(c, child ?? element, lookup, names))
  return lookup
}

function checkLookup(
  c: Compilation,
  element: Element,
  lookup: Lookup,
  names: () => Iterable<string>,
): void {
  const attribute = element.name === 'Lookup' ? 'View' : 'Lookup'
  const view = c.findView(lookup.view, element, attribute)
  if (!view) return
  lookup.view = view.name
  if (view.keys.length !== 1) {
    const message = `${view.name} cannot be looked up: its key is not one column`
    c.faults.add(placeOf(element, attribute), message)
  }
  requireFields(c, element, view, 'Search', lookup.search)
  requireFields(c, element, view, 'Label', lookup.label)
  requireFields(
    c,
    element,
    view,
    'Fill',
    lookup.fill.map((pair) => pair.from),
  )
  const known = [...names()]
  const keys = new Set(known.map((name) => name.toLowerCase()))
  for (const { field } of lookup.fill) {
    if (keys.has(field.toLowerCase())) continue
    c.faults.add(
      placeOf(element, 'Fill'),
      `Fill: there is no ${field} to fill${suggest(field, known)}`,
    )
  }
  if (readText(element, 'Where') === undefined) return
  const source = attributeSource(c, element, 'Where')
  lookup.where = compileCondition(c, source, view.query.text, scopeOf(names))
  const bound = lookup.where?.parameters ?? []
  lookup.dependsOn = bound.filter((name) => findReserved(name, c) === undefined)
}

/** Adds a fault for each name that is not a field of the view. */
export function requireFields(
  c: Compilation,
  element: Element,
  view: View,
  attribute: string,
  names: readonly string[],
): void {
  for (const name of names) {
    if (view.fieldByName.has(name.toLowerCase())) continue
    const nearest = suggest(
      name,
      view.fields.map((field) => field.name),
    )
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: ${view.name} has no field ${name}${nearest}`,
    )
  }
}
