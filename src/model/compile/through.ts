import { isGeneratedKey } from '../generated-key.ts'
import type { Element } from '../element.ts'
import type { Entity, Link } from '../model.ts'
import { readText, placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'

/**
 * The middle entity of a many-to-many relation with its two columns; undefined, with a fault,
 * unless that entity refers once to this one and to exactly one other.
 */
export function checkThrough(
  c: Compilation,
  element: Element,
  entity: Entity | undefined,
): Link | undefined {
  const through = readText(element, 'Through') ?? ''
  const middle = c.findEntity(through, element, 'Through')
  if (!middle) return undefined
  const references = middle.columns.filter(
    (column) => column.references && column.kind === 'declared',
  )
  const owns = references.filter((column) => column.references === entity?.name)
  const others = references.filter((column) => column.references !== entity?.name)
  const [own] = owns
  const [other] = others
  if (owns.length === 1 && others.length === 1 && own && other) {
    checkMiddle(c, element, { entity: middle, own, other })
    return { entity: middle, own, other }
  }
  const owner = entity?.name ?? 'the Entity'
  const message = `${through} must refer once to ${owner} and once to another`
  c.faults.add(placeOf(element, 'Through'), `Through: ${message}`)
  return undefined
}

/** The engine writes both sides and the company; whatever else is required needs a value too. */
function checkMiddle(c: Compilation, element: Element, { entity, own, other }: Link): void {
  for (const column of entity.columns) {
    const isGiven = column === own || column === other || column.name === entity.company
    const isMade = column.identity || isGeneratedKey(column) || column.default || column.compute
    if (!column.required || column.kind !== 'declared' || isGiven || isMade) continue
    const message = `${entity.name}.${column.name} is required and has no Default`
    c.faults.add(placeOf(element, 'Through'), `Through: ${message}, so no row can be written`)
  }
}
