/** Facts of Rbac scripts, one at a time: two versions differ in them, and are merged by them. */
import { scanElements, type ScannedElement } from '../parse/scan.ts'
import { attributeOf } from './edit.ts'

/** Roles that may hand out a role without AssignableBy (src/model/README.md, Rbac). */
export const ASSIGNABLE_BY_DEFAULT = ['Admin'] as const

/** One statement of Rbac scripts. Facts of equal keys are about the same thing. */
export type Fact =
  | { kind: 'owner'; owner: Owner }
  | { kind: 'label'; owner: Owner; value: string }
  | { kind: 'type'; owner: Owner; value: string }
  | { kind: 'assigner'; owner: Owner; by: string }
  | { kind: 'right'; owner: Owner; resource: string; right: string }
  | { kind: 'filters'; owner: Owner; resource: string; value: string }
  | { kind: 'rule'; owner: Owner; resource: string; field: string; value: string }

/** A declaration of an Rbac script. */
export interface Owner {
  kind: 'Role' | 'Capability' | 'UserAttribute'
  name: string
}

/** Facts by their keys. */
export type Facts = ReadonlyMap<string, Fact>

/** The script that holds a declaration. */
export interface Home {
  /** Name of the script. */
  script: string
  /** The script's text, and the declaration in it. */
  body: string
  element: ScannedElement
}

/** The facts of a set of Rbac scripts, and the script of each declaration. */
export interface RbacState {
  facts: Facts
  /** Homes by `keyOfOwner`; of two declarations of one name the first. */
  homes: ReadonlyMap<string, Home>
}

/** A renamed capability or role. */
export interface Rename {
  kind: 'Role' | 'Capability'
  from: string
  to: string
}

/** The part of an Rbac script that its state needs. */
interface RbacText {
  name: string
  body: string
}

/** Returns the key of a declaration among all of the Rbac: `Role Clerk`. */
export const keyOfOwner = ({ kind, name }: Owner): string => `${kind} ${name}`

/** Returns the key of a fact: facts of equal keys are about the same thing. */
export function keyOfFact(fact: Fact): string {
  const own = [fact.kind, keyOfOwner(fact.owner)]
  if (fact.kind === 'assigner') own.push(fact.by)
  if (fact.kind === 'right') own.push(fact.resource, fact.right)
  if (fact.kind === 'filters') own.push(fact.resource)
  if (fact.kind === 'rule') own.push(fact.resource, fact.field)
  return own.join(' ')
}

/** The value of a fact; '' for one that just holds. */
export const valueOfFact = (fact: Fact): string => ('value' in fact ? fact.value : '')

/** Reads the facts of valid Rbac scripts, with names as the renames have them. */
export function readRbac(scripts: readonly RbacText[], renames: readonly Rename[] = []): RbacState {
  const facts = new Map<string, Fact>()
  const homes = new Map<string, Home>()
  for (const { name: script, body } of scripts)
    for (const element of scanElements(body).children) {
      const owner = readOwner(element, renames)
      if (!owner || homes.has(keyOfOwner(owner))) continue
      homes.set(keyOfOwner(owner), { script, body, element })
      for (const fact of listFacts(owner, element, renames)) facts.set(keyOfFact(fact), fact)
    }
  return { facts, homes }
}

function readOwner({ name: kind, attributes }: ScannedElement, renames: readonly Rename[]) {
  if (kind !== 'Role' && kind !== 'Capability' && kind !== 'UserAttribute') return undefined
  const name = attributes.find((each) => each.name === 'Name')?.value ?? ''
  return { kind, name: kind === 'UserAttribute' ? name : rename(renames, kind, name) } as const
}

/** Returns the new name of a renamed declaration. */
function rename(renames: readonly Rename[], kind: Rename['kind'], name: string): string {
  return renames.find((each) => each.kind === kind && each.from === name)?.to ?? name
}

const wordsOf = (element: ScannedElement, name: string): string[] =>
  attributeOf(element, name)
    .split(/\s+/)
    .filter((word) => word !== '')

function listFacts(owner: Owner, element: ScannedElement, renames: readonly Rename[]): Fact[] {
  const label = attributeOf(element, 'Label')
  const facts: Fact[] = [{ kind: 'owner', owner }]
  if (label !== '') facts.push({ kind: 'label', owner, value: label })
  if (owner.kind === 'UserAttribute')
    facts.push({ kind: 'type', owner, value: attributeOf(element, 'Type') || 'Text' })
  if (owner.kind !== 'Role') return facts
  const assigners = wordsOf(element, 'AssignableBy').filter((word) => word !== 'None')
  const isSilent = attributeOf(element, 'AssignableBy') === ''
  for (const by of isSilent ? ASSIGNABLE_BY_DEFAULT : assigners)
    facts.push({ kind: 'assigner', owner, by })
  return [...facts, ...listRights(owner, element, renames), ...listLimits(owner, element)]
}

function listRights(owner: Owner, role: ScannedElement, renames: readonly Rename[]): Fact[] {
  return childrenOf(role, 'Grant').flatMap((grant) => {
    const capabilities = wordsOf(grant, 'Capabilities')
    const rights = [
      ...wordsOf(grant, 'Verbs'),
      ...capabilities.map((name) => rename(renames, 'Capability', name)),
    ]
    const resource = attributeOf(grant, 'Resource')
    return rights.map((right): Fact => ({ kind: 'right', owner, resource, right }))
  })
}

/** Row filters, all of one resource together, and field rules. */
function listLimits(owner: Owner, role: ScannedElement): Fact[] {
  const filters = Map.groupBy(childrenOf(role, 'RowFilter'), (each) =>
    attributeOf(each, 'Resource'),
  )
  const filterFacts = [...filters].map(([resource, elements]): Fact => ({
    kind: 'filters',
    owner,
    resource,
    value: elements.map(describeFilter).sort().join(' AND '),
  }))
  const ruleFacts = childrenOf(role, 'FieldRule').map((rule): Fact => ({
    kind: 'rule',
    owner,
    resource: attributeOf(rule, 'Resource'),
    field: attributeOf(rule, 'Field'),
    value: attributeOf(rule, 'Access'),
  }))
  return [...filterFacts, ...ruleFacts]
}

/** Describes a filter; blanks make no difference. */
function describeFilter(filter: ScannedElement): string {
  const verbs = wordsOf(filter, 'Verbs').sort().join(' ')
  const scope = [verbs, attributeOf(filter, 'DataSet')].filter((part) => part !== '').join(', ')
  const text = filter.text.trim().replace(/\s+/g, ' ')
  return scope === '' ? text : `${text} (${scope})`
}

/** The children of a name. */
export const childrenOf = ({ children }: ScannedElement, name: string): ScannedElement[] =>
  children.filter((child) => child.name === name)
