/** Rows of a grid that are loaded. */
import type { Schemas } from '../../api/wire.ts'
import type { GridSource } from '../../state/grid-source.ts'

/** Rows that are loaded near the sight, as they tell how wide columns are. */
export function listLoaded(
  source: GridSource,
  first: number,
  count: number,
): Schemas['FieldValues'][] {
  const rows: Schemas['FieldValues'][] = []
  for (let at = first; at < source.length && rows.length < count; at++) {
    const row = source.at(at)?.row
    if (row) rows.push(row)
    else if (rows.length > 0) break
  }
  return rows
}
