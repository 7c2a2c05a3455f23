/** Navigations: their targets and badges are checked here. */
import type { Element } from '../element.ts'
import { findChild, listChildren } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { compileScalar, textSource } from './sql.ts'
import { compileTarget } from './targets.ts'

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
