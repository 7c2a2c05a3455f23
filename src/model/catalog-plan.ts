/** What a deploy makes of the catalog: the scripts that are stored and those that are given. */
import type { Fault } from './element.ts'
import type { Script } from './model.ts'

export interface CatalogPlan {
  /** What the plan was made from. */
  stored: readonly Script[]
  /** The whole model afterwards, in the order of types and names. */
  scripts: readonly Script[]
  new: readonly Script[]
  changed: readonly Script[]
  same: readonly Script[]
  /** Taken out by `--prune`, or because an entity goes by another name now. */
  removed: readonly Script[]
}

/**
 * Merges by type and name: a deploy adds and replaces, and removes only with `prune`. Reference
 * rows are never pruned but with their entity. A renamed entity takes its former script's place.
 */
export function planCatalog(
  stored: readonly Script[],
  given: readonly Script[],
  prune: boolean,
): CatalogPlan {
  const storedByKey = new Map(stored.map((script) => [keyOf(script), script]))
  const givenKeys = new Set(given.map(keyOf))
  const others = stored.filter((script) => !givenKeys.has(keyOf(script)))
  const removed = findRemoved(others, given, prune)
  const isSame = (script: Script): boolean =>
    storedByKey.get(keyOf(script))?.versionHash === script.versionHash
  const scripts = [...others.filter((script) => !removed.has(script)), ...given]
  return {
    stored,
    scripts: scripts.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)),
    new: given.filter((script) => !storedByKey.has(keyOf(script))),
    changed: given.filter((script) => storedByKey.has(keyOf(script)) && !isSame(script)),
    same: given.filter(isSame),
    removed: [...removed],
  }
}

/** Two files that both hold the rows of an entity, or the texts of a language. */
export function findRepeats(given: readonly Script[]): Fault[] {
  const holders = new Map<string, Script>()
  return given.flatMap((script) => {
    const other = holders.get(keyOf(script))
    holders.set(keyOf(script), other ?? script)
    if (other === undefined || (script.type !== 'Rows' && script.type !== 'Texts')) return []
    const { file, line, column } = other.element.place
    const first = `${file}:${line}:${column}`
    const message = `A second ${script.type} '${script.name}' (the first: ${first})`
    return [{ place: script.element.place, message }]
  })
}

const keyOf = (script: Script): string => `${script.type} ${script.name}`

function findRemoved(
  others: readonly Script[],
  given: readonly Script[],
  prune: boolean,
): Set<Script> {
  const formerNames = new Set(
    given.filter(({ type }) => type === 'Entity').map(({ element }) => element.attributes.Was),
  )
  const isRenamed = (script: Script): boolean =>
    script.type === 'Entity' && formerNames.has(script.name)
  const gone = others.filter((script) => isRenamed(script) || (prune && script.type !== 'Rows'))
  const goneEntities = new Set(
    gone.filter(({ type }) => type === 'Entity').map((script) => script.name),
  )
  const goneRows = others.filter(
    ({ type, element }) => type === 'Rows' && goneEntities.has(element.attributes.Entity ?? ''),
  )
  return new Set([...gone, ...goneRows])
}
