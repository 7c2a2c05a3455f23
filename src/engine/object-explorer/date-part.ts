/** Days, months, quarters and years of dates and instants, as SQL in a zone. */
import { listOffsets, type ZoneOffset } from '../../kernel/zones.ts'
import type { FieldType } from '../../model/model.ts'

export const DATE_PARTS = ['day', 'month', 'quarter', 'year'] as const
export type DatePart = (typeof DATE_PARTS)[number]

/** A part of a date as text: `2026-11-21`, `2026-11`, `2026-Q4`, `2026`. */
export function composePart(column: string, type: FieldType, part: DatePart, zone: string): string {
  const day = type === 'DateTime' ? `date(${column}, ${composeShift(column, zone)})` : column
  if (part === 'day') return day
  if (part === 'month') return `substr(${day}, 1, 7)`
  if (part === 'year') return `substr(${day}, 1, 4)`
  const month = `CAST(substr(${day}, 6, 2) AS INTEGER)`
  return `substr(${day}, 1, 4) || '-Q' || ((${month} + 2) / 3)`
}

/** What turns an instant into local time: the offset that held then, found by halves. */
function composeShift(column: string, zone: string): string {
  const offsets = listOffsets(zone)
  const compose = (list: readonly ZoneOffset[]): string => {
    const half = list.length >> 1
    const middle = list[half]
    if (half === 0 || !middle) return `'${list[0]?.seconds ?? 0} seconds'`
    const [before, after] = [compose(list.slice(0, half)), compose(list.slice(half))]
    return before === after
      ? before
      : `CASE WHEN ${column} < '${middle.from}' THEN ${before} ELSE ${after} END`
  }
  return compose(offsets)
}
