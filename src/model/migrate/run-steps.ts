/** Runs the steps of a migration inside of its transaction. */
import type { SqlRow } from '../../store/sql.ts'
import { quote } from '../quote.ts'
import type { Rebuild } from './rebuild.ts'
import type { Step } from './step.ts'

/** What of a transaction a migration needs. */
export interface StepTx {
  get(sql: string): Promise<SqlRow | undefined>
  run(sql: string): Promise<number>
}

/** A step that the stored rows did not let through; nothing of the migration stays. */
export class StepError extends Error {
  readonly step: Step

  constructor(step: Step, cause: unknown) {
    super(`${step.text}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StepError'
    this.step = step
  }
}

/** Runs each step in order. Foreign keys must be off (`store.migrate`). Throws a StepError. */
export async function runSteps(tx: StepTx, steps: readonly Step[]): Promise<void> {
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
