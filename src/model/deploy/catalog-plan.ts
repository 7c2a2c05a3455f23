/** The catalog plan of a deploy, from the stored and the given scripts; and its writing. */
import type { Tx } from '../../store/store.ts'
import { keyOfScript, type Script, type ScriptType } from '../compiled/script.ts'
import {
  type ChangedScript,
  deleteLostDrafts,
  type Execution,
  moveScripts,
  retireScripts,
  saveDeployed,
  saveScripts,
} from './catalog.ts'
import { comparePlaces, type Diagnostic } from '../parse/element.ts'

/** A script that stays as it was changed here, against the files. */
export interface KeptScript {
  stored: Script
  /** The script of the files; undefined where `prune` would have taken it out. */
  given: Script | undefined
  /** True when the file has changed too since the script's last deploy. */
  isFileChanged: boolean
}

/** An Rbac script whose merged result differs from the files and from the stored one. */
export interface MergedScript {
  /** Undefined for a script that became empty, and goes. */
  result: Script | undefined
  stored: Script | undefined
  /** The script of the files; undefined where they do not have it. */
  given: Script | undefined
  /** Changes made here that stay, and changes that come with the files: a sentence each. */
  fromHere: readonly string[]
  fromFile: readonly string[]
  /** True when the deployed text becomes the base of the next merge. */
  isNewBase: boolean
}

export interface CatalogPlan {
  /** The stored scripts that the plan was made from. */
  stored: readonly Script[]
  /** The whole model afterwards, in the order of types and names. */
  scripts: readonly Script[]
  new: readonly Script[]
  changed: readonly Script[]
  same: readonly Script[]
  /** Changed here since their last deploy, and kept. */
  kept: readonly KeptScript[]
  /** Rbac that was changed here, merged with the files (`rbac/deploy.ts`). */
  merged: readonly MergedScript[]
  /** Scripts of `same` that were changed here: from now on the files have them. */
  adopted: readonly Script[]
  /** Scripts taken out by `--prune`, or because of a renamed entity. */
  removed: readonly Script[]
}

/** Options of a deploy beside replacing the scripts that the files hold. */
interface CatalogOptions {
  /** Takes out what the files do not hold: every type, or the one type that they are about. */
  prune: boolean | ScriptType
  /** The scripts that were changed here; none where they are to be replaced. */
  changedHere: readonly ChangedScript[]
  /** The name under which the one given document is stored until now. */
  former?: string | undefined
}

/**
 * Merges by type and name: a deploy adds and replaces, and removes only with `prune`. What was
 * changed here stays (src/model/README.md, Deploy). Reference rows are never pruned but with their
 * entity. A renamed entity takes its former script's place.
 */
export function planCatalog(
  stored: readonly Script[],
  given: readonly Script[],
  { prune, changedHere, former }: CatalogOptions,
): CatalogPlan {
  const storedByKey = new Map(stored.map((script) => [keyOfScript(script), script]))
  const givenKeys = new Set(given.map(keyOfScript))
  const deployedHashes = new Map(changedHere.map((each) => [keyOfScript(each), each.deployedHash]))
  const isChangedHere = (script: Script): boolean => deployedHashes.has(keyOfScript(script))
  const isSame = (script: Script): boolean =>
    storedByKey.get(keyOfScript(script))?.versionHash === script.versionHash
  const others = stored.filter((script) => !givenKeys.has(keyOfScript(script)))
  const isFormer = ({ type, name }: Script): boolean => name === former && type === given[0]?.type
  const unwanted = findUnwanted(others, given, prune).union(new Set(others.filter(isFormer)))
  const removed = [...unwanted].filter((script) => !isChangedHere(script))
  const kept = [
    ...given.filter((script) => isChangedHere(script) && !isSame(script)),
    ...[...unwanted].filter(isChangedHere),
  ].map((script) => planKept(script, givenKeys, storedByKey, deployedHashes))
  const replaced = given.filter((script) => !kept.some((each) => each.given === script))
  const scripts = [
    ...others.filter((script) => !removed.includes(script)),
    ...kept.flatMap((each) => (each.given ? [each.stored] : [])),
    ...replaced,
  ]
  return {
    stored,
    scripts: sortScripts(scripts),
    new: replaced.filter((script) => !storedByKey.has(keyOfScript(script))),
    changed: replaced.filter((script) => storedByKey.has(keyOfScript(script)) && !isSame(script)),
    same: given.filter(isSame),
    kept,
    merged: [],
    adopted: given.filter((script) => isChangedHere(script) && isSame(script)),
    removed,
  }
}

/** Sorts scripts by type and name. */
export const sortScripts = (scripts: Script[]): Script[] =>
  scripts.sort((a, b) => compare(a.type, b.type) || compare(a.name, b.name))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function planKept(
  script: Script,
  givenKeys: ReadonlySet<string>,
  storedByKey: ReadonlyMap<string, Script>,
  deployedHashes: ReadonlyMap<string, string | undefined>,
): KeptScript {
  const key = keyOfScript(script)
  const given = givenKeys.has(key) ? script : undefined
  return {
    stored: storedByKey.get(key) ?? script,
    given,
    isFileChanged: given !== undefined && given.versionHash !== deployedHashes.get(key),
  }
}

