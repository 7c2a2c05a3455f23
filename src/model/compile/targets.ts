/** What links name: views, reports, wizards. */
import type { Element } from '../element.ts'
import type { RowAction } from '../model.ts'
import { readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'

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
    c.faults.add(element.place, `It opens one thing, not ${named.join(' and ')}`)
  }
  const target = readText(element, kind) ?? ''
  c.whenViewed(() => checkTarget(c, element, kind, target))
  return { kind, target }
}

function checkTarget(c: Compilation, element: Element, kind: Target, target: string): void {
  if (kind === 'Url') return
  if (kind === 'Report') return requireReport(c, target, element)
  const view = c.findView(target, element)
  if (!view || kind === 'Object') return
  if (view.viewType !== 'Wizard') c.faults.add(element.place, `${view.name} is no wizard`)
}

/** A warning unless the model has the report: extensions bring reports too. */
export function requireReport(c: Compilation, key: string, element: Element): void {
  if (c.reportByKey.has(key.toLowerCase())) return
  const names = [...c.reportByKey.values()].map((script) => script.name)
  const message = `The model has no Report ${key}${suggest(key, names)}`
  c.faults.warn(element.place, `${message}; an extension must bring it`)
}
