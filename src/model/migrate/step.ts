/** A step of a migration, and running it inside of its transaction. */
import type { SqlRow } from '../../store/sql.ts'
import type { Rebuild } from './rebuild.ts'
import type { Place } from '../parse/element.ts'
import { quote } from '../sql/quote.ts'

/** The kind of a step, by what it does. */
type StepKind =
  | 'dropTable'
  | 'dropIndex'
  | 'renameTable'
  | 'renameColumn'
  | 'mapKeys'
  | 'createTable'
  | 'addColumn'
  | 'fitColumn'
  | 'rebuildTable'
  | 'createIndex'

/** A part of a migration. */
export interface MigrationStep {
  kind: StepKind
  table: string
  /** The step in words, for the plan. */
  text: string
  /** Undefined for an entity that is removed. */
  place: Place | undefined
  sql: readonly string[]
  /** Set for a rebuild, whose rows are counted before and after. */
  rebuild?: Rebuild
}

/** The part of a transaction that a migration needs. */
interface StepTx {
  get(sql: string): Promise<SqlRow | undefined>
  run(sql: string): Promise<number>
}

/** A failed step, refused by the stored rows; all of the migration is rolled back. */
export class StepError extends Error {
  readonly step: MigrationStep

  constructor(step: MigrationStep, cause: unknown) {
    super(`${step.text}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StepError'
    this.step = step
  }
}

/** Runs each step in order. Foreign keys must be off (`store.migrate`). Throws a StepError. */
export async function runSteps(tx: StepTx, steps: readonly MigrationStep[]): Promise<void> {
  for (const step of steps) {
    try {
      for (const sql of step.sql) await tx.run(sql)
      if (step.rebuild !== undefined) await runRebuild(tx, step.table, step.rebuild)
    } catch (error) {
      throw new StepError(step, error)
    }
  }
}

async function runRebuild(tx: StepTx, table: string, rebuild: Rebuild): Promise<void> {
  const before = await countRows(tx, table)
  for (const sql of rebuild.before) await tx.run(sql)
  await tx.run(rebuild.copy)
  for (const sql of rebuild.after) await tx.run(sql)
  const after = await countRows(tx, table)
  if (before !== after) throw new Error(`${before} rows became ${after}`)
}

async function countRows(tx: StepTx, table: string): Promise<unknown> {
  const row = await tx.get(`SELECT count(*) AS n FROM ${quote(table)}`)
  return row?.n
}
