/**
 * The Rbac merges three ways: as last deployed, as changed here, as deployed now
 * (src/model/README.md, Deploy). A change of either side holds; a right that either side took away
 * is removed.
 */
import { scanElements, type ScannedElement } from '../parse/scan.ts'
import { attributeOf, cutElement, editRight, insertInto, planAttribute } from './edit.ts'
import {
  childrenOf,
  type Fact,
  type Facts,
  type Home,
  keyOfFact,
  keyOfOwner,
  type Owner,
  type RbacState,
  readRbac,
  type Rename,
  valueOfFact,
} from './facts.ts'

/** A fact that both sides changed, and not to the same. */
export interface RbacConflict {
  fact: Fact
  /** The fact here, and in the files; undefined where it was taken away. */
  here: string | undefined
  file: string | undefined
}

interface MergedRbac {
  facts: Facts
  conflicts: readonly RbacConflict[]
}

/** The three sides. */
interface RbacSides {
  /** Facts as last deployed. */
  base: Facts
  here: Facts
  file: Facts
  /**
   * Resources that this deploy takes away: rights that were given on them here go with them, so
   * that they do not come to life again with another bearer of that name.
   */
  unborne: ReadonlySet<string>
}

/**
 * Merges fact by fact. Row filters of a role on a resource, a field rule and the type of an
 * attribute are wholes: where both sides changed one differently, that is a conflict. Of two new
 * labels the one that was given here stays.
 */
export function mergeRbac({ base, here, file, unborne }: RbacSides): MergedRbac {
  const facts = new Map<string, Fact>()
  const conflicts: RbacConflict[] = []
  for (const key of new Set([...file.keys(), ...here.keys(), ...base.keys()])) {
    const sides = [base.get(key), here.get(key), file.get(key)] as const
    const [before, own, given] = sides
    const isSame = (one: Fact | undefined, other: Fact | undefined): boolean =>
      (one && valueOfFact(one)) === (other && valueOfFact(other))
    const isHeres = !isSame(own, before)
    const merged = isHeres ? own : given
    if (isHeres && !isSame(given, before) && !isSame(given, own) && own?.kind !== 'label') {
      const fact = own ?? given
      if (fact && fact.kind !== 'label')
        conflicts.push({ fact, here: describeSide(own), file: describeSide(given) })
    }
    if (merged && !(isHeres && merged.kind === 'right' && unborne.has(merged.resource)))
      facts.set(key, merged)
  }
  return { facts: withoutOrphans(facts), conflicts: conflicts.filter(isAbout(facts)) }
}

const describeSide = (fact: Fact | undefined): string | undefined => fact && valueOfFact(fact)

const isOwned =
  (facts: Facts) =>
  (owner: Owner): boolean =>
    facts.has(keyOfFact({ kind: 'owner', owner }))

/** Drops the facts about a role that either side took away. */
function withoutOrphans(facts: Facts): Facts {
  const owned = isOwned(facts)
  return new Map([...facts].filter(([, fact]) => owned(fact.owner)))
}

const isAbout =
  (facts: Facts) =>
  ({ fact }: RbacConflict): boolean =>
    isOwned(facts)(fact.owner)

/** Describes what holds, or holds otherwise, in only one of `from` and `to`: a sentence each. */
export function describeDifferences(from: Facts, to: Facts): string[] {
  const lines: string[] = []
  const owned = isOwned(to)
  for (const [key, fact] of to) {
    const before = from.get(key)
    if (!before || valueOfFact(before) !== valueOfFact(fact)) lines.push(describeFact(fact, true))
  }
  for (const [key, fact] of from)
    if (!to.has(key) && (fact.kind === 'owner' || owned(fact.owner)))
      lines.push(describeFact(fact, false))
  return lines.sort()
}

/** A fact in words, or that it does not hold. */
function describeFact(fact: Fact, holds: boolean): string {
  const owner = keyOfOwner(fact.owner)
  const has = holds ? 'has' : 'has no'
  switch (fact.kind) {
    case 'owner':
      return `${owner} ${holds ? 'is there' : 'is gone'}`
    case 'label':
      return holds ? `${owner} is called "${fact.value}"` : `${owner} has no label of its own`
    case 'type':
      return `${owner} is of type ${fact.value}`
    case 'assigner':
      return `${owner} ${holds ? 'is' : 'is not'} assignable by ${fact.by}`
    case 'right':
      return `${owner} ${has} ${fact.right} on ${fact.resource}`
    case 'filters':
      return holds
        ? `${owner} has the row filter on ${fact.resource}: ${fact.value}`
        : `${owner} has no row filter on ${fact.resource}`
    case 'rule':
      return holds
        ? `${owner} has ${fact.field} of ${fact.resource} ${fact.value}`
        : `${owner} has no rule for ${fact.field} of ${fact.resource}`
  }
}

/** The facts that a text should state, and the sources of its words. */
interface TextTarget {
  /** Facts of the declarations that this script is to hold. */
  facts: Facts
  /** State here: declarations and filters that the text lacks are taken from it. */
  here: RbacState
  renames: readonly Rename[]
  /** True when the text may still use names of before, which the compiler understands. */
  isGiven: boolean
  /** Declarations that stay as they are, by `keyOfOwner`, though the facts have them elsewhere. */
  spared: ReadonlySet<string>
}

/** Edits the text of a valid Rbac script until it states the facts of its target. */
export function planMergedText(body: string, name: string, target: TextTarget): string {
  const withOwners = addOwners(cutOwners(body, name, target), name, target)
  const now = readOwn(withOwners, name, target)
  const wanted = [...target.facts].filter(([key, fact]) => !isSaid(now, key, fact))
  const surplus = [...now].filter(([key]) => !target.facts.has(key))
  const given = wanted.reduce((text, [, fact]) => sayFact(text, fact, target), withOwners)
  const edited = surplus.reduce((text, [, fact]) => unsayFact(text, fact, target), given)
  return sayAssigners(edited, [...wanted, ...surplus], target)
}

