/** Validates a scanned file by `model.xsd`: with libxml2, and by rules beyond XSD 1.0. */
import { findNearest } from '../names.ts'
import type { ScannedElement } from './scan.ts'
import { type ContentRule, type ElementRule, schemaRules } from './xsd-schema.ts'

/** A fault at an offset of the source. */
export interface OffsetFault {
  at: number
  message: string
}

/** A message of libxml2's XSD validation, with the path of the element that it is about. */
export interface SchemaMessage {
  message: string
  xpath: string | undefined
}

/** The most faults reported of one file, where there are too many for libxml2 to look further. */
const FAULTS_MAX = 1000

/**
 * The most children of one element, rows left out: libxml2 names a faulty one by counting to it.
 */
export const CHILDREN_MAX = 5000

/** Runs libxml2's XSD validation on a text. */
export type RunSchema = (text: string) => SchemaMessage[]

/**
 * Finds every fault by the schema. Elements that are unknown in their place are reported first and
 * cut out, because libxml2 judges nothing that follows one.
 */
export function findSchemaFaults(
  source: string,
  root: ScannedElement,
  runSchema: RunSchema,
): OffsetFault[] {
  const rule = schemaRules().roots.get(root.name)
  if (!rule) return [{ at: root.start, message: explainRoot(root.name) }]
  const faults: OffsetFault[] = []
  const unknown = new Set<ScannedElement>()
  const refused = [...findNamespaces(root), ...findCrowded(root)]
  if (refused.length > 0) return refused
  checkChildren(root, rule, faults, unknown)
  const strange = findStrange(root, rule.content)
  if (strange.length > FAULTS_MAX) return strange.slice(0, FAULTS_MAX)
  if (faults.length > FAULTS_MAX) return faults.slice(0, FAULTS_MAX)
  const messages = runSchema(withoutElements(source, unknown))
  const paths = new PathIndex(root, unknown)
  const said = new Set<string>()
  for (const { message, xpath } of messages) {
    const fault = explainSchemaMessage(message.trim(), ...paths.find(xpath, rule))
    if (!fault || said.has(`${fault.at} ${fault.message}`)) continue
    said.add(`${fault.at} ${fault.message}`)
    faults.push(fault)
  }
  return faults.sort((a, b) => a.at - b.at)
}

function explainRoot(name: string): string {
  const roots = [...schemaRules().roots.keys()]
  const near = didYouMean(name, roots, '<', '>')
  return `Unknown root <${name}>${near}; it must be one of ${roots.join(', ')}`
}

/** A default namespace would make every name in it another one. */
function findNamespaces(element: ScannedElement): OffsetFault[] {
  const own = element.attributes.filter((each) => each.name === 'xmlns' && each.value !== '')
  const message = "Names have no namespace here: remove 'xmlns'"
  return [...own.map(({ at }) => ({ at, message })), ...element.children.flatMap(findNamespaces)]
}

function findCrowded(element: ScannedElement): OffsetFault[] {
  const others = element.children.filter((child) => child.name !== 'Row')
  const message = `More than ${CHILDREN_MAX} elements in one: use several files`
  const own = others.length > CHILDREN_MAX ? [{ at: element.start, message }] : []
  return [...own, ...others.flatMap(findCrowded)]
}

/** Attributes that no rule knows: libxml2 takes its time for each, and for many of them hours. */
function findStrange(element: ScannedElement, content: ContentRule): OffsetFault[] {
  const own = content.anyAttributes
    ? []
    : element.attributes.filter(({ name }) => !content.attributes.has(name))
  const below = element.children.flatMap((child) => {
    const rule = content.children.get(child.name)
    return rule ? findStrange(child, rule.content) : []
  })
  const explain = ({ name, at }: { name: string; at: number }): OffsetFault => ({
    at,
    message: explainStrange(name, element, content),
  })
  return [...own.map(explain), ...below]
}

/** Names the attribute that was probably meant; where none is near, all that the element takes. */
function explainStrange(name: string, element: ScannedElement, content: ContentRule): string {
  const known = [...content.attributes.keys()]
  const near = didYouMean(name.slice(name.indexOf(':') + 1), known)
  const hint = near || `; it takes ${known.length === 0 ? 'none' : known.join(', ')}`
  return `Unknown attribute '${clip(name)}' on ${element.name}${hint}`
}

function checkChildren(
  element: ScannedElement,
  rule: ElementRule,
  faults: OffsetFault[],
  unknown: Set<ScannedElement>,
): void {
  if (rule.content.text === undefined && /\S/.test(element.text)) {
    const message = `Text does not belong in ${describe(element)}`
    faults.push({ at: element.textAt ?? element.start, message })
  }
  const present = new Set<string>()
  for (const child of element.children) {
    const childRule = rule.content.children.get(child.name)
    if (!childRule) {
      unknown.add(child)
      faults.push({ at: child.start, message: explainElement(child, element, rule) })
      continue
    }
    if (childRule.once && present.has(child.name)) {
      const message = `A second <${child.name}> in ${describe(element)}; it may appear only once`
      faults.push({ at: child.start, message })
    }
    present.add(child.name)
    checkChildren(child, childRule, faults, unknown)
  }
}

function explainElement(child: ScannedElement, parent: ScannedElement, rule: ElementRule): string {
  const allowed = [...rule.content.children.keys()]
  if (allowed.length === 0)
    return `<${child.name}> does not belong in <${parent.name}>, which holds no elements`
  const near = didYouMean(child.name, allowed, '<', '>')
  const hint = near || `; it holds ${allowed.join(', ')}`
  return `Unknown element <${child.name}> in ${describe(parent)}${hint}`
}

