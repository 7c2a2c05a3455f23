/** The cell of a table that has the focus, and where keys lead from it. */

/** A cell by the numbers of its row and column, both from 0. */
export interface CellPlace {
  row: number
  column: number
}

const PAGE_ROWS = 10

/** Places that a key leads to; undefined where it does not move. */
export function movePlace(
  { row, column }: CellPlace,
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>,
  { rows, columns, isRightToLeft }: { rows: number; columns: number; isRightToLeft: boolean },
): CellPlace | undefined {
  const isFar = ctrlKey || metaKey
  const ahead = isRightToLeft ? -1 : 1
  const within = (wanted: CellPlace): CellPlace => ({
    row: Math.max(0, Math.min(rows - 1, wanted.row)),
    column: Math.max(0, Math.min(columns - 1, wanted.column)),
  })
  switch (key) {
    case 'ArrowUp':
      return within({ row: isFar ? 0 : row - 1, column })
    case 'ArrowDown':
      return within({ row: isFar ? rows - 1 : row + 1, column })
    case 'ArrowRight':
      return within({ row, column: column + ahead })
    case 'ArrowLeft':
      return within({ row, column: column - ahead })
    case 'Home':
      return within({ row: isFar ? 0 : row, column: 0 })
    case 'End':
      return within({ row: isFar ? rows - 1 : row, column: columns - 1 })
    case 'PageUp':
      return within({ row: row - PAGE_ROWS, column })
    case 'PageDown':
      return within({ row: row + PAGE_ROWS, column })
    default:
      return undefined
  }
}

/** The next cell in reading order that can be typed in, forwards or back; undefined at the end. */
export function nextPlace(
  from: CellPlace,
  step: 1 | -1,
  { rows, columns }: { rows: number; columns: number },
  isWritable: (place: CellPlace) => boolean,
): CellPlace | undefined {
  for (
    let at = from.row * columns + from.column + step;
    at >= 0 && at < rows * columns;
    at += step
  ) {
    const place = { row: Math.floor(at / columns), column: at % columns }
    if (isWritable(place)) return place
  }
  return undefined
}
