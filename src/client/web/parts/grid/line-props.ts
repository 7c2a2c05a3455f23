/** The parts that a line of a grid is drawn from. */
import type { GridLine } from '../../state/grid-lines.ts'
import type { GridState } from './grid-state.ts'

/**
 * Cells that a later frame draws: `stale` ones show their row as it was, or that it is awaited;
 * `hidden` ones are those of another line, and are not seen.
 */
export type Lateness = 'stale' | 'hidden'

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
  /** How its cells are in a frame that leaves them as they were; undefined where they are drawn. */
  late: Lateness | undefined
}
