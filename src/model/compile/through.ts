import type { Element } from '../element.ts'
import type { Column, Entity } from '../model.ts'
import { readText, placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'

/**
 * The column of a many-to-many relation's middle entity that refers to the other side; undefined,
 * with a fault, unless that entity refers to this one and to exactly one other.
 */
export function checkThrough(
  c: Compilation,
  element: Element,
  entity: Entity | undefined,
): Column | undefined {
  const through = readText(element, 'Through') ?? ''
  const middle = c.findEntity(through, element)
  if (!middle) return undefined
  const references = middle.columns.filter(
    (column) => column.references && column.kind === 'declared',
  )
  const own = references.filter((column) => column.references === entity?.name)
  const others = references.filter((column) => column.references !== entity?.name)
  const [other] = others
  if (own.length === 1 && others.length === 1 && other) return other
  const owner = entity?.name ?? 'the Entity'
  const message = `${through} must refer once to ${owner} and once to another`
  c.faults.add(placeOf(element, 'Through'), `Through: ${message}`)
  return undefined
}
