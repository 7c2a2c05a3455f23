/** The type of each entity's single key, before the entities are compiled. */
import { listChildren, readFlag, readText } from './attributes.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { Script } from '../compiled/script.ts'
import type { Element } from '../parse/element.ts'

/** Follows references from key to key: a key may itself refer to another entity's. */
export class ReferenceTypes {
  readonly #elements: ReadonlyMap<string, Element>

  constructor(entities: readonly Pick<Script, 'name' | 'element'>[]) {
    this.#elements = new Map(entities.map((script) => [script.name, script.element]))
  }

  /** Finds the type of an entity's key; undefined for none, several, or a circle of references. */
  find(entity: string): FieldType | undefined {
    const visited = new Set<string>()
    let name = entity
    while (!visited.has(name)) {
      if (name === 'User') return 'Integer'
      visited.add(name)
      const key = this.#singleKey(name)
      if (!key) return undefined
      const next = readText(key, 'References')
      if (next === undefined) return (readText(key, 'Type') as FieldType | undefined) ?? 'Text'
      name = next
    }
    return undefined
  }

  #singleKey(entity: string): Element | undefined {
    const element = this.#elements.get(entity)
    const keys = element
      ? listChildren(element, 'Column').filter((column) => readFlag(column, 'Key'))
      : []
    return keys.length === 1 ? keys[0] : undefined
  }
}
