/**
 * Scripts that a fault keeps from being compiled: what they declare is known by name, so that the
 * rest of the model is compiled beside them and no fault comes of their absence alone.
 */
import { readText } from './attributes.ts'
import { SCRIPT_TYPES, type ScriptType } from '../compiled/script.ts'
import { findNearest, toKebabCase } from '../names.ts'
import type { Element, Place } from '../parse/element.ts'

/** A script of a file with faults, with the parts that could be read. */
export interface FaultyScript {
  type: ScriptType
  name: string
  element: Element
}

/** The type that an element was probably meant to be; undefined for none. */
export function findScriptType(name: string): ScriptType | undefined {
  const nearest = findNearest(name, SCRIPT_TYPES)
  return SCRIPT_TYPES.find((type) => type === nearest)
}

/** `Rows` are named by their entity, `Texts` by their language; `Rbac` need not have a name. */
export function nameOfScript(type: string, find: (attribute: string) => string | undefined) {
  const by = type === 'Rows' ? 'Entity' : type === 'Texts' ? 'Language' : 'Name'
  return find(by) ?? type
}

const TAG = /<([A-Za-z]+)((?:\s+[A-Za-z:]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)/g
const ATTRIBUTE = /([A-Za-z:]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g

/**
 * Guesses from its tags what a file that is not XML holds. Everything after the tag of a script, up
 * to the next one, counts as its child.
 */
export function scanFaulty(body: string, file: string): FaultyScript[] {
  const place: Place = { file, line: 1, column: 1 }
  const found: (FaultyScript & { element: Element & { children: Element[] } })[] = []
  for (const [, name = '', text = ''] of body.matchAll(TAG)) {
    const pairs = [...text.matchAll(ATTRIBUTE)].map(([, key = '', one, other]) => [
      key,
      one ?? other ?? '',
    ])
    const attributes = Object.fromEntries(pairs) as Record<string, string>
    const element = { name, attributes, children: [], text: '', place }
    const type = SCRIPT_TYPES.find((each) => each === name)
    if (!type) found.at(-1)?.element.children.push(element)
    else found.push({ type, name: nameOfScript(type, (key) => attributes[key]), element })
  }
  return found
}

const WORD = /[A-Za-z_]\w*/g

/** The names of faulty scripts, and of their contents. */
export class FaultyNames {
  readonly scripts: readonly FaultyScript[]
  /** Names of entities. */
  readonly entities = new Set<string>()
  /** True when one of them is of the type: misspelt parts of it are not known by name. */
  readonly hasView: boolean
  readonly hasEntity: boolean
  readonly hasRbac: boolean
  /** Names that grants can be on. */
  readonly resources = new Set<string>()
  /** Declarations of the Rbac. */
  readonly declared: readonly Element[]
  readonly #tables = new Set<string>()
  /** Lower-case names and slugs of views, reports and prints. */
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

  /** True when a text of SQL names a table of a faulty script, so that it cannot be evaluated. */
  isNamedIn(sql: string): boolean {
    if (this.#tables.size === 0) return false
    return (sql.match(WORD) ?? []).some((word) => this.#tables.has(word.toLowerCase()))
  }

  /** True when a name or slug is that of a view, report or print. */
  hasLink(key: string): boolean {
    return this.#links.has(key.toLowerCase())
  }

  /** True when anything here has the name. */
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
    if (type === 'ObjectView' || type === 'Report' || type === 'Print') {
      this.#links.add(name.toLowerCase())
      this.#links.add(readText(element, 'Slug') ?? toKebabCase(name))
    }
    if (type !== 'Entity') this.resources.add(readText(element, 'Resource') ?? name)
  }
}
