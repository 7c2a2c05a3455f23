/** What a deploy does to the tables: planned from what is stored and what is wanted. */
import type { Diagnostic, Place } from './element.ts'
import type { Entity, Model } from './model.ts'
import { matchSchema } from './migrate/match.ts'
import type { ColumnMatch, SchemaMatch, StoredTable, TableMatch } from './migrate/schema-match.ts'
import { planProbes } from './migrate/probes.ts'
import type { Probe } from './migrate/probe.ts'
import { findFill, findQueryFill } from './migrate/projection.ts'
import type { Stages } from './migrate/rebuild-reasons.ts'
import { planSteps } from './migrate/steps.ts'
import type { Step } from './migrate/step.ts'
import type { StagedSteps } from './migrate/steps.ts'
import type { TableSchema } from './migrate/table-schema.ts'

/** An expression over a stored row, to be held by the SQL gate before it runs. */
export interface Fill {
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
  steps: readonly Step[]
  /** Asked of the stored rows, before anything is touched. */
  probes: readonly Probe[]
  /** Asked before the closing. */
  lateProbes: readonly Probe[]
  fills: readonly Fill[]
  queryFills: readonly QueryFill[]
  faults: readonly Diagnostic[]
  /** Entities whose stored records it touches, by their stored names. */
  touched: readonly string[]
  /** Those of them whose records have other columns or values afterwards, by their new names. */
  reshaped: readonly string[]
  match: SchemaMatch
  /** The tables after the migration. */
  schema: readonly TableSchema[]
}

/** What a deploy writes besides. */
export interface Writes {
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
): Promise<Migration> {
  const match = await matchSchema(stored, model)
  const queryFills = match.tables.flatMap(queryFillsOf)
  const stages = { isHeld: hasMigrations || queryFills.length > 0, rows }
  const staged = await planSteps(match, stages)
  const probes = await planProbes(match, stages)
  const steps = [...staged.opening, ...staged.closing]
  const changed = new Set(steps.map((step) => step.table))
  const kept = match.tables.filter(
    ({ wanted, stored, entity }) => changed.has(wanted.table) || stored?.entity !== entity.name,
  )
  return {
    ...staged,
    steps,
    touched: [...match.removed, ...kept.flatMap((table) => table.stored ?? [])].map(
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

function listReshaped({ tables }: SchemaMatch, steps: readonly Step[]): string[] {
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

/** What the migration calls otherwise. Pure. */
export const listMoves = ({ match }: Pick<Migration, 'match'>): EntityMove[] =>
  match.tables.flatMap(({ entity, stored, columns }) => {
    if (stored === undefined) return []
    const fields = columns.flatMap(({ stored: from, wanted }) =>
      wanted.type === 'File' && from !== undefined && from.name !== wanted.name
        ? [[from.name, wanted.name] as const]
        : [],
    )
    const isMoved = stored.entity !== entity.name || fields.length > 0
    return isMoved ? [{ entity, was: stored.entity, fields }] : []
  })
