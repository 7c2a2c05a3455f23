/** Trees (`Parent="…"`): no record may stand below itself, by whatever path it was moved there. */
import { say } from '../../../kernel/messages.ts'
import type { Entity, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import type { Tx } from '../../../store/store.ts'
import { breakRecords } from '../rules/broken-records.ts'
import type { WrittenRow, WrittenRows } from '../record/written-row.ts'
import { inChunks, toKeyList } from '../record/stored-rows.ts'

/**
 * @throws validation on the parent's field when one of the records, as they are stored now, is
 * among those that stand above it. Whatever closes a circle moved one of its records.
 */
export async function requireTrees(
  tx: Tx,
  rows: WrittenRows,
  view: View | undefined,
): Promise<void> {
  const moved = [...rows.values()].filter(({ entity, after, changed }) => {
    const { parent } = entity
    return parent !== undefined && after && after[parent] !== null && changed.includes(parent)
  })
  for (const [entity, list] of Map.groupBy(moved, (row) => row.entity)) {
    for (const chunk of inChunks(list)) {
      const start = await findCircle(tx, entity, chunk)
      if (start) throw breakRecords([tell(start)], view)
    }
  }
}

function tell({ entity, touched }: WrittenRow) {
  const field = entity.parent ?? ''
  const label = entity.columnByName.get(field.toLowerCase())?.label ?? field
  const message = say`${label}: a record cannot stand below itself`
  return { entity, key: touched.key, field, message }
}

/** One of the records that stands below itself. */
async function findCircle(
  tx: Tx,
  entity: Entity,
  moved: readonly WrittenRow[],
): Promise<WrittenRow | undefined> {
  const [key] = entity.keys
  const { parent } = entity
  if (!key || parent === undefined) return undefined
  const table = `main.${quote(entity.table)}`
  const [id, above] = [quote(key.name), quote(parent)]
  const keys = toKeyList(moved.map((row) => row.touched.key))
  const { rows } = await tx.authored(
    `WITH RECURSIVE svc_above(Start, At) AS (
       SELECT ${id}, ${above} FROM ${table} WHERE ${id} IN (SELECT value FROM json_each(@keys))
       UNION
       SELECT a.Start, t.${above} FROM svc_above a JOIN ${table} t ON t.${id} = a.At
       WHERE a.At IS NOT a.Start
     ) SELECT Start FROM svc_above WHERE Start = At LIMIT 1`,
    { keys },
  )
  const [start] = rows
  return start && moved.find(({ touched }) => touched.key[0] === start.Start)
}
