/** Comments and followers of deleted records go with them, by whatever path these were deleted. */
import type { Round } from './corrections.ts'
import { inChunks } from '../record/stored-rows.ts'
import { keyText } from '../record/written-row.ts'

const FORGET = ['svc_comments', 'svc_followers'].map(
  (table) =>
    `DELETE FROM ${table}
      WHERE Entity = @entity AND RecordKey IN (SELECT value FROM json_each(@keys))`,
)

/** Deletes what was said of the deleted records: another one of the same key has none of it. */
export async function forgetComments({ tx, rows, yielder }: Round): Promise<void> {
  const deleted = [...rows.values()].filter(({ after }) => after === undefined)
  for (const [{ name }, list] of Map.groupBy(deleted, ({ entity }) => entity)) {
    for (const chunk of inChunks(list)) {
      const keys = JSON.stringify(chunk.map(({ touched }) => keyText(touched.key)))
      for (const sql of FORGET) await tx.run(sql, { entity: name, keys })
      await yielder.yieldWhenDue()
    }
  }
}
