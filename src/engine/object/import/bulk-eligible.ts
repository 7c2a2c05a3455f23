/** Whether anything follows from new records of an entity that only the after-write pass does. */
import type { Entity, Model } from '../../../model/model.ts'
import { findSources } from '../after-write/event-rows.ts'
import { isServerKey } from './import-statements.ts'

/**
 * Nothing does where no event, computed column, tree or file looks at them, and stamps begin anew:
 * then an import gives them all that the engine keeps, and asks the rules and writes the audit of
 * many together (`import-new.ts`).
 */
export function isBulkEligible(model: Model, entity: Entity): boolean {
  if (entity.parent !== undefined) return false
  if (entity.concurrency && !isServerKey(entity)) return false
  if (entity.columns.some(({ type, compute }) => type === 'File' || compute)) return false
  const isSource = model.computes.some(
    ({ compute }) =>
      compute.from.includes(entity.name) ||
      compute.links.some((link) => link.entity === entity.name),
  )
  return !isSource && findSources(model, entity).length === 0
}
