/** Filters by a value that is seen: what a cell of a grid holds. */
import { zone } from '../../texts/texts.ts'
import {
  type FilterScalar,
  type GridFilter,
  isGroup,
  writeFilters,
} from '../../state/filter-tree.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { operatorsOf, valueKindsOf } from '../../fields/filter-kinds.ts'
import { VALUE_OPERATORS } from '../../fields/operators.ts'
import { wallTimeOf } from '../../fields/zone-time.ts'

const { same, sameOfMany, missing, present } = VALUE_OPERATORS

/**
 * The filter by a value of a field: rows of the same day for an instant, rows without a value for
 * none; for files and JSON rows that have some.
 */
export function planValueFilter(field: MetadataField, value: unknown): GridFilter {
  const { Name: Field } = field
  if (value === null || value === undefined || value === '')
    return { Field, Operator: missing, Value: null }
  if (!operatorsOf(field).includes(same)) return { Field, Operator: present, Value: null }
  if (Array.isArray(value)) return { Field, Operator: sameOfMany, Value: value.map(toScalar) }
  const isInstant = valueKindsOf(field).includes('time')
  const Value = isInstant ? wallTimeOf(String(value), zone.value).slice(0, 10) : toScalar(value)
  return { Field, Operator: same, Value }
}

const toScalar = (value: unknown): FilterScalar =>
  typeof value === 'number' || typeof value === 'boolean' ? value : String(value)

/** Shows the rows with this value of a field, among those that are shown. */
export function addFilter(field: MetadataField, value: unknown): void {
  const added = planValueFilter(field, value)
  const { filters } = gridQuery.peek()
  const isThere = filters.some(
    (each) => !isGroup(each) && writeFilters([each]) === writeFilters([added]),
  )
  if (!isThere) setFilters([...filters, added])
}
