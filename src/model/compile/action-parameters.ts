/** Parameters of actions and procedures. */
import type { Element } from '../element.ts'
import type { ActionParameter, FieldFeatures } from '../model.ts'
import { listChildren, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileFeatures } from './features.ts'
import { compileWireConditions, type WireScope } from './wire-condition.ts'

/**
 * A parameter of a field's name inherits what the field carries; its conditions may name the other
 * parameters and the fields.
 */
export function compileParameters(
  c: Compilation,
  element: Element,
  { owner, fields: inherited }: WireScope,
): ActionParameter[] {
  const children = listChildren(element, 'Parameter')
  const names = () => children.map((child) => readText(child, 'Name') ?? '')
  const fields = new Map<string, FieldFeatures>(inherited)
  const parameters = children.map((child) => {
    const base = inherited.get((readText(child, 'Name') ?? '').toLowerCase())
    const own = base && { ...base, required: false, default: undefined }
    const features = compileFeatures(c, child, { ...(own && { base: own }), names })
    fields.set(features.name.toLowerCase(), features)
    return { ...features, multiple: readFlag(child, 'Multiple') ?? false }
  })
  return parameters.map((parameter, at) => {
    const child = children[at] ?? element
    return { ...parameter, ...compileWireConditions(c, child, { owner, fields }) }
  })
}
