/** Widths of columns by what they hold: measured once on a canvas, without a layout. */
import type { Schemas } from '../../api/wire.ts'
import type { GridColumn } from '../../state/grid-layout.ts'
import { formatField } from '../../fields/kinds.ts'

type Row = Schemas['FieldValues']

/** The spaces at both sides of a cell. */
const PADDING = 26

/** Room for the arrow of a sorted column. */
const ARROW = 18

const WIDTH_MIN = 72
const WIDTH_MAX = 320

/** Rows that tell how wide a column is. */
const ROWS_MEASURED = 40

/** Widths of columns in pixels, for these rows; a width that the user gave is theirs. */
export function measureColumns(columns: readonly GridColumn[], rows: readonly Row[]): number[] {
  if (columns.length === 0) return []
  const context = document.createElement('canvas').getContext('2d')
  const family = getComputedStyle(document.body).fontFamily
  // A browser reads a font anew each time that it is set, and a text of before is as wide.
  const measure = (texts: Iterable<string>, weight: number): number[] => {
    if (context) context.font = `${weight} 13px ${family}`
    return Array.from(texts, (text) => context?.measureText(text).width ?? text.length * 8)
  }
  const shown = rows.slice(0, ROWS_MEASURED)
  return columns.map(({ field, width }) => {
    if (width !== undefined) return width
    const texts = new Set(shown.map((row) => formatField(field, row)))
    const head = measure([field.Label], 600).map((each) => each + ARROW)
    const widest = Math.max(...head, ...measure(texts, 400))
    return Math.ceil(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, widest + PADDING)))
  })
}

/** The tracks of a line: columns that the user left alone share what is left over. */
export function planTracks(columns: readonly GridColumn[], widths: readonly number[]): string {
  const isOpen = ({ width, pin }: GridColumn): boolean => width === undefined && pin === undefined
  const tracks = columns.map((column, at) => {
    const width = widths[at] ?? WIDTH_MIN
    return isOpen(column) ? `minmax(${width}px, ${width}fr)` : `${width}px`
  })
  // Where each width is given, what is left over stays empty at the end.
  return [...tracks, ...(columns.some(isOpen) ? [] : ['1fr'])].join(' ')
}
