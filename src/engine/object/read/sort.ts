/**
 * Order of a grid: what was requested, else the view's, and always the key last, so that pages are
 * stable.
 */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { requireListed } from './find-view.ts'
import { composeValue, isSeen } from './labels.ts'

export interface SortColumn {
  field: Field
  /** The value as SQL over a row of the view. */
  sql: string
  descending: boolean
}

/** Fields of one order; more of them say nothing. */
export const SORT_MAX = 10

/** @throws invalid for an unknown field or direction. */
export function planSort(
  view: View,
  grant: Grant,
  items: readonly { Field: string; Direction?: string }[] | null | undefined,
): SortColumn[] {
  const requested = items?.length
    ? items.map((item) => parseItem(view, grant, item))
    : view.sort.flatMap((item) => {
        const field = view.fieldByName.get(item.field.toLowerCase())
        return field && isSeen(grant, field)
          ? [planColumn(field, grant, item.direction === 'desc')]
          : []
      })
  if (requested.length > SORT_MAX) throw invalid(say`Sort takes at most ${SORT_MAX} fields`)
  const columns: SortColumn[] = []
  for (const column of requested) {
    if (!columns.some((known) => known.field === column.field)) columns.push(column)
  }
  const descending = columns.at(-1)?.descending ?? false
  for (const field of view.keys) {
    if (!columns.some((known) => known.field === field))
      columns.push(planColumn(field, grant, descending))
  }
  return columns
}

function parseItem(
  view: View,
  grant: Grant,
  item: { Field: string; Direction?: string },
): SortColumn {
  const field = requireListed(view, grant, item.Field)
  if (field.link) throw invalid(say`Sort of '${field.name}': a list of keys has no order`)
  const direction = (item.Direction ?? 'asc').toLowerCase()
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalid(say`Sort of '${field.name}': the direction is asc or desc`)
  }
  return planColumn(field, grant, direction === 'desc')
}

function planColumn(field: Field, grant: Grant, descending: boolean): SortColumn {
  return { field, sql: composeValue(field, grant), descending }
}

/** The columns as they stand after ORDER BY; none for rows without a key, requested in no order. */
export function composeOrder(columns: readonly SortColumn[]): string {
  return columns.map((c) => `${c.sql}${c.descending ? ' DESC' : ''}`).join(', ')
}
