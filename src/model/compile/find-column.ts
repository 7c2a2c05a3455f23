import { placeOf } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'

/** A column by name without regard to case, or a fault that names the nearest. */
export function findColumn(
  c: Compilation,
  element: Element,
  entity: Entity,
  attribute: string,
  name: string,
): Column | undefined {
  const column = entity.columnByName.get(name.toLowerCase())
  if (!column) {
    const nearest = suggest(
      name,
      entity.columns.map((each) => each.name),
    )
    c.faults.add(
      placeOf(element, attribute),
      `${attribute}: ${entity.name} has no column ${name}${nearest}`,
    )
  }
  return column
}
