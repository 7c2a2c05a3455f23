/** The Parameters that a view declares: what its queries may bind beside the context. */
import type { Element } from '../element.ts'
import type { FieldFeatures, OutputColumn } from '../model.ts'
import { checkParameterNames } from './action-parameters.ts'
import { listChildren, placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileFeatures } from './features.ts'

/**
 * The declared Parameters by lower-case name, in the order of the document. An output column needs
 * none: a request's parameter of its name narrows, and binds.
 */
export function compileViewParameters(
  c: Compilation,
  element: Element,
  outputs: readonly OutputColumn[],
): Map<string, FieldFeatures> {
  const children = listChildren(element, 'Parameter')
  const columns = new Set(outputs.map((column) => column.name.toLowerCase()))
  checkParameterNames(c, children)
  const parameters = new Map<string, FieldFeatures>()
  for (const child of children) {
    const features = compileFeatures(c, child, { names: () => [] })
    const key = features.name.toLowerCase()
    if (columns.has(key)) {
      const message = `${features.name} is an output column: it narrows and binds by itself`
      c.faults.add(placeOf(child, 'Name'), message)
    }
    parameters.set(key, features)
  }
  return parameters
}
