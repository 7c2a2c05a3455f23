/** The rules of entities, for all records that a transaction touched, as they will be stored. */
import { checkField, checkLength } from '../../../model/fields/check.ts'
import type { View } from '../../../model/model.ts'
import type { Tx } from '../../../store/store.ts'
import { breakRecords, type BrokenField } from '../rules/broken-records.ts'
import type { Context } from '../context.ts'
import { findBroken } from '../rules/entity-rules.ts'
import { formerOf } from '../record/former.ts'
import type { WorkPace } from '../work-pace.ts'
import type { WrittenRow, WrittenRows } from '../record/written-row.ts'
import { inChunks } from '../record/stored-rows.ts'

/** What the rules are judged on. */
export interface RulesScope {
  tx: Tx
  rows: WrittenRows
  context: Context
  yielder: WorkPace
  /** Through which the change came, if it came through one. */
  view: View | undefined
}

/** @throws validation with every rule that does not hold, on the fields of its record. */
export async function requireWrittenRules(scope: RulesScope): Promise<void> {
  const { tx, rows, context, yielder, view } = scope
  const faults: BrokenField[] = []
  const kept = [...rows.values()].flatMap((row) => (row.after ? [{ ...row, row: row.after }] : []))
  for (const row of kept) faults.push(...checkWritten(row))
  const ruled = kept.filter(({ entity }) => entity.validates.length > 0)
  for (const [entity, list] of Map.groupBy(ruled, (row) => row.entity)) {
    for (const chunk of inChunks(list)) {
      const records = chunk.map(({ row, touched }) => {
        return { row, key: touched.key, former: formerOf(touched, row) }
      })
      const broken = await findBroken(tx, entity.validates, { entity, records, context })
      for (const { record, field, message } of broken) {
        faults.push({ entity, key: record.key, field, message })
      }
      await yielder.yieldWhenDue()
    }
  }
  if (faults.length > 0) throw breakRecords(faults, view)
}

/**
 * What a field carries holds for a computed value too, once it has moved, and no statement writes a
 * text that is longer than its column holds.
 */
function checkWritten({ entity, after, changed, touched }: WrittenRow): BrokenField[] {
  return entity.columns.flatMap((column) => {
    if (!column.compute && column.type !== 'Text') return []
    if (touched.what !== 'insert' && !changed.includes(column.name)) return []
    const value = after?.[column.name] ?? null
    const message = column.compute ? checkField(value, column) : checkLength(value, column)
    return message === undefined ? [] : [{ entity, key: touched.key, field: column.name, message }]
  })
}
