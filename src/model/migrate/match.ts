/** Which stored table and column each wanted one comes from. */
import { Yielder } from '../../kernel/yielder.ts'
import type { Diagnostic } from '../element.ts'
import type { Column, Entity, Model } from '../model.ts'
import type { SchemaMatch, StoredTable, TableMatch } from './schema-match.ts'
import type { ColumnSchema } from './column-schema.ts'
import { matchKeyChanges } from './key-changes.ts'
import { planTableSchema } from './table-schema.ts'
import type { TableSchema } from './table-schema.ts'

/** Matches by name, and by `Was` where that rename is not done yet. Pure. */
export async function matchSchema(
  stored: readonly StoredTable[],
  model: Pick<Model, 'entities'>,
): Promise<SchemaMatch> {
  const entities = [...model.entities.values()].filter((entity) => !entity.builtIn)
  const byEntity = new Map(stored.map((table) => [table.entity, table]))
  const matched: TableMatch[] = []
  const yielder = new Yielder()
  for (const entity of entities) {
    const former = byEntity.get(entity.name) ?? formerTable(entity, byEntity)
    matched.push(matchTable(entity, model, former))
    await yielder.yieldWhenDue()
  }
  const taken = new Set(matched.map((table) => table.stored))
  const { tables, rekeyed, faults } = matchKeyChanges(matched)
  return {
    tables,
    removed: stored.filter((table) => !taken.has(table)),
    rekeyed,
    faults: [...sharedFaults(tables), ...tables.flatMap(pushedOutFaults), ...faults],
  }
}

const formerTable = (
  entity: Entity,
  byEntity: ReadonlyMap<string, StoredTable>,
): StoredTable | undefined => (entity.was === undefined ? undefined : byEntity.get(entity.was))

function matchTable(
  entity: Entity,
  model: Pick<Model, 'entities'>,
  stored: StoredTable | undefined,
): TableMatch {
  const wanted = planTableSchema(entity, model)
  const columns = entity.columns.flatMap((column) => {
    const schema = findColumn(wanted, column.name)
    if (schema === undefined) return []
    const former = findStored(column, entity, stored)
    return [{ column, wanted: schema, stored: former, follows: undefined, isAmbiguous: false }]
  })
  const taken = new Set(columns.map((match) => match.stored))
  const removed = stored?.columns.filter((column) => !taken.has(column)) ?? []
  return { entity, wanted, stored, columns, removed, keyChange: undefined }
}

/**
 * The column of the same name, but where names are passed on, as in a swap: then the former one
 * until that rename has been deployed.
 */
function findStored(
  column: Column,
  entity: Entity,
  stored: StoredTable | undefined,
): ColumnSchema | undefined {
  const own = findColumn(stored, column.name)
  if (column.was === undefined) return own
  const former = findColumn(stored, column.was)
  const isPassedOn =
    entity.columnByName.has(column.was.toLowerCase()) ||
    entity.columns.some(({ was }) => was?.toLowerCase() === column.name.toLowerCase())
  return isPassedOn && own?.was !== column.was ? (former ?? own) : (own ?? former)
}

const findColumn = (table: TableSchema | undefined, name: string): ColumnSchema | undefined =>
  table?.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

/** Two that claim one stored table would both get its rows. */
function sharedFaults(tables: readonly TableMatch[]): Diagnostic[] {
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

/** A column that takes another's name while that one's values have no name left. */
function pushedOutFaults({ columns, removed, entity }: TableMatch): Diagnostic[] {
  const gone = new Set(removed.map((column) => column.name.toLowerCase()))
  return columns.flatMap(({ column, stored }) => {
    if (!gone.has(column.name.toLowerCase())) return []
    const message =
      `${entity.name}.${column.name} was ${stored?.name}, and what was ${column.name} so far has ` +
      `no column any more: remove that one by a deploy of its own first`
    return [{ place: column.place, message }]
  })
}
