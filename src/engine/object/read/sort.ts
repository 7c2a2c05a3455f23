/**
 * Order of a grid: the requested one, else the view's, and always the key last, so that pages are
 * stable.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import {
  composeTextOrder,
  isColumnOrdered,
  isLongText,
  isTextOrdered,
} from '../../../model/sql/text-order.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { requireListed } from './find-view.ts'
import { composeValue, isSeen } from './labels.ts'
import { findOutput } from './query-shape.ts'

export interface SortColumn {
  field: Field
  /** The value as SQL over a row of the view. */
  sql: string
  /** Turns a value, as SQL, into its sort key: texts are sorted as people do. */
  toOrder: (value: string) => string
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
          ? [planColumn(view, field, grant, item.direction === 'desc')]
          : []
      })
  if (requested.length > SORT_MAX) throw invalid(say`You can sort by at most ${SORT_MAX} fields`)
  const columns: SortColumn[] = []
  for (const column of requested) {
    if (!columns.some((known) => known.field === column.field)) columns.push(column)
  }
  const descending = columns.at(-1)?.descending ?? false
  for (const field of view.keys) {
    if (columns.some((known) => known.field === field)) continue
    // A column that only tells equal rows apart stays as stored, which an index has anyway.
    const isTie = columns.length > 0
    const column = planColumn(view, field, grant, descending)
    columns.push(isTie ? { ...column, toOrder: asStored } : column)
  }
  return columns
}

function parseItem(
  view: View,
  grant: Grant,
  item: { Field: string; Direction?: string },
): SortColumn {
  const field = requireListed(view, grant, item.Field)
  if (field.link) throw invalid(say`Sort by '${field.name}': a list of keys cannot be sorted`)
  const direction = (item.Direction ?? 'asc').toLowerCase()
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalid(say`Sort by '${field.name}': the direction must be asc or desc`)
  }
  return planColumn(view, field, grant, direction === 'desc')
}

const asStored = (value: string): string => value

function planColumn(view: View, field: Field, grant: Grant, descending: boolean): SortColumn {
  const isOrdered = field.column ? isColumnOrdered(field.column) : isTextOrdered(field)
  const value = composeValue(field, grant)
  if (!isOrdered) return { field, sql: value, toOrder: asStored, descending }
  // An expression of the query is computed once, not at each mention.
  const sql = isStored(view, field) ? value : `(${value})`
  const isLong = field.column === undefined || isLongText(field.column)
  // A value that is given may be longer than the column lets be stored.
  const toOrder = (each: string): string => composeTextOrder(each, isLong || each !== sql)
  return { field, sql, toOrder, descending }
}

/** Tells whether a value is that of a table's column. */
const isStored = (view: View, field: Field): boolean =>
  field.labelOf === undefined &&
  (field.column !== undefined || findOutput(view.query, field.name)?.table !== undefined)

/** The columns after ORDER BY; none for rows without a key when no order is requested. */
export const composeOrder = (columns: readonly SortColumn[]): string =>
  columns.map((c) => `${c.toOrder(c.sql)}${c.descending ? ' DESC' : ''}`).join(', ')
