/** Targets of actions, and the navbars that are made of them. */
import type { Element, Place } from '../element.ts'
import type { RowAction, View } from '../model.ts'
import { findChild, listChildren, placeOf, readText, readWith } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { compileScalar, textSource } from './sql.ts'

type Target = NonNullable<RowAction['opens']>['kind']

const TARGETS: readonly Target[] = ['Object', 'Report', 'Wizard', 'Url']

/**
 * The one target of an item or action, checked once every view stands; undefined when it has none.
 */
export function compileTarget(
  c: Compilation,
  element: Element,
): { kind: Target; target: string } | undefined {
  const named = TARGETS.filter((kind) => readText(element, kind) !== undefined)
  const [kind] = named
  if (kind === undefined) return undefined
  if (named.length > 1) {
    const second = placeOf(element, named[1] ?? kind)
    c.faults.add(second, `It opens one thing, not ${named.join(' and ')}`)
  }
  const target = readText(element, kind) ?? ''
  c.whenViewed(() => checkTarget(c, element, kind, target))
  return { kind, target }
}

function checkTarget(c: Compilation, element: Element, kind: Target, target: string): void {
  if (kind === 'Url') return
  if (kind === 'Report') return requireReport(c, target, placeOf(element, kind))
  const view = c.findView(target, element, kind)
  if (view) checkGiven(c, element, view)
  if (!view || kind === 'Object') return
  if (view.viewType === 'Wizard') return
  c.faults.add(placeOf(element, kind), `${view.name} is no wizard`)
}

/** What a link hands over is a field of the view that it opens, or a parameter of its query. */
function checkGiven(c: Compilation, element: Element, view: View): void {
  if (view.viewType === 'Wizard') return
  const names = [...view.fields.map((field) => field.name), ...view.query.parameters]
  const known = new Set(names.map((name) => name.toLowerCase()))
  for (const { name } of readWith(element)) {
    if (known.has(name.toLowerCase())) continue
    const message = `With: ${view.name} has no field ${name}${suggest(name, names)}`
    c.faults.add(placeOf(element, 'With'), message)
  }
}

/** A warning unless the model has the report: extensions bring reports too. */
export function requireReport(c: Compilation, key: string, place: Place): void {
  if (c.reportByKey.has(key.toLowerCase()) || c.faulty.hasLink(key)) return
  const names = [...c.reportByKey.values()].map((script) => script.name)
  const message = `The model has no Report ${key}${suggest(key, names)}`
  c.faults.warn(place, `${message}; an extension must bring it`)
}

/** Checks every navbar. */
export function compileNavbars(c: Compilation): void {
  for (const script of c.scriptsOf('Navbar')) {
    checkItems(c, script.element)
  }
}

function checkItems(c: Compilation, element: Element): void {
  for (const item of listChildren(element, 'Item')) {
    const target = compileTarget(c, item)
    const isGroup = findChild(item, 'Item') !== undefined
    if (target && isGroup) c.faults.add(item.place, 'An Item is either a group or a link, not both')
    if (!target && !isGroup) {
      c.faults.add(
        item.place,
        'An Item needs a target (Object, Report, Wizard or Url) or Items in it',
      )
    }
    const badge = findChild(item, 'Badge')
    if (badge) compileScalar(c, textSource(c, badge), CONTEXT_ONLY)
    checkItems(c, item)
  }
}
