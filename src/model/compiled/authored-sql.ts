/** SQL that an author wrote, after it passed the gate. */
import type { Place } from '../parse/element.ts'

/** Authored SQL that passed the gate. `text` is verbatim. */
export interface AuthoredSql {
  text: string
  place: Place
  /** Names of the `@` parameters, without it, spelled as in the text. */
  parameters: readonly string[]
  /** Tables read, by their names in the database (published `svc_` names included). */
  reads: readonly string[]
  writes: readonly string[]
  /** Output columns; `table` and `column` where the column comes straight from a table. */
  columns: readonly OutputColumn[]
  /** `table.Column` of every cell that it takes from a table, but for keys found by an index. */
  cells: readonly string[]
  /**
   * False when it recurses, or takes as long as the values make it that it meets: such a statement
   * never earns the serving thread.
   */
  mayRunInline: boolean
  /** A WITH clause opens a data-changing statement: offset of the text after `WITH [RECURSIVE]`. */
  withAt: number | undefined
}

export interface OutputColumn {
  name: string
  table: string | undefined
  column: string | undefined
  /**
   * Decimal places of the sum, difference or product that it is; its cells are shown with no more.
   */
  scale?: number | undefined
}

/** An authored condition on a view's output columns (row filter, Permit, Preset, When). */
export interface AuthoredCondition {
  text: string
  place: Place
  parameters: readonly string[]
  reads: readonly string[]
  mayRunInline: boolean
}
