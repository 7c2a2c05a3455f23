/**
 * The Rbac merges three ways: what was last deployed, what became of it here, what is deployed now
 * (src/model/README.md, Deploy). What either side changed holds; a right that either side took away
 * is gone.
 */
import { keyOfFact, keyOfOwner, valueOfFact } from './rbac-facts.ts'
import type { Fact, Facts, Owner } from './rbac-facts.ts'

/** What both sides changed, and not to the same. */
export interface RbacConflict {
  fact: Fact
  /** What it is here, and what the files say; undefined where it was taken away. */
  here: string | undefined
  file: string | undefined
}

export interface MergedRbac {
  facts: Facts
  conflicts: readonly RbacConflict[]
}

/** The three sides. */
export interface RbacSides {
  /** As it was last deployed. */
  base: Facts
  here: Facts
  file: Facts
  /**
   * Resources that this deploy takes away: rights that were given on them here go with them, so
   * that they do not come to life again with another bearer of that name.
   */
  gone: ReadonlySet<string>
}

/**
 * Merges fact by fact. Row filters of a role on a resource, a field rule and the type of an
 * attribute are wholes: where both sides changed one differently, that is a conflict. Of two new
 * labels the one that was given here stays.
 */
export function mergeRbac({ base, here, file, gone }: RbacSides): MergedRbac {
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
    if (merged && !(isHeres && merged.kind === 'right' && gone.has(merged.resource)))
      facts.set(key, merged)
  }
  return { facts: withoutOrphans(facts), conflicts: conflicts.filter(isAbout(facts)) }
}

const describeSide = (fact: Fact | undefined): string | undefined => fact && valueOfFact(fact)

const isOwned =
  (facts: Facts) =>
  (owner: Owner): boolean =>
    facts.has(keyOfFact({ kind: 'owner', owner }))

/** What is said of a role that either side took away goes with it. */
function withoutOrphans(facts: Facts): Facts {
  const owned = isOwned(facts)
  return new Map([...facts].filter(([, fact]) => owned(fact.owner)))
}

const isAbout =
  (facts: Facts) =>
  ({ fact }: RbacConflict): boolean =>
    isOwned(facts)(fact.owner)

/** What holds in `to` and not, or not so, in `from`, and the other way round: a sentence each. */
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
export function describeFact(fact: Fact, holds: boolean): string {
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
