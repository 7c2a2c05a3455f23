/** Parameters that actions, procedures and views declare. */
import { listChildren, placeOf, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileFeatures } from './features.ts'
import { compileFieldConditions, type WireScope } from './field-condition.ts'
import { findReserved } from './parameters.ts'
import type { ActionParameter } from '../compiled/action.ts'
import type { OutputColumn } from '../compiled/authored-sql.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import type { Element } from '../parse/element.ts'

/** Members of a request that are among its Parameters. */
const REQUEST_NAMES = new Set(['rowversion', 'formloadtime'])

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
  checkParameterNames(c, children)
  const parameters = children.map((child) => {
    const base = inherited.get((readText(child, 'Name') ?? '').toLowerCase())
    const own = base && { ...base, required: false, default: undefined }
    const features = compileFeatures(c, child, { ...(own && { base: own }), names })
    fields.set(features.name.toLowerCase(), features)
    return { ...features, multiple: readFlag(child, 'Multiple') ?? false }
  })
  return parameters.map((parameter, at) => {
    const child = children[at] ?? element
    return { ...parameter, ...compileFieldConditions(c, child, { owner, fields }) }
  })
}

/** Values are bound by name, whatever its case: a taken name would never bring its own. */
function checkParameterNames(c: Compilation, children: readonly Element[]): void {
  const taken = new Set<string>()
  for (const child of children) {
    const name = readText(child, 'Name') ?? ''
    const key = name.toLowerCase()
    const refuse = (message: string) => c.faults.add(placeOf(child, 'Name'), message)
    if (taken.has(key)) refuse(`There are two parameters ${name}`)
    const reserved = REQUEST_NAMES.has(key) ? 'a member of requests' : findReserved(name, c)
    if (reserved !== undefined) refuse(`@${name} is ${reserved}: choose another name`)
    taken.add(key)
  }
}

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
      const message = `${features.name} is an output column: it filters and binds by itself`
      c.faults.add(placeOf(child, 'Name'), message)
    }
    parameters.set(key, features)
  }
  return parameters
}
