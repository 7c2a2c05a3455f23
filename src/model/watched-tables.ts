/** The tables of a model, as the store watches them. */
import type { WatchedTable } from '../store/store.ts'
import type { Entity } from './compiled/entity.ts'
import type { Model } from './model.ts'

/** Every entity's table: columns, tenant column, references that must stay in the company. */
export function watchedTables(model: Model): WatchedTable[] {
  return [...model.entities.values()]
    .filter((entity) => !entity.builtIn)
    .map((entity) => ({
      entity: entity.name,
      table: entity.table,
      keys: entity.keys.map((key) => key.name),
      columns: entity.columns.map((column) => column.name),
      company: entity.company,
      references: companyReferences(entity, model),
    }))
}

/** Only from company to company: what has no tenant column is there for all. */
function companyReferences(entity: Entity, model: Model): WatchedTable['references'] {
  if (entity.company === undefined) return []
  return entity.columns.flatMap((column) => {
    const target = model.entities.get(column.references ?? '')
    const key = target?.keys[0]?.name
    return target?.company !== undefined && key !== undefined
      ? [{ column: column.name, table: target.table, key, company: target.company }]
      : []
  })
}
