/** What scripts with faults declare, by name: the rest of the model may name all of it. */
import type { Element } from '../element.ts'
import type { FaultyScript } from '../faulty-scripts.ts'
import { toKebabCase } from '../names.ts'
import { readText } from './attributes.ts'

const WORD = /[A-Za-z_]\w*/g

/** The names of faulty scripts, and of what stands in them. */
export class FaultyNames {
  readonly scripts: readonly FaultyScript[]
  /** Names of entities. */
  readonly entities = new Set<string>()
  /** Whether one of them is of the type: what is misspelt in it is not known by name. */
  readonly hasView: boolean
  readonly hasEntity: boolean
  readonly hasRbac: boolean
  /** What grants can be on. */
  readonly resources = new Set<string>()
  /** Declarations of the Rbac. */
  readonly declared: readonly Element[]
  readonly #tables = new Set<string>()
  /** Lower-case names and slugs of views and reports. */
  readonly #links = new Set<string>()
  readonly #names = new Set<string>()

  constructor(scripts: readonly FaultyScript[]) {
    this.scripts = scripts
    const types = new Set(scripts.map(({ type }) => type))
    this.hasView = types.has('ObjectView')
    this.hasEntity = types.has('Entity')
    this.hasRbac = types.has('Rbac')
    for (const script of scripts) this.#add(script)
    this.declared = scripts.flatMap(({ type, element }) =>
      type === 'Rbac' ? element.children : [],
    )
  }

  /** Whether a text of SQL names a table of a faulty script, so that it cannot be judged. */
  isNamedIn(sql: string): boolean {
    if (this.#tables.size === 0) return false
    return (sql.match(WORD) ?? []).some((word) => this.#tables.has(word.toLowerCase()))
  }

  /** Whether a name or slug is that of a view or report. */
  hasLink(key: string): boolean {
    return this.#links.has(key.toLowerCase())
  }

  /** Whether anything here has the name. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  #add({ type, name, element }: FaultyScript): void {
    for (const each of [element, ...element.children])
      this.#names.add(readText(each, 'Name') ?? name)
    if (type === 'Entity') {
      this.entities.add(name)
      this.#tables.add((readText(element, 'Table') ?? name).toLowerCase())
    }
    if (type === 'ObjectView' || type === 'Report') {
      this.#links.add(name.toLowerCase())
      this.#links.add(readText(element, 'Slug') ?? toKebabCase(name))
    }
    if (type !== 'Entity') this.resources.add(readText(element, 'Resource') ?? name)
  }
}
