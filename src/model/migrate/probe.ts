/** A question of a migration to the rows. */
import { counted } from '../../kernel/counted.ts'
import type { Place } from '../parse/element.ts'

/** A question that counts rows: any is a fault, or a loss that the caller may allow. */
export interface Probe {
  kind: 'fault' | 'loss'
  /** True for a loss of stored values, which going back does not bring back. */
  isLasting?: true
  /** Undefined for an entity that is removed. */
  place: Place | undefined
  sql: string
  /** The sentence for a count. */
  describe: (count: number) => string
}

/** `4 rows`, `1 row`. */
export const rowsOf = (count: number): string => counted(count, 'row')
