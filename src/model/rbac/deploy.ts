/** The Rbac of a deploy: that of the files, merged with the changes made here. */
import type { Script } from '../compiled/script.ts'
import { type CatalogPlan, type MergedScript, withRbac } from '../deploy/catalog-plan.ts'
import type { Diagnostic, Element, Place } from '../parse/element.ts'
import { parseModelFile } from '../parse/parse.ts'
import { planRbacBody } from './edit.ts'
import { type Facts, keyOfOwner, type RbacState, readRbac, type Rename } from './facts.ts'
import {
  describeDifferences,
  isEmptyRbac,
  mergeRbac,
  planMergedText,
  type RbacConflict,
} from './merge.ts'
import { planRenames } from './renames.ts'

/** The Rbac scripts that are merged, beside the catalog. */
interface RbacInput {
  given: readonly Script[]
  /** Bodies of the last deploys, by the names of scripts. */
  deployed: ReadonlyMap<string, string>
  /** True when what was changed here in the given scripts is replaced. */
  isReplaced: boolean
  /** True when scripts that go were taken out here: the next deploy must not bring them back. */
  isRemovedHere: boolean
  /** Renames in place of those that the scripts declare, where a deploy is rolled back. */
  renames?: readonly Rename[]
}

/** The plan with the merged Rbac, the renamed parts and the conflicts. */
interface RbacPlan {
  catalog: CatalogPlan
  renames: readonly Rename[]
  faults: readonly Diagnostic[]
}

/**
 * Merges the Rbac of a catalog three ways, all scripts together: a role that moved to another file
 * keeps the changes made to it here. Scripts without changes here become those of the files.
 */
export async function planRbacDeploy(catalog: CatalogPlan, input: RbacInput): Promise<RbacPlan> {
  const isRbac = ({ type }: Script): boolean => type === 'Rbac'
  const given = input.given.filter(isRbac)
  const stored = catalog.stored.filter(isRbac)
  const renames = input.renames ?? planRenames(given, stored)
  const isTouched = stored.some(({ name, body }) => input.deployed.get(name) !== body)
  const goesHere = input.isRemovedHere && catalog.removed.some(isRbac)
  if (!isTouched && !goesHere && renames.length === 0) return { catalog, renames, faults: [] }
  const sides = planSides(planParts(catalog, given, stored, input), renames)
  const unborne = findUnborne(catalog)
  const { facts, conflicts } = mergeRbac({
    base: sides.base.facts,
    here: sides.here.facts,
    file: sides.file.facts,
    unborne,
  })
  const merged = await Promise.all(sides.parts.map((part) => mergePart(part, sides, facts)))
  const faults = conflicts.map((conflict) => toFault(conflict, sides, given))
  return { catalog: withRbac(catalog, merged), renames, faults }
}

/**
 * True when scripts replace what they name, and that is all: none is removed or renamed, and no
 * other script declares what they declare.
 */
export function replacesAlone({ stored, removed }: CatalogPlan, given: readonly Script[]): boolean {
  const names = new Set(given.map(({ name }) => name))
  const others = stored.filter(({ type, name }) => type === 'Rbac' && !names.has(name))
  const declared = new Set(others.flatMap(({ element }) => element.children.map(keyOfElement)))
  return (
    removed.length === 0 &&
    given.every(({ element }) =>
      element.children.every(
        (child) => child.attributes.Was === undefined && !declared.has(keyOfElement(child)),
      ),
    )
  )
}

const keyOfElement = ({ name, attributes }: Element): string => `${name} ${attributes.Name ?? ''}`

/** A script of the Rbac on its three sides; undefined where one does not have it. */
interface Part {
  name: string
  stored: Script | undefined
  given: Script | undefined
  base: string | undefined
  here: string | undefined
  file: string | undefined
  /** The fate of a script that has nothing left in it. */
  whenEmpty: 'stays' | 'goes' | 'goes here'
}

interface Sides {
  parts: readonly Part[]
  base: RbacState
  here: RbacState
  file: RbacState
  renames: readonly Rename[]
}

function planParts(
  catalog: CatalogPlan,
  given: readonly Script[],
  stored: readonly Script[],
  { deployed, isReplaced, isRemovedHere }: RbacInput,
): Part[] {
  const removed = new Set(catalog.removed.filter(({ type }) => type === 'Rbac'))
  const spared = new Set(catalog.kept.flatMap((each) => (each.given ? [] : [each.stored])))
  const names = new Set([...given, ...stored].map(({ name }) => name))
  return [...names].map((name) => {
    const own = stored.find((script) => script.name === name)
    const file = given.find((script) => script.name === name)
    const base = own && deployed.get(name)
    const isRemoved = own !== undefined && removed.has(own)
    const isPruned = isRemoved || (own !== undefined && spared.has(own) && base !== undefined)
    const isBase = (file !== undefined && isReplaced) || isRemoved
    const isTakenHere = isRemoved && isRemovedHere && base !== undefined
    return {
      name,
      stored: own,
      given: file,
      base,
      here: isBase ? base : own?.body,
      file: file?.body ?? (isPruned ? undefined : base),
      whenEmpty: isTakenHere ? 'goes here' : isPruned ? 'goes' : 'stays',
    }
  })
}