/**
 * The plan with the merged Rbac: scripts that became those of the files count as new, changed or
 * the same; the rest is reported as merged.
 */
export function withRbac(catalog: CatalogPlan, parts: readonly MergedScript[]): CatalogPlan {
  const isOther = ({ type }: Script): boolean => type !== 'Rbac'
  const results = parts.flatMap(({ result }) => result ?? [])
  const merged = parts.filter(
    ({ given, stored, result }) => result !== undefined && result !== (given ?? stored),
  )
  const asGiven = parts.flatMap(({ given, stored, result }) =>
    given !== undefined && result === given ? [{ given, stored }] : [],
  )
  const isSame = (pair: { given: Script; stored: Script | undefined }): boolean =>
    pair.stored?.versionHash === pair.given.versionHash
  const added = asGiven.filter(({ stored }) => stored === undefined)
  const changed = asGiven.filter((pair) => pair.stored !== undefined && !isSame(pair))
  const same = asGiven.filter(isSame)
  const isResult = (script: Script): boolean => results.includes(script)
  return {
    ...catalog,
    scripts: sortScripts([...catalog.scripts.filter(isOther), ...results]),
    new: [...catalog.new.filter(isOther), ...added.map(({ given }) => given)],
    changed: [...catalog.changed.filter(isOther), ...changed.map(({ given }) => given)],
    same: [...catalog.same.filter(isOther), ...same.map(({ given }) => given)],
    kept: catalog.kept.filter(({ stored }) => isOther(stored) || isResult(stored)),
    merged,
    adopted: catalog.adopted.filter((script) => isOther(script) || isResult(script)),
    removed: [
      ...catalog.removed.filter(isOther),
      ...parts.flatMap(({ result, stored }) => (result ? [] : (stored ?? []))),
    ],
  }
}

/** Types of scripts that are not part of the catalog. */
const BESIDE_CATALOG: ReadonlySet<ScriptType> = new Set(['Rows', 'Texts', 'Migration'])

/** Two files that both hold the rows of an entity, the texts of a language, or one migration. */
export function findRepeats(given: readonly Script[]): Diagnostic[] {
  const holders = new Map<string, Script>()
  return given.flatMap((script) => {
    const other = holders.get(keyOfScript(script))
    holders.set(keyOfScript(script), other ?? script)
    if (other === undefined || !BESIDE_CATALOG.has(script.type)) return []
    const { file, line, column } = other.element.place
    const first = `${file}:${line}:${column}`
    const message = `A second ${script.type} '${script.name}' (the first: ${first})`
    return [{ place: script.element.place, message }]
  })
}

function findUnwanted(
  others: readonly Script[],
  given: readonly Script[],
  prune: boolean | ScriptType,
): Set<Script> {
  const formerNames = new Set(
    given.filter(({ type }) => type === 'Entity').map(({ element }) => element.attributes.Was),
  )
  const isRenamed = (script: Script): boolean =>
    script.type === 'Entity' && formerNames.has(script.name)
  const isPruned = ({ type }: Script): boolean =>
    prune === true ? type !== 'Rows' && type !== 'Migration' : type === prune
  const unwanted = others.filter((script) => isRenamed(script) || isPruned(script))
  const theirEntities = new Set(
    unwanted.filter(({ type }) => type === 'Entity').map((script) => script.name),
  )
  const theirRows = others.filter(
    ({ type, element }) => type === 'Rows' && theirEntities.has(element.attributes.Entity ?? ''),
  )
  return new Set([...unwanted, ...theirRows])
}

/** Saves new, changed, moved and merged scripts, and deletes removed ones. */
export async function saveCatalog(
  tx: Tx,
  catalog: CatalogPlan,
  execution: Execution,
): Promise<void> {
  await saveScripts(tx, [...catalog.new, ...catalog.changed, ...catalog.adopted], execution)
  await saveMerged(tx, catalog, execution)
  await moveScripts(tx, listMoved(catalog))
  await retireScripts(tx, catalog.removed)
  if (catalog.removed.length > 0) await deleteLostDrafts(tx)
}

/** Lists unchanged scripts at another place of the files: the order of views is that of places. */
export function listMoved({ stored, same }: CatalogPlan): Script[] {
  const places = new Map(stored.map((script) => [keyOfScript(script), script.element.place]))
  return same.filter((script) => {
    const place = places.get(keyOfScript(script))
    return place !== undefined && comparePlaces({ place }, script.element) !== 0
  })
}

/** Saves the files' scripts as the base of the next merge; the merged scripts are current. */
async function saveMerged(tx: Tx, { merged }: CatalogPlan, execution: Execution): Promise<void> {
  const bases = merged.filter(({ isNewBase }) => isNewBase)
  const source = execution.source === 'deploy' ? 'merge' : execution.source
  await saveDeployed(
    tx,
    bases.flatMap(({ given }) => given ?? []),
    execution,
  )
  const changed = merged.filter(
    ({ isNewBase, result, stored }) => isNewBase || result?.versionHash !== stored?.versionHash,
  )
  await saveScripts(
    tx,
    changed.flatMap(({ result }) => result ?? []),
    { ...execution, source },
  )
}
