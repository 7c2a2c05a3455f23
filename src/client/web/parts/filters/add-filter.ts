/** Filters by a value that is seen: what a cell of a grid holds. */
import { zone } from '../../texts/texts.ts'
import {
  type FilterNode,
  type FilterScalar,
  type GridFilter,
  isGroup,
  readSentFilters,
  writeFilters,
} from '../../state/filter-tree.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import { groupCondition } from '../../state/group-condition.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { operatorsOf, valueKindsOf } from '../../fields/filter-kinds.ts'
import { oppositeOf, VALUE_OPERATORS } from '../../fields/operators.ts'
import { wallTimeOf } from '../../fields/zone-time.ts'

const { same, sameOfMany, missing, present } = VALUE_OPERATORS

/**
 * The filter by a value of a field, or the one that excludes it: rows of the same day for an
 * instant, rows without a value for none; for files and JSON rows that have some.
 */
export function planValueFilter(
  field: MetadataField,
  value: unknown,
  isExcluded = false,
): GridFilter {
  const { Operator, Value } = compareWith(field, value)
  return {
    Field: field.Name,
    Operator: isExcluded ? oppositeOf(Operator) : Operator,
    Value,
  }
}

function compareWith(field: MetadataField, value: unknown) {
  if (value === null || value === undefined || value === '')
    return { Operator: missing, Value: null }
  if (!operatorsOf(field).includes(same)) return { Operator: present, Value: null }
  if (Array.isArray(value)) return { Operator: sameOfMany, Value: value.map(toScalar) }
  const isInstant = valueKindsOf(field).includes('time')
  return {
    Operator: same,
    Value: isInstant ? wallTimeOf(String(value), zone.value).slice(0, 10) : toScalar(value),
  }
}

const toScalar = (value: unknown): FilterScalar =>
  typeof value === 'number' || typeof value === 'boolean' ? value : String(value)

/** Opposites of the conditions of a group. */
const OUTSIDE = { eq: 'ne', isNull: 'isNotNull', ge: 'lt', le: 'gt' } as const

/** The conditions of a group by its name (`Status`, `OrderedAt:month`), or those of all others. */
export function planGroupFilter(name: string, value: unknown, isExcluded: boolean): FilterNode[] {
  const within = readSentFilters(groupCondition(name, value))
  if (!isExcluded) return within
  const outside = within.map((node) =>
    isGroup(node) ? node : { ...node, Operator: OUTSIDE[node.Operator as keyof typeof OUTSIDE] },
  )
  return outside.length > 1 ? [{ Logic: 'or', Filters: outside }] : outside
}

/** Narrows the rows that are shown to those with this value of a field, or to all others. */
export const addFilter = (field: MetadataField, value: unknown, isExcluded = false): void =>
  addFilters([planValueFilter(field, value, isExcluded)])

/** Narrows the rows that are shown to those of a group, or to all others. */
export const addGroupFilter = (name: string, value: unknown, isExcluded: boolean): void =>
  addFilters(planGroupFilter(name, value, isExcluded))

function addFilters(added: readonly FilterNode[]): void {
  const { filters } = gridQuery.peek()
  const known = new Set(filters.map((each) => writeFilters([each])))
  const others = added.filter((each) => !known.has(writeFilters([each])))
  if (others.length > 0) setFilters([...filters, ...others])
}
