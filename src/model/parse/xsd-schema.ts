/** Rules of `model.xsd` as data: for plain messages, the nearest name, and the reference. */
import xsd from '../model.xsd' with { type: 'text' }
import { scanElements, type ScannedElement } from './scan.ts'

export interface AttributeRule {
  name: string
  documentation: string
  required: boolean
  /** The value in words. */
  value: string
  /** The values that are allowed, where they are listed. */
  values: readonly string[]
}

export interface ElementRule {
  name: string
  documentation: string
  /** At most once in its parent. */
  once: boolean
  content: ContentRule
}

/** The content that an element may hold. */
export interface ContentRule {
  attributes: Map<string, AttributeRule>
  /** Attributes of any name (a row's columns). */
  anyAttributes: boolean
  children: Map<string, ElementRule>
  /** The text in words; undefined where no text belongs. */
  text: string | undefined
}

interface SchemaRules {
  documentation: string
  roots: Map<string, ElementRule>
  /** The attribute that a uniqueness constraint is about, by the constraint's name. */
  uniqueBy: Map<string, string>
}

/** The XSD's text, as `appengine schema` prints it. */
export function schemaText(): string {
  return xsd
}

let rules: SchemaRules | undefined

/** The rules of `model.xsd`, read once. */
export function schemaRules(): SchemaRules {
  rules ??= new SchemaReader(scanElements(xsd)).read()
  return rules
}

/** Follows the XSD's references; a named thing is read once, so that types may hold themselves. */
class SchemaReader {
  readonly #schema: ScannedElement
  readonly #elements = new Map<ScannedElement, ElementRule>()
  readonly #contents = new Map<ScannedElement, ContentRule>()

  constructor(schema: ScannedElement) {
    this.#schema = schema
  }

  read(): SchemaRules {
    const uniqueBy = new Map<string, string>()
    collectUnique(this.#schema, uniqueBy)
    const elements = this.#schema.children.filter((child) => child.name === 'xs:element')
    const roots = elements.map((element) => this.#element(element))
    return {
      documentation: documentationOf(this.#schema),
      roots: new Map(roots.map((root) => [root.name, root])),
      uniqueBy,
    }
  }

  #element(node: ScannedElement): ElementRule {
    const known = this.#elements.get(node)
    if (known) return known
    const ref = attribute(node, 'ref')
    if (ref !== undefined) return this.#element(this.#global('xs:element', ref))
    const rule: ElementRule = {
      name: attribute(node, 'name') ?? '',
      documentation: documentationOf(node),
      once: appInfoOf(node) === 'once',
      content: {
        attributes: new Map(),
        anyAttributes: false,
        children: new Map(),
        text: undefined,
      },
    }
    this.#elements.set(node, rule)
    rule.content = this.#contentOf(node)
    return rule
  }

  #contentOf(node: ScannedElement): ContentRule {
    const own = node.children.find((child) => child.name === 'xs:complexType')
    if (own) return this.#content(own)
    const type = attribute(node, 'type') ?? 'xs:string'
    const complex = this.#find('xs:complexType', type)
    if (complex) return this.#content(complex)
    const text = this.#typeWords(type)
    return { attributes: new Map(), anyAttributes: false, children: new Map(), text }
  }

  #content(node: ScannedElement): ContentRule {
    const known = this.#contents.get(node)
    if (known) return known
    const content: ContentRule = {
      attributes: new Map(),
      anyAttributes: false,
      children: new Map(),
      text: undefined,
    }
    this.#contents.set(node, content)
    this.#collect(node, content)
    return content
  }

  #collect(node: ScannedElement, content: ContentRule): void {
    for (const child of node.children) {
      if (child.name === 'xs:element') {
        const rule = this.#element(child)
        content.children.set(rule.name, rule)
      } else if (child.name === 'xs:attribute') {
        const rule = this.#attribute(child)
        content.attributes.set(rule.name, rule)
      } else if (child.name === 'xs:group' || child.name === 'xs:attributeGroup') {
        this.#collect(this.#global(child.name, attribute(child, 'ref') ?? ''), content)
      } else if (child.name === 'xs:anyAttribute') {
        content.anyAttributes = true
      } else {
        if (child.name === 'xs:extension') {
          content.text = this.#typeWords(attribute(child, 'base') ?? '')
        }
        this.#collect(child, content)
      }
    }
  }

  #attribute(node: ScannedElement): AttributeRule {
    const type = attribute(node, 'type')
    const inline = node.children.find((child) => child.name === 'xs:simpleType')
    const simple = inline ?? (type === undefined ? undefined : this.#find('xs:simpleType', type))
    return {
      name: attribute(node, 'name') ?? '',
      documentation: documentationOf(node),
      required: attribute(node, 'use') === 'required',
      value: simple ? documentationOf(simple) : 'any text',
      values: simple ? enumerationOf(simple) : [],
    }
  }

  #typeWords(type: string): string {
    const simple = this.#find('xs:simpleType', type)
    return simple ? documentationOf(simple) : 'text'
  }

  #global(kind: string, name: string): ScannedElement {
    const found = this.#find(kind, name)
    if (!found) throw new Error(`model.xsd has no ${kind} '${name}'`)
    return found
  }

  #find(kind: string, name: string): ScannedElement | undefined {
    return this.#schema.children.find(
      (child) => child.name === kind && attribute(child, 'name') === name,
    )
  }
}

function attribute(node: ScannedElement, name: string): string | undefined {
  return node.attributes.find((each) => each.name === name)?.value
}

function documentationOf(node: ScannedElement): string {
  const annotation = node.children.find((child) => child.name === 'xs:annotation')
  return annotation?.children.find((child) => child.name === 'xs:documentation')?.text.trim() ?? ''
}

function appInfoOf(node: ScannedElement): string | undefined {
  const annotation = node.children.find((child) => child.name === 'xs:annotation')
  return annotation?.children.find((child) => child.name === 'xs:appinfo')?.text
}

function enumerationOf(simpleType: ScannedElement): string[] {
  const restriction = simpleType.children.find((child) => child.name === 'xs:restriction')
  const values = restriction?.children.filter((child) => child.name === 'xs:enumeration') ?? []
  return values.map((value) => attribute(value, 'value') ?? '')
}

function collectUnique(node: ScannedElement, uniqueBy: Map<string, string>): void {
  for (const child of node.children) {
    if (child.name === 'xs:unique') {
      const field = child.children.find((each) => each.name === 'xs:field')
      const xpath = field ? attribute(field, 'xpath') : undefined
      uniqueBy.set(attribute(child, 'name') ?? '', xpath?.replace('@', '') ?? '')
    } else {
      collectUnique(child, uniqueBy)
    }
  }
}
