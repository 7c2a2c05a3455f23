/** Columns that are moved and made wider, by keys and by the mouse. */
import { setColumns } from '../../state/grid-layout.ts'
import type { GridState } from './grid-state.ts'

const WIDTH_MIN = 48
const WIDTH_MAX = 1200

/** The width of a column as it is drawn. */
export const drawnWidth = (at: number): number =>
  document.querySelector<HTMLElement>(`.grid-heads [data-column='${at + 1}']`)?.offsetWidth ?? 120

/** Puts a column into the place of another; false where there is none. */
export function moveColumn({ columns }: GridState, from: number, to: number): boolean {
  const [moved, other] = [columns[from], columns[to]]
  if (!moved || !other || from === to) return false
  const left = columns.filter((each) => each !== moved)
  // A column joins the edge of the one whose place it takes.
  const joined = { ...moved, pin: other.pin }
  setColumns([...left.slice(0, to), joined, ...left.slice(to)], { replace: true })
  return true
}

/** Makes a column as wide as this, in pixels. */
export function resizeColumn({ columns }: GridState, at: number, width: number): void {
  const wanted = limitWidth(width)
  setColumns(
    columns.map((column, each) => (each === at ? { ...column, width: wanted } : column)),
    { replace: true },
  )
}

/** A width between the smallest and the largest that a column has. */
export const limitWidth = (width: number): number =>
  Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, Math.round(width)))
