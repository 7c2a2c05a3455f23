/** What a filter is planned with, and one condition of it. */
import type { Grant } from '../../../access/grant.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Bindings } from '../bindings.ts'
import type { Operator } from '../filter-schema.ts'

/** What a filter is planned with. */
export interface FilterScope {
  view: View
  grant: Grant
  bindings: Bindings
  /** The caller's zone and its present day, for date words and days of instants. */
  zone: string
  today: string
  /**
   * Set where texts are matched: that reads whole texts of all rows, so its time depends on the
   * search text, and it may not keep the serving thread.
   */
  matchesText: boolean
  /** Whether Parameters narrow the rows to those of a parent. */
  isOfParent: boolean
}

/** A filter whose names are known and whose value fits. */
export interface FieldCondition {
  field: Field
  operator: Operator
  value: unknown
}
