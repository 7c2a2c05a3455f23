/** Rbac: first its declarations, and, once every view is compiled, the rights of its roles. */
import { listChildren, placeOf, readText } from './attributes.ts'
import { BUILT_IN_CAPABILITIES, type Compilation } from './compilation.ts'
import { describePlace } from './fault-list.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { VERBS } from '../compiled/role.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** Roles that the engine knows by itself. */
export const BUILT_IN_ROLES = ['System', 'Admin', 'AccessManager']

/** Capabilities, user attributes and the names of roles, of all Rbac scripts. */
export function declareRbac(c: Compilation): void {
  for (const name of BUILT_IN_ROLES) c.roleNames.add(name)
  const places = new Map<string, Element>()
  for (const script of c.scriptsOf('Rbac')) {
    for (const child of script.element.children) {
      const name = readText(child, 'Name') ?? ''
      if (!declareOnce(c, places, child, name)) continue
      if (child.name === 'Capability') declareCapability(c, child, name)
      else if (child.name === 'UserAttribute') {
        c.attributes.set(name, (readText(child, 'Type') ?? 'Text') as FieldType)
      } else if (child.name === 'Role') declareRole(c, child, name)
    }
  }
  for (const element of places.values()) declareRename(c, places, element)
  for (const element of c.faulty.declared) declareFaulty(c, element)
}

/** Declares the names of a faulty script, so that others may use them. */
function declareFaulty(c: Compilation, element: Element): void {
  const name = readText(element, 'Name') ?? ''
  if (element.name === 'Role') c.roleNames.add(name)
  if (element.name === 'Capability') c.capabilities.set(name, name)
  if (element.name === 'UserAttribute')
    c.attributes.set(name, (readText(element, 'Type') ?? 'Text') as FieldType)
}

/** Declares a former name: no other declaration may go by it now, and only one went by it. */
function declareRename(
  c: Compilation,
  places: ReadonlyMap<string, Element>,
  element: Element,
): void {
  const was = readText(element, 'Was')
  const name = readText(element, 'Name') ?? ''
  if (was === undefined || was === name) return
  const key = `${element.name} ${was}`
  const other = places.get(`${element.name} ${was.toLowerCase()}`)
  const refuse = (message: string): void => c.faults.add(placeOf(element, 'Was'), message)
  if (other && other !== element)
    refuse(`Was: ${key} still exists, at ${describePlace(other.place)}`)
  else if (c.renamed.has(key)) refuse(`Was: ${c.renamed.get(key) ?? ''} was ${key}, too`)
  else if (BUILT_IN_ROLES.includes(name) || BUILT_IN_ROLES.includes(was))
    refuse('Was: a built-in role keeps its name')
  else c.renamed.set(key, name)
}

function declareOnce(
  c: Compilation,
  places: Map<string, Element>,
  element: Element,
  name: string,
): boolean {
  const key = `${element.name} ${name.toLowerCase()}`
  const other = places.get(key)
  if (other) {
    const where = describePlace(other.place)
    const message = `${element.name} ${name} is also declared at ${where}`
    c.faults.add(placeOf(element, 'Name'), message)
    return false
  }
  places.set(key, element)
  return true
}

function declareCapability(c: Compilation, element: Element, name: string): void {
  const taken: readonly string[] = [...VERBS, ...BUILT_IN_CAPABILITIES]
  if (taken.includes(name)) {
    c.faults.add(placeOf(element, 'Name'), `${name} is built in: choose another name`)
  } else c.capabilities.set(name, c.labelOf(element, toWords(name)))
}

function declareRole(c: Compilation, element: Element, name: string): void {
  if (name === 'System') {
    c.faults.add(placeOf(element, 'Name'), 'System passes every gate: it cannot be declared')
  }
  if (BUILT_IN_ROLES.includes(name) && readText(element, 'AssignableBy') !== undefined) {
    c.faults.add(placeOf(element, 'AssignableBy'), `${name} can only be given by System`)
  }
  c.roleNames.add(name)
}

/** The declared Role elements of a model, each once. */
export function listRoles(c: Compilation): Element[] {
  const roles = c.scriptsOf('Rbac').flatMap((script) => listChildren(script.element, 'Role'))
  const listed = new Set<string>()
  return roles.filter((role) => {
    const name = (readText(role, 'Name') ?? '').toLowerCase()
    if (listed.has(name)) return false
    listed.add(name)
    return true
  })
}
