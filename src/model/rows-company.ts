/** Reference rows of a company that has just been made: it need not wait for the next deploy. */
import type { Tx } from '../store/store.ts'
import { fillComputes, planFills, planComputesFact } from './compute-fill.ts'
import type { Model } from './model.ts'
import { planRows } from './rows-plan.ts'
import { saveRowsOf } from './rows.ts'
import type { RowsOccasion } from './rows.ts'

/**
 * Writes the rows that each company has, with what is computed from them, and resolves to how many
 * there are. As in a deploy they raise no events. Throws a RowsError or a ComputeError.
 */
export async function saveCompanyRows(
  tx: Tx,
  model: Model,
  company: number,
  occasion: RowsOccasion,
): Promise<number> {
  const { rows } = planRows(model)
  const own = rows.filter(({ isForEachCompany }) => isForEachCompany)
  if (own.length === 0) return 0
  return tx.silently(async () => {
    const saved = await saveRowsOf(tx, own, company, { model, ...occasion })
    const written = new Set(own.map(({ entity }) => entity.name))
    const nodes = planFills(model, { fact: planComputesFact(model), written })
    await fillComputes({ tx, model, now: occasion.now, company }, nodes)
    return saved
  })
}
