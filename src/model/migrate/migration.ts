/** The migration of a deploy: the changes of tables from the stored schema to the wanted one. */
import { Yielder } from '../../kernel/yielder.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { ColumnSchema } from './column-schema.ts'
import { NOTHING_GIVEN } from './given.ts'
import { matchKeyChanges } from './key-changes.ts'
import type { Probe } from './probe.ts'
import { planProbes } from './probes.ts'
import { findFill, findQueryFill } from './projection.ts'
import type { Stages } from './rebuild-reasons.ts'
import type { ColumnMatch, SchemaMatch, StoredTable, TableMatch } from './schema-match.ts'
import type { MigrationStep } from './step.ts'
import { planSteps, type StagedSteps } from './steps.ts'
import { planTableSchema, type TableSchema } from './table-schema.ts'
import { type EntityNames, findNameNow, findNames, type Undoing } from './undoing.ts'
import type { Model } from '../model.ts'
import type { Diagnostic, Place } from '../parse/element.ts'

/** An expression over a stored row, to be checked by the SQL gate before it runs. */
interface Fill {
  sql: string
  /** The stored table that it reads. */
  table: string
  place: Place
}

/** A query that gives stored rows their value of a column. */
export interface QueryFill {
  table: TableMatch
  match: ColumnMatch
  sql: string
  place: Place
}

export interface Migration extends StagedSteps {
  /** All of them, in their order. */
  steps: readonly MigrationStep[]
  /** Asked of the stored rows, before anything is touched. */
  probes: readonly Probe[]
  /** Asked before the closing. */
  lateProbes: readonly Probe[]
  fills: readonly Fill[]
  queryFills: readonly QueryFill[]
  faults: readonly Diagnostic[]
  /** Entities whose stored records it touches, by their stored names. */
  touched: readonly string[]
  /** Entities of these with other columns or values afterwards, by their new names. */
  reshaped: readonly string[]
  match: SchemaMatch
  /** The tables after the migration. */
  schema: readonly TableSchema[]
}

/** Other writes of the deploy. */
interface Writes {
  hasMigrations: boolean
  rows: Stages['rows']
}

/**
 * Plans the migration from the stored tables to those of the model. Pure: whether it may run hangs
 * on its faults, on the gate's word about its fills, and on the answers to its probes.
 */
export async function planMigration(
  stored: readonly StoredTable[],
  model: Pick<Model, 'entities'>,
  { hasMigrations, rows }: Writes,
  undoing?: Undoing,
): Promise<Migration> {
  const match = await matchSchema(stored, model, undoing)
  const queryFills = match.tables.flatMap(queryFillsOf)
  const stages = { isHeld: hasMigrations || queryFills.length > 0, rows }
  const staged = await planSteps(match, stages)
  const probes = await planProbes(match, stages, undoing?.given ?? NOTHING_GIVEN)
  const steps = [...staged.opening, ...staged.closing]
  const changed = new Set(steps.map((step) => step.table))
  const moved = match.tables.filter(
    ({ wanted, stored, entity }) => changed.has(wanted.table) || stored?.entity !== entity.name,
  )
  return {
    ...staged,
    steps,
    touched: [...match.removed, ...moved.flatMap((table) => table.stored ?? [])].map(
      (table) => table.entity,
    ),
    reshaped: listReshaped(match, steps),
    probes: probes.before,
    lateProbes: probes.after,
    fills: match.tables.flatMap(fillsOf),
    queryFills,
    faults: match.faults,
    match,
    schema: match.tables.map((table) => table.wanted),
  }
}

function listReshaped({ tables }: SchemaMatch, steps: readonly MigrationStep[]): string[] {
  const indexes: readonly string[] = ['createIndex', 'dropIndex']
  const changed = new Set(
    steps.filter((step) => !indexes.includes(step.kind)).map((step) => step.table),
  )
  return tables.filter(({ wanted }) => changed.has(wanted.table)).map(({ entity }) => entity.name)
}

function fillsOf({ columns, stored }: TableMatch): Fill[] {
  if (stored === undefined) return []
  return columns.flatMap((match) => {
    const { fill } = match.column
    return findFill(match) === undefined || fill === undefined
      ? []
      : [{ sql: fill.sql, place: fill.place, table: stored.table }]
  })
}

/** The tenant column first: the other fills are held to it. */
function queryFillsOf(table: TableMatch): QueryFill[] {
  if (table.stored === undefined) return []
  const isTenant = (match: ColumnMatch): boolean => match.column.name === table.entity.company
  const tenantFirst = table.columns.toSorted((a, b) => Number(isTenant(b)) - Number(isTenant(a)))
  return tenantFirst.flatMap((match) => {
    const fill = findQueryFill(match)
    return fill === undefined ? [] : [{ table, match, sql: fill.sql, place: fill.place }]
  })
}

/** Names of an entity that has another one now. */
export interface EntityMove {
  entity: Entity
  was: string
  /** Columns of files with their former names. */
  fields: readonly (readonly [was: string, now: string])[]
}

/** Lists the entities and file fields that the migration renames. Pure. */
export const listMoves = ({ match }: Pick<Migration, 'match'>): EntityMove[] =>
  match.tables.flatMap(({ entity, stored, columns }) => {
    if (stored === undefined) return []
    const fields = columns.flatMap(({ stored: from, wanted }) =>
      FIELD_KINDS[wanted.type].structure === 'files' &&
      from !== undefined &&
      from.name !== wanted.name
        ? [[from.name, wanted.name] as const]
        : [],
    )
    const isMoved = stored.entity !== entity.name || fields.length > 0
    return isMoved ? [{ entity, was: stored.entity, fields }] : []
  })

/** Matches by name, and by `Was` where that rename is not done yet. Pure. */
async function matchSchema(
  stored: readonly StoredTable[],
  model: Pick<Model, 'entities'>,
  undoing: Undoing | undefined,
): Promise<SchemaMatch> {
  const entities = [...model.entities.values()].filter((entity) => !entity.builtIn)
  const byEntity = new Map(stored.map((table) => [table.entity, table]))
  const matched: TableMatch[] = []
  const yielder = new Yielder()
  for (const entity of entities) {
    const names = undoing && findNames(undoing, entity.name)
    const former = names
      ? byEntity.get(names.now)
      : (byEntity.get(entity.name) ?? formerTable(entity, byEntity))
    matched.push(matchTable(entity, model, former, names))
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
  names: EntityNames | undefined,
): TableMatch {
  const wanted = planTableSchema(entity, model)
  const columns = entity.columns.flatMap((column) => {
    const schema = findColumn(wanted, column.name)
    if (schema === undefined) return []
    const former = names
      ? findColumn(stored, findNameNow(names, column.name))
      : findStored(column, entity, stored)
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
  const removedNames = new Set(removed.map((column) => column.name.toLowerCase()))
  return columns.flatMap(({ column, stored }) => {
    if (!removedNames.has(column.name.toLowerCase())) return []
    const message =
      `${entity.name}.${column.name} was ${stored?.name}, so the old ${column.name} would have ` +
      `no column: remove it in a separate deploy first`
    return [{ place: column.place, message }]
  })
}