/** Files come first: of two declarations of one name the first counts, and theirs is the newer. */
function planSides(parts: readonly Part[], renames: readonly Rename[]): Sides {
  const read = (side: 'base' | 'here' | 'file'): RbacState =>
    readRbac(
      parts.flatMap(({ name, [side]: body }) => (body === undefined ? [] : [{ name, body }])),
      renames,
    )
  return { parts, base: read('base'), here: read('here'), file: read('file'), renames }
}

/** Finds resources that no longer exist after this deploy. */
function findUnborne({ scripts, removed }: CatalogPlan): Set<string> {
  const borne = new Set(scripts.flatMap(listResources))
  return new Set(removed.flatMap(listResources).filter((name) => !borne.has(name)))
}

const BEARERS = new Set(['ObjectView', 'Report', 'StoredProcedure'])

const listResources = ({ type, name, element }: Script): string[] =>
  BEARERS.has(type) ? [element.attributes.Resource ?? name] : []

/** Merges a script; a result that equals the file's script is that script. */
async function mergePart(part: Part, sides: Sides, merged: Facts): Promise<MergedScript> {
  const { name, stored, given, whenEmpty } = part
  const from = given ?? stored
  if (!from) throw new Error(`The Rbac ${name} stands nowhere`)
  const facts = ownFacts(merged, sides, name)
  const body = planMergedText(from.body, name, {
    facts,
    here: sides.here,
    renames: sides.renames,
    isGiven: given !== undefined,
    spared: given || whenEmpty !== 'stays' ? new Set() : listDeclared(part),
  })
  const isEmpty = whenEmpty !== 'stays' && isEmptyRbac(body)
  const text = isEmpty && whenEmpty === 'goes here' ? planRbacBody(name) : body
  const isGone = isEmpty && whenEmpty === 'goes'
  return {
    stored,
    given,
    isNewBase: given !== undefined && given.body !== part.base,
    result: isGone ? undefined : text === from.body ? from : await parse(from.fileName, text),
    fromHere: describeDifferences(ownFacts(sides.file.facts, sides, name), facts),
    fromFile: describeDifferences(ownFacts(sides.here.facts, sides, name), facts),
  }
}

/** Lists what a stored script, not deployed now, declared at its last deploy: it stays there. */
function listDeclared({ name, base }: Part): Set<string> {
  return new Set(base === undefined ? [] : readRbac([{ name, body: base }]).homes.keys())
}

/** Facts about what a script is to declare. */
function ownFacts(facts: Facts, { file, here }: Sides, name: string): Facts {
  const homeOf = (key: string) => (file.homes.get(key) ?? here.homes.get(key))?.script
  return new Map([...facts].filter(([, { owner }]) => homeOf(keyOfOwner(owner)) === name))
}

async function parse(fileName: string, body: string): Promise<Script> {
  const { scripts, faults } = await parseModelFile({ name: fileName, body })
  const [parsed] = scripts
  if (!parsed) throw new Error(`The merged Rbac does not parse: ${faults[0]?.message ?? ''}`)
  return parsed
}

function toFault(
  { fact, here, file }: RbacConflict,
  sides: Sides,
  given: readonly Script[],
): Diagnostic {
  const { kind, name } = fact.owner
  const home = sides.file.homes.get(keyOfOwner(fact.owner))?.script
  const script = given.find((each) => each.name === home) ?? given[0]
  const owner = script?.element.children.find(
    (child) => child.name === kind && child.attributes.Name === name,
  )
  const place: Place = owner?.place ?? script?.element.place ?? { file: '', line: 1, column: 1 }
  const what =
    fact.kind === 'filters'
      ? `the row filter on ${fact.resource}`
      : fact.kind === 'rule'
        ? `the rule for ${fact.field} of ${fact.resource}`
        : 'the type'
  const describe = (value: string | undefined): string =>
    value === undefined ? 'none' : `"${value}"`
  const message =
    `${kind} ${name}: ${what} was changed here and in the files since the last deploy ` +
    `(here ${describe(here)}, in the files ${describe(file)}): ` +
    "make them the same, or use --overwrite to take the files'"
  return { place, message }
}
