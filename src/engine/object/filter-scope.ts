/** What a filter is planned with, and one condition of it. */
import type { Grant } from '../../access/grant.ts'
import type { Field, View } from '../../model/model.ts'
import type { Bindings } from './bindings.ts'
import type { Operator } from './schema.ts'

/** What a filter is planned with. */
export interface FilterScope {
  view: View
  grant: Grant
  bindings: Bindings
  /** The caller's zone and its present day, for date words and days of instants. */
  zone: string
  today: string
}

/** A filter whose names are known and whose value fits. */
export interface FieldCondition {
  field: Field
  operator: Operator
  value: unknown
}
