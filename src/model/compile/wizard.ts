/**
 * Wizards: the steps and the finish of a view are checked here; a later engine reads the element.
 */
import type { Element } from '../element.ts'
import type { View } from '../compiled/view.ts'
import { findChild, listChildren, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileEffects } from './effects.ts'
import { compileFeatures } from './features.ts'
import { scopeOf } from './parameters.ts'
import { attributeSource, compileCondition } from './sql.ts'
import { compileValidates } from './validate.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'

/** Checks the steps of every wizard, and that no other view has any. */
export function compileWizards(c: Compilation): void {
  for (const view of c.views.values()) {
    const steps = listChildren(view.element, 'Step')
    const finish = findChild(view.element, 'Finish')
    if (view.viewType !== 'Wizard') {
      const stray = steps[0] ?? finish
      if (stray) c.faults.add(stray.place, `${stray.name} belongs to a view with ViewType="Wizard"`)
    } else if (steps.length === 0) {
      c.faults.add(view.place, 'A wizard needs a Step')
    } else checkSteps(c, view, steps, finish)
  }
}

function checkSteps(
  c: Compilation,
  view: View,
  steps: readonly Element[],
  finish: Element | undefined,
): void {
  const fields = new Map<string, FieldFeatures>()
  const names = () => [...fields.values()].map((field) => field.name)
  for (const step of steps) {
    if (readText(step, 'When') !== undefined) {
      const earlier = names()
      const source = attributeSource(c, step, 'When')
      compileCondition(
        c,
        source,
        'SELECT 1 AS Step',
        scopeOf(() => earlier),
      )
    }
    for (const child of listChildren(step, 'Field')) {
      const name = readText(child, 'Name') ?? ''
      if (fields.has(name.toLowerCase())) {
        c.faults.add(placeOf(child, 'Name'), `An earlier step has the field ${name} already`)
      }
      const base = view.entity?.columnByName.get(name.toLowerCase())
      fields.set(name.toLowerCase(), compileFeatures(c, child, { base, names }))
    }
    compileValidates(c, step, { owner: `The step ${readText(step, 'Name')}`, fields })
  }
  const labels = { features: () => fields.values(), isTenant: true }
  if (finish) compileEffects(c, finish, { names, labels })
}
