/** The rules of entities, for all records that a transaction touched, as they will be stored. */
import { validation, type FieldErrors } from '../../kernel/failure.ts'
import { checkField } from '../../model/fields/check.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from './context.ts'
import { findBroken } from './entity-rules.ts'
import type { Pace } from './pace.ts'
import type { SettledRow, SettledRows } from './settled-row.ts'
import { inChunks } from './stored-rows.ts'

/** What the rules are judged on. */
export interface RulesScope {
  tx: Tx
  rows: SettledRows
  context: Context
  pace: Pace
}

/** @throws validation with the first message a field of every rule that does not hold. */
export async function requireSettledRules(scope: RulesScope): Promise<void> {
  const { tx, rows, context, pace } = scope
  const faults: FieldErrors = {}
  const kept = [...rows.values()].flatMap((row) => (row.after ? [{ ...row, row: row.after }] : []))
  for (const row of kept) checkComputed(row, faults)
  const ruled = kept.filter(({ entity }) => entity.validates.length > 0)
  for (const [entity, list] of Map.groupBy(ruled, (row) => row.entity)) {
    for (const chunk of inChunks(list)) {
      const records = chunk.map((each) => ({
        row: each.row,
        isNew: each.touched.what === 'insert',
      }))
      const broken = await findBroken(tx, entity.validates, { entity, records, context })
      for (const { field, message } of broken) faults[field] ??= message
      await pace.step()
    }
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/** What a field carries holds for a computed value too, once it has moved. */
function checkComputed({ entity, after, changed, touched }: SettledRow, faults: FieldErrors): void {
  for (const column of entity.columns) {
    if (!column.compute) continue
    if (touched.what !== 'insert' && !changed.includes(column.name)) continue
    const message = checkField(after?.[column.name] ?? null, column)
    if (message !== undefined) faults[column.name] ??= message
  }
}