/** The element's kind with its name, as in `Column 'Id'`. */
function describe(element: ScannedElement): string {
  const name = valueOf(element, 'Name')
  return name === undefined || name === '' ? `<${element.name}>` : `${element.name} '${clip(name)}'`
}

/** The source without these elements. */
function withoutElements(source: string, elements: Set<ScannedElement>): string {
  let text = ''
  let at = 0
  for (const element of [...elements].sort((a, b) => a.start - b.start)) {
    text += source.slice(at, element.start)
    at = element.end
  }
  return text + source.slice(at)
}

/** Follows libxml2's paths (`/Entity/Column[2]`), which do not count the elements cut out. */
class PathIndex {
  readonly #root: ScannedElement
  readonly #unknown: Set<ScannedElement>
  readonly #byName = new Map<ScannedElement, Map<string, ScannedElement[]>>()

  constructor(root: ScannedElement, unknown: Set<ScannedElement>) {
    this.#root = root
    this.#unknown = unknown
  }

  /** The element with its rule; the nearest one above where the path leads nowhere. */
  find(xpath: string | undefined, rootRule: ElementRule): [ScannedElement, ElementRule] {
    let element = this.#root
    let rule = rootRule
    for (const step of (xpath ?? '').split('/').slice(2)) {
      const match = /^([^[]+)(?:\[(\d+)\])?$/.exec(step)
      const same = this.#children(element).get(match?.[1] ?? '')
      const next = same?.[Number(match?.[2] ?? 1) - 1]
      const nextRule = next && rule.content.children.get(next.name)
      if (!next || !nextRule) break
      element = next
      rule = nextRule
    }
    return [element, rule]
  }

  #children(element: ScannedElement): Map<string, ScannedElement[]> {
    let byName = this.#byName.get(element)
    if (!byName) {
      const known = element.children.filter((child) => !this.#unknown.has(child))
      byName = Map.groupBy(known, (child) => child.name)
      this.#byName.set(element, byName)
    }
    return byName
  }
}

function explainSchemaMessage(
  message: string,
  element: ScannedElement,
  rule: ElementRule,
): OffsetFault | undefined {
  const aboutAttribute = /^Element '[^']*', attribute '([^']*)': (.*)$/s.exec(message)
  if (aboutAttribute) {
    const [, name = '', phrase = ''] = aboutAttribute
    return explainAttribute(name, phrase, element, rule)
  }
  const phrase = message.replace(/^Element '[^']*': /, '')
  const missing = /^The attribute '([^']*)' is required but missing/.exec(phrase)
  if (missing) return explainMissing(missing[1] ?? '', element, rule.content)
  const duplicate = /^Duplicate key-sequence \[.*\] in unique identity-constraint '(\w+)'/s.exec(
    phrase,
  )
  if (duplicate) return explainDuplicate(duplicate[1] ?? '', element)
  if (/^Character content/.test(phrase)) return undefined
  if (rule.content.text !== undefined && /^\[facet|is not a valid value/.test(phrase)) {
    return { at: element.start, message: `${describe(element)} must hold ${rule.content.text}` }
  }
  return { at: element.start, message: `${describe(element)}: ${phrase}` }
}

function explainAttribute(
  name: string,
  phrase: string,
  element: ScannedElement,
  rule: ElementRule,
): OffsetFault {
  const local = /^\{.*\}(.*)$/s.exec(name)?.[1]
  const attribute = element.attributes.find((each) =>
    local === undefined ? each.name === name : each.name.endsWith(`:${local}`),
  )
  const plain = attribute?.name ?? name
  const at = attribute?.at ?? element.start
  const known = rule.content.attributes.get(plain)
  if (!known || /is not allowed/.test(phrase))
    return { at, message: explainStrange(plain, element, rule.content) }
  const value = attribute?.value ?? ''
  if (value === '')
    return { at, message: `${plain} of ${element.name} is empty; it must be ${known.value}` }
  const near = didYouMean(value, known.values)
  const subject = `${plain} of ${element.name}`
  const message = `${subject} cannot be '${clip(value)}'; it must be ${known.value}${near}`
  return { at, message }
}

/** Explains a missing attribute, unless an unknown one was probably meant: that is reported. */
function explainMissing(
  name: string,
  element: ScannedElement,
  content: ContentRule,
): OffsetFault | undefined {
  const strangers = element.attributes.filter((each) => !content.attributes.has(each.name))
  const meant = strangers.some((each) => findNearest(each.name, content.attributes.keys()) === name)
  if (meant) return undefined
  return { at: element.start, message: `${describe(element)} needs the attribute '${name}'` }
}

function explainDuplicate(constraint: string, element: ScannedElement): OffsetFault {
  const name = schemaRules().uniqueBy.get(constraint) ?? 'Name'
  const attribute = element.attributes.find((each) => each.name === name)
  const value = clip(attribute?.value ?? '')
  return {
    at: attribute?.at ?? element.start,
    message: `A second ${element.name} with the ${name} '${value}'`,
  }
}

function didYouMean(name: string, names: Iterable<string>, before = "'", behind = "'"): string {
  const nearest = findNearest(name, names)
  return nearest === undefined ? '' : `; did you mean ${before}${nearest}${behind}?`
}

function valueOf(element: ScannedElement, name: string): string | undefined {
  return element.attributes.find((each) => each.name === name)?.value
}

function clip(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value
}
