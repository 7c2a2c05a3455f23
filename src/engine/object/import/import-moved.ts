/**
 * Whether stored records still are as they were judged beside the writer, right before they are
 * written: by row filter and Permit, and by the values that rules and key fields looked at.
 */
import { quote } from '../../../model/quote.ts'
import type { Tx } from '../../../store/store.ts'
import { needsOutput } from '../after-write/changes.ts'
import { overtaken } from './row-by-row.ts'
import { composeValidated, composeValidatedOutput, listJudged } from './import-validated.ts'
import type { ImportPlan } from './import-plan.ts'
import { askReached, composeHolds, findPermit, reachesAll } from './import-reach.ts'
import {
  CHUNK_ROWS,
  composeStaged,
  rangeArgs,
  splitRange,
  type StagedRange,
  type StagedSql,
} from './import-stage.ts'

/** What is written, and by which plan. */
export interface ValidatedWork {
  tx: Tx
  plan: ImportPlan
  staged: StagedSql
}

/** @throws conflict when a record of the rows is not as it was judged; nothing is written yet. */
export async function requireStillValid(work: ValidatedWork, rows: StagedRange): Promise<void> {
  const counts = [planSame(work), planReached(work)].flatMap((count) => count ?? [])
  if (counts.length === 0) return
  for (const range of splitRange(rows, CHUNK_ROWS)) {
    const all = `SELECT count(*) AS Rows FROM ${composeStaged(0)}`
    const [whole] = await work.tx.all(all, rangeArgs(range))
    for (const count of counts) if ((await count(range)) !== whole?.Rows) throw overtaken()
  }
}

/** Counts the rows of a range whose records are as they were. */
type Count = (range: StagedRange) => Promise<unknown>

/** A stamp is held against the record by the statement that writes, unless that is authored. */
function planSame({ tx, plan, staged: { keys } }: ValidatedWork): Count | undefined {
  const { entity, view, columns } = plan
  const judged = listJudged({ view, entity, keys: columns.keys.map(({ field }) => field) })
  if (judged.length === 0 || (entity.concurrency && !view.update)) return undefined
  const same = entity.keys.map(({ name }, at) => `t.${quote(name)} = s.${keys[at]}`)
  const sql =
    `SELECT count(*) AS Rows FROM ${composeStaged(0)} CROSS JOIN main.${quote(entity.table)} t ` +
    `WHERE ${same.join(' AND ')} AND ${composeValidated(judged)} IS s.judged`
  return async (range) => (await tx.authored(sql, rangeArgs(range))).rows[0]?.Rows
}

function planReached({ tx, plan, staged: { keys } }: ValidatedWork): Count | undefined {
  const { view } = plan
  const permit = findPermit(view, 'Update')
  if (reachesAll(plan, 'import') && !permit && !needsOutput(view)) return undefined
  const conditions = [`${composeValidatedOutput(view)} IS _output`]
  if (permit) conditions.push(composeHolds(permit))
  const own = keys.map((cell, at) => `s.${cell} AS _key${at}`)
  const staged = `SELECT ${own.join(', ')}, s.output AS _output FROM ${composeStaged(0)}`
  return async (range) => {
    const requested = { purpose: 'import', conditions, args: rangeArgs(range) } as const
    const [found] = await askReached(
      tx,
      plan,
      requested,
      (join) => `SELECT count(*) AS Rows FROM (${staged}) ${join}`,
    )
    return found?.Rows
  }
}
