/** Which stored table and column each wanted one comes from. */
import type { Steps } from '../compile/steps.ts'
import type { Fault } from '../element.ts'
import type { Column, Entity, Model } from '../model.ts'
import type { ColumnSchema } from './column-schema.ts'
import { planTableSchema } from './table-schema.ts'
import type { TableSchema } from './table-schema.ts'

/** A table as the last deploy left it. */
export interface StoredTable extends TableSchema {
  /** Its SQL is not what the last deploy left: it is made anew. */
  isDrifted: boolean
}

export interface ColumnMatch {
  column: Column
  wanted: ColumnSchema
  stored: ColumnSchema | undefined
}

export interface TableMatch {
  entity: Entity
  wanted: TableSchema
  stored: StoredTable | undefined
  columns: readonly ColumnMatch[]
  removed: readonly ColumnSchema[]
}

export interface SchemaMatch {
  tables: readonly TableMatch[]
  /** Stored tables whose entity is gone. */
  removed: readonly StoredTable[]
  faults: readonly Fault[]
}

/** Matches by name, and by `Was` where the name is not stored yet. Pure. */
export function* matchSchema(stored: readonly StoredTable[], model: Model): Steps<SchemaMatch> {
  const entities = [...model.entities.values()].filter((entity) => !entity.builtIn)
  const byEntity = new Map(stored.map((table) => [table.entity, table]))
  const tables: TableMatch[] = []
  for (const entity of entities) {
    const former = byEntity.get(entity.name) ?? formerTable(entity, byEntity)
    tables.push(matchTable(entity, model, former))
    yield
  }
  const taken = new Set(tables.map((table) => table.stored))
  return {
    tables,
    removed: stored.filter((table) => !taken.has(table)),
    faults: sharedFaults(tables),
  }
}

const formerTable = (
  entity: Entity,
  byEntity: ReadonlyMap<string, StoredTable>,
): StoredTable | undefined => (entity.was === undefined ? undefined : byEntity.get(entity.was))

function matchTable(entity: Entity, model: Model, stored: StoredTable | undefined): TableMatch {
  const wanted = planTableSchema(entity, model)
  const columns = entity.columns.flatMap((column) => {
    const schema = wanted.columns.find((one) => one.name === column.name)
    return schema ? [{ column, wanted: schema, stored: findStored(column, stored) }] : []
  })
  const taken = new Set(columns.map((match) => match.stored))
  const removed = stored?.columns.filter((column) => !taken.has(column)) ?? []
  return { entity, wanted, stored, columns, removed }
}

function findStored(column: Column, stored: StoredTable | undefined): ColumnSchema | undefined {
  const former = column.was === undefined ? undefined : findColumn(stored, column.was)
  return findColumn(stored, column.name) ?? former
}

const findColumn = (table: TableSchema | undefined, name: string): ColumnSchema | undefined =>
  table?.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

/** Two that claim one stored table would both get its rows. */
function sharedFaults(tables: readonly TableMatch[]): Fault[] {
  const owners = new Map<StoredTable, string>()
  return tables.flatMap(({ entity, stored }) => {
    if (stored === undefined) return []
    const owner = owners.get(stored)
    owners.set(stored, owner ?? entity.name)
    if (owner === undefined) return []
    const message = `Entities ${owner} and ${entity.name} both were ${stored.entity}`
    return [{ place: entity.place, message }]
  })
}
