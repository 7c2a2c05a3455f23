/** What the settle pass knows of a record that was touched. */
import type { Entity } from '../../model/model.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { TouchedRow } from '../../store/store.ts'

/** A touched record with its row after the change. */
export interface SettledRow {
  entity: Entity
  touched: TouchedRow
  after: SqlRow | undefined
  /** Names of the declared columns that moved. */
  changed: readonly string[]
}
