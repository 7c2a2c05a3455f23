/** Changed views: the part of a model change that a caller may know. */
import type { Script } from '../../model/compiled/script.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../callers/caller.ts'
import { Grant } from './grant.ts'

/** Most names of views in a refusal. */
const NAMES_MAX = 5

/**
 * Finds views that the caller may View, by either model, and that have changed or are gone: their
 * own script or that of their entity differs. The first five, in the order of their names.
 */
export function findChangedViews(caller: Caller, before: Model, now: Model): string[] {
  const versions = [listVersions(before.scripts), listVersions(now.scripts)] as const
  const hasChanged = (key: string): boolean => versions[0].get(key) !== versions[1].get(key)
  const names = new Set<string>()
  for (const model of [before, now])
    for (const { name, entity, resource } of model.views.values()) {
      const differs =
        hasChanged(`ObjectView ${name}`) || (entity && hasChanged(`Entity ${entity.name}`))
      if (differs && Grant.find(caller, model, resource, 'View')) names.add(name)
    }
  return [...names].sort().slice(0, NAMES_MAX)
}

const listVersions = (scripts: readonly Script[]): Map<string, string> =>
  new Map(scripts.map(({ type, name, versionHash }) => [`${type} ${name}`, versionHash]))
