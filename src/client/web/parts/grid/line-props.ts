/** The parts that a line of a grid is drawn from. */
import type { GridLine } from '../../state/grid-lines.ts'
import type { GridState } from './grid-state.ts'

/** A line with its state. */
export interface LineProps {
  state: GridState
  line: GridLine
  at: number
  isSelected: boolean
  /** True while a change of the row is not stored yet. */
  isPending: boolean
  /** The column with the focus; undefined where another line has it. */
  here: number | undefined
  /** The column that Tab leads to; undefined where it leads elsewhere. */
  reachable: number | undefined
  /** Columns that are drawn: of many only those in sight. */
  shown: readonly [number, number]
  /** True in a frame that leaves its cells as they were: nobody sees them. */
  isLater: boolean
}
