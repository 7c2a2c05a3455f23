/** What a deploy does to the tables: planned from what is stored and what is wanted. */
import type { Fault, Place } from './element.ts'
import type { Steps } from './compile/steps.ts'
import type { Model } from './model.ts'
import { matchSchema } from './migrate/match.ts'
import type { SchemaMatch, StoredTable } from './migrate/match.ts'
import { planProbes } from './migrate/probes.ts'
import type { Probe } from './migrate/probes.ts'
import { findFill } from './migrate/projection.ts'
import { planSteps } from './migrate/steps.ts'
import type { Step } from './migrate/steps.ts'
import type { TableSchema } from './migrate/table-schema.ts'

/** An expression over a stored row, to be held by the SQL gate before it runs. */
export interface Fill {
  sql: string
  /** The stored table that it reads. */
  table: string
  place: Place
}

export interface Migration {
  steps: readonly Step[]
  probes: readonly Probe[]
  fills: readonly Fill[]
  faults: readonly Fault[]
  /** Entities whose stored records it touches, by their stored names. */
  touched: readonly string[]
  /** The tables after the migration. */
  schema: readonly TableSchema[]
}

/**
 * Plans the migration from the stored tables to those of the model. Pure: whether it may run hangs
 * on its faults, on the gate's word about its fills, and on the answers to its probes.
 */
export function* planMigration(stored: readonly StoredTable[], model: Model): Steps<Migration> {
  const match = yield* matchSchema(stored, model)
  const steps = yield* planSteps(match)
  const probes = yield* planProbes(match)
  const changed = new Set(steps.map((step) => step.table))
  const kept = match.tables.filter((table) => changed.has(table.wanted.table))
  return {
    steps,
    touched: [...match.removed, ...kept.flatMap((table) => table.stored ?? [])].map(
      (table) => table.entity,
    ),
    probes,
    fills: match.tables.flatMap(fillsOf),
    faults: match.faults,
    schema: match.tables.map((table) => table.wanted),
  }
}

function fillsOf({ columns, stored }: SchemaMatch['tables'][number]): Fill[] {
  if (stored === undefined) return []
  return columns.flatMap((match) => {
    const { column } = match
    return findFill(match) === undefined || column.fill === undefined
      ? []
      : [{ ...column.fill, table: stored.table }]
  })
}
