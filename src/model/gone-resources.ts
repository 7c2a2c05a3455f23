/**
 * Rights that were given here must not come to life again with another view, report or procedure of
 * the same name: a deploy that takes the last bearer of a resource away takes the rights on it out
 * of the Rbac that it keeps. What files say of it is theirs.
 */
import type { CatalogPlan } from './catalog-plan.ts'
import type { Script } from './model.ts'
import { parseModelFile } from './parse.ts'
import { cutResource } from './rbac-edit.ts'

const BEARERS = new Set(['ObjectView', 'Report', 'StoredProcedure'])

/** The plan with the Rbac that it keeps, trimmed. */
export async function forgetGoneResources(catalog: CatalogPlan): Promise<CatalogPlan> {
  const borne = new Set(catalog.scripts.flatMap(listResources))
  const gone = catalog.removed.flatMap(listResources).filter((name) => !borne.has(name))
  const kept = catalog.kept.filter(({ stored }) => stored.type === 'Rbac')
  const trims = await Promise.all(kept.map(({ stored }) => trim(stored, gone)))
  const trimmed = new Map(trims.flatMap((pair) => (pair ? [pair] : [])))
  if (trimmed.size === 0) return catalog
  const replace = (script: Script): Script => trimmed.get(script) ?? script
  return {
    ...catalog,
    scripts: catalog.scripts.map(replace),
    kept: catalog.kept.map((each) => ({ ...each, stored: replace(each.stored) })),
    trimmed: [...trimmed.values()],
  }
}

const listResources = ({ type, name, element }: Script): string[] =>
  BEARERS.has(type) ? [element.attributes.Resource ?? name] : []

async function trim(
  script: Script,
  resources: readonly string[],
): Promise<[Script, Script] | undefined> {
  const body = resources.reduce(cutResource, script.body)
  if (body === script.body) return undefined
  const { scripts } = await parseModelFile({ name: script.fileName, body })
  const [parsed] = scripts
  if (!parsed) throw new Error(`The Rbac ${script.name} does not parse any more`)
  return [script, parsed]
}
