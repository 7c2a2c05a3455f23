/** Targets: what actions, drills and items of navbars open. */
import { listBoundFields } from '../bound-fields.ts'
import { listGrouped, placeOf, readText, readWith } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import type { OpenTarget } from '../compiled/action.ts'
import type { Script } from '../compiled/script.ts'
import { type View, VIEW_TYPES } from '../compiled/view.ts'
import type { Element } from '../parse/element.ts'
import { listKeyNames, listPrintArguments } from '../print-arguments.ts'

type Target = OpenTarget['kind']

const TARGETS: readonly Target[] = ['Object', 'Report', 'Wizard', 'Url']

/** Compiles the one target of an item or action, checked once views are compiled; or undefined. */
export function compileTarget(
  c: Compilation,
  element: Element,
): Omit<OpenTarget, 'with'> | undefined {
  const named = TARGETS.filter((kind) => readText(element, kind) !== undefined)
  const [kind] = named
  if (kind === undefined) return undefined
  if (named.length > 1) {
    const second = placeOf(element, named[1] ?? kind)
    c.faults.add(second, `It can only open one thing, not ${named.join(' and ')}`)
  }
  const target = readText(element, kind) ?? ''
  c.whenViewed(() => checkTarget(c, element, kind, target))
  if (kind !== 'Report') return { kind, target }
  return { kind, target, reportKind: kindOfReport(c, target) }
}

function checkTarget(c: Compilation, element: Element, kind: Target, target: string): void {
  if (kind === 'Url') return requireLink(c, element, target)
  if (kind === 'Report') return requireReport(c, element, target)
  const view = c.findView(target, element, kind)
  if (view) checkGiven(c, element, view)
  if (!view || kind === 'Object') return
  if (VIEW_TYPES[view.viewType].hasSteps) return
  c.faults.add(placeOf(element, kind), `${view.name} is not a wizard`)
}

/** Addresses that run as code, or hold their page themselves: no client follows them. */
const CODE = /^\s*(?:javascript|vbscript|data|blob):/i

function requireLink(c: Compilation, element: Element, target: string): void {
  if (!CODE.test(target)) return
  const message = `Url: ${target.slice(0, 40)} cannot be followed. Use https://… or a path`
  c.faults.add(placeOf(element, 'Url'), message)
}

/** Checks arguments of a link: each is a field of the opened view, or a parameter of its query. */
export function checkGiven(c: Compilation, element: Element, view: View): void {
  const names = view.wizard
    ? listBoundFields(view.wizard).map((field) => field.name)
    : [...view.fields.map((field) => field.name), ...view.query.parameters]
  const known = new Set(names.map((name) => name.toLowerCase()))
  for (const { name } of readWith(element)) {
    if (known.has(name.toLowerCase())) continue
    const message = `With: ${view.name} has no field ${name}${suggest(name, names)}`
    c.faults.add(placeOf(element, 'With'), message)
  }
}

/** Checks arguments of a report page of the model: each is one of its filters. */
function checkFilters(c: Compilation, element: Element, script: Script): void {
  const filters = listGrouped(script.element, 'Filters', 'Filter')
  const names = filters.map((filter) => readText(filter, 'Name') ?? '')
  const known = new Set(names.map((name) => name.toLowerCase()))
  for (const { name } of readWith(element)) {
    if (known.has(name.toLowerCase())) continue
    const message = `With: ${script.name} has no filter ${name}${suggest(name, names)}`
    c.faults.add(placeOf(element, 'With'), message)
  }
}

/**
 * Checks the `Report` that an element opens or attaches: warns unless the model has it, since
 * extensions bring reports too. Checks its arguments, for a print once every view is compiled.
 */
export function requireReport(c: Compilation, element: Element, key: string): void {
  const print = c.printByKey.get(key.toLowerCase())
  if (print) return c.whenViewed(() => checkPrintArguments(c, element, print))
  const page = c.reportByKey.get(key.toLowerCase())
  if (page) return checkFilters(c, element, page)
  if (c.faulty.hasLink(key)) return
  const scripts = [...c.reportByKey.values(), ...c.printByKey.values()]
  const message = `The model has no Report ${key}${suggest(
    key,
    scripts.map((script) => script.name),
  )}`
  c.faults.warn(placeOf(element, 'Report'), `${message}; an extension must bring it`)
}

/** Returns the kind: a report outside the model is an extension's, and makes documents. */
const kindOfReport = (c: Compilation, key: string): 'Page' | 'Document' =>
  c.reportByKey.has(key.toLowerCase()) ? 'Page' : 'Document'

/** A print takes the key of its record, all of it; that of a report takes its filters. */
function checkPrintArguments(c: Compilation, element: Element, print: Script): void {
  const page = c.reportByKey.get((readText(print.element, 'Report') ?? '').toLowerCase())
  if (page) return checkFilters(c, element, page)
  const view = c.viewByKey.get((readText(print.element, 'View') ?? '').toLowerCase())
  if (!view) return
  const names = listPrintArguments(view)
  const given = readWith(element).map(({ name }) => name)
  const isOneOf = (name: string, list: readonly string[]): boolean =>
    list.some((each) => each.toLowerCase() === name.toLowerCase())
  const place = placeOf(element, readText(element, 'With') === undefined ? 'Report' : 'With')
  const unknown = given.find((name) => !isOneOf(name, names))
  const missing = view.keys.find(
    ({ name }) => !listKeyNames(view, name).some((each) => isOneOf(each, given)),
  )
  if (unknown !== undefined)
    c.faults.add(place, `With: ${print.name} takes no ${unknown}${suggest(unknown, names)}`)
  else if (missing)
    c.faults.add(place, `With: ${print.name} needs ${missing.name}, the key of its record`)
}
