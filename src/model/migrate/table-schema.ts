/** An entity's table as the database holds it: what a deploy compares, keeps and makes. */
import type { Entity } from '../compiled/entity.ts'
import { type ColumnSchema, planColumn } from './column-schema.ts'
import { type IndexSchema, planIndexes } from './indexes.ts'
import type { Model } from '../model.ts'

export interface TableSchema {
  entity: string
  table: string
  keys: readonly string[]
  /** The tenant column. */
  company: string | null
  audit: boolean
  /** Its reading is logged. */
  reads: boolean
  columns: readonly ColumnSchema[]
  indexes: readonly IndexSchema[]
}

/** The wanted table of an entity. Pure. */
export function planTableSchema(entity: Entity, model: Pick<Model, 'entities'>): TableSchema {
  return {
    entity: entity.name,
    table: entity.table,
    keys: entity.keys.map((key) => key.name),
    company: entity.company ?? null,
    audit: entity.audit,
    reads: entity.logsReads,
    columns: entity.columns.map((column) => planColumn(entity, column, model)),
    indexes: planIndexes(entity),
  }
}