const isSaid = (facts: Facts, key: string, fact: Fact): boolean => {
  const said = facts.get(key)
  return said !== undefined && valueOfFact(said) === valueOfFact(fact)
}

/** Reads the facts of a text about the declarations that it is to hold. */
function readOwn(body: string, name: string, { renames, isGiven, facts }: TextTarget): Facts {
  const said = readRbac([{ name, body }], isGiven ? renames : []).facts
  return new Map([...said].filter(([, { owner }]) => holdsOwner(facts, owner)))
}

const holdsOwner = (facts: Facts, owner: Owner): boolean =>
  facts.has(keyOfFact({ kind: 'owner', owner }))

function cutOwners(body: string, name: string, target: TextTarget): string {
  const { homes } = readRbac([{ name, body }], target.isGiven ? target.renames : [])
  const owners = new Set([...target.facts.values()].map(({ owner }) => keyOfOwner(owner)))
  const surplus = [...homes].flatMap(([key, { element }]) =>
    owners.has(key) || target.spared.has(key) ? [] : [element],
  )
  return surplus.sort((a, b) => b.start - a.start).reduce(cutElement, body)
}

function addOwners(body: string, name: string, target: TextTarget): string {
  const now = readOwn(body, name, target)
  const missing = [...target.facts.values()].flatMap((fact) =>
    fact.kind === 'owner' && !holdsOwner(now, fact.owner) ? [fact.owner] : [],
  )
  return missing.reduce((text, owner) => {
    const home = target.here.homes.get(keyOfOwner(owner))
    if (!home) throw new Error(`${keyOfOwner(owner)} stands nowhere`)
    return insertInto(text, scanElements(text), verbatim(home))
  }, body)
}

const verbatim = ({ body, element }: Pick<Home, 'body' | 'element'>): string =>
  body.slice(element.start, element.end)

function findOwner(body: string, owner: Owner, target: TextTarget): ScannedElement | undefined {
  const renames = target.isGiven ? target.renames : []
  return readRbac([{ name: '', body }], renames).homes.get(keyOfOwner(owner))?.element
}

function sayFact(body: string, fact: Fact, target: TextTarget): string {
  const element = findOwner(body, fact.owner, target)
  if (!element) return body
  if (fact.kind === 'right')
    return editRight(body, { ...fact, role: attributeOf(element, 'Name'), isGranted: true })
  if (fact.kind === 'label') return planAttribute(body, element, 'Label', fact.value)
  if (fact.kind === 'type') return planAttribute(body, element, 'Type', fact.value)
  if (fact.kind === 'filters' || fact.kind === 'rule') {
    const home = target.here.homes.get(keyOfOwner(fact.owner))
    const own = home ? limitsOf(home.element, fact) : []
    const cut = cutLimits(body, fact, target)
    return own.reduce((text, limit) => {
      const role = findOwner(text, fact.owner, target)
      return role && home ? insertInto(text, role, verbatim({ ...home, element: limit })) : text
    }, cut)
  }
  return body
}

function unsayFact(body: string, fact: Fact, target: TextTarget): string {
  const element = findOwner(body, fact.owner, target)
  if (!element) return body
  if (fact.kind === 'right') {
    const role = attributeOf(element, 'Name')
    const names = target.renames.flatMap(({ kind, from, to }) =>
      kind === 'Capability' && to === fact.right ? [from] : [],
    )
    return [fact.right, ...names].reduce(
      (text, right) => editRight(text, { ...fact, role, right, isGranted: false }),
      body,
    )
  }
  if (fact.kind === 'label') return planAttribute(body, element, 'Label', undefined)
  if (fact.kind === 'filters' || fact.kind === 'rule') return cutLimits(body, fact, target)
  return body
}

/** Finds the elements of a role that a fact about its rows or fields is read from. */
function limitsOf(
  role: ScannedElement,
  fact: Extract<Fact, { kind: 'filters' | 'rule' }>,
): ScannedElement[] {
  const name = fact.kind === 'filters' ? 'RowFilter' : 'FieldRule'
  return childrenOf(role, name).filter(
    (child) =>
      attributeOf(child, 'Resource') === fact.resource &&
      (fact.kind === 'filters' || attributeOf(child, 'Field') === fact.field),
  )
}

function cutLimits(
  body: string,
  fact: Extract<Fact, { kind: 'filters' | 'rule' }>,
  target: TextTarget,
): string {
  const role = findOwner(body, fact.owner, target)
  return role ? limitsOf(role, fact).reverse().reduce(cutElement, body) : body
}

/** Writes all roles that may hand a role out into one attribute. */
function sayAssigners(body: string, changed: [string, Fact][], target: TextTarget): string {
  const owners = changed.flatMap(([, fact]) => (fact.kind === 'assigner' ? [fact.owner] : []))
  const byKey = new Map(owners.map((owner) => [keyOfOwner(owner), owner]))
  return [...byKey].reduce((text, [key, owner]) => {
    const element = findOwner(text, owner, target)
    const assigners = [...target.facts.values()].flatMap((fact) =>
      fact.kind === 'assigner' && keyOfOwner(fact.owner) === key ? [fact.by] : [],
    )
    const words = assigners.length > 0 ? assigners.join(' ') : 'None'
    return element ? planAttribute(text, element, 'AssignableBy', words) : text
  }, body)
}

/** True when the text declares anything. */
export const isEmptyRbac = (body: string): boolean => scanElements(body).children.length === 0
