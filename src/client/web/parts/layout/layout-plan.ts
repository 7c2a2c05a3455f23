/** The layout of a grid while its dialog changes it: every column, shown or not, in its order. */
import type { Schemas } from '../../api/wire.ts'
import { setQuery } from '../../state/address.ts'
import {
  columnTotals,
  type GridColumn,
  groupNames,
  listColumns,
  listGridFields,
  type Pin,
  writeColumns,
  writeTotals,
} from '../../state/grid-layout.ts'

type Metadata = Schemas['MetadataResult']

/** A column of the dialog. */
export interface PlannedColumn extends GridColumn {
  isShown: boolean
  /** How it is summed up; empty where it is not. */
  total: string
}

/** The layout that is changed. */
export interface LayoutPlan {
  columns: readonly PlannedColumn[]
  groups: readonly string[]
}

const totalOf = (name: string): string =>
  columnTotals.peek().find(({ field }) => field === name)?.function ?? ''

/** The layout of the present address, with the columns that it hides behind those it shows. */
export function readLayout(metadata: Metadata): LayoutPlan {
  const shown = listColumns(metadata)
  const hidden = listGridFields(metadata).filter(
    ({ Name }) => !shown.some(({ field }) => field.Name === Name),
  )
  return {
    columns: [
      ...shown.map((column) => ({
        ...column,
        isShown: true,
        total: totalOf(column.field.Name),
      })),
      ...hidden.map((field) => ({
        field,
        width: undefined,
        pin: undefined,
        isShown: false,
        total: totalOf(field.Name),
      })),
    ],
    groups: groupNames.peek(),
  }
}

/** The layout of the view itself. */
export const standardLayout = (metadata: Metadata): LayoutPlan => ({
  columns: listGridFields(metadata).map((field) => ({
    field,
    width: undefined,
    pin: undefined,
    isShown: true,
    total: '',
  })),
  groups: [],
})

/** Changes a column of the layout. */
export const changeColumn = (
  plan: LayoutPlan,
  name: string,
  changes: Partial<PlannedColumn>,
): LayoutPlan => ({
  ...plan,
  columns: plan.columns.map((column) =>
    column.field.Name === name ? { ...column, ...changes } : column,
  ),
})

/** Moves a column up or down by a place. */
export function shiftColumn(plan: LayoutPlan, name: string, step: 1 | -1): LayoutPlan {
  const at = plan.columns.findIndex(({ field }) => field.Name === name)
  const other = plan.columns[at + step]
  const moved = plan.columns[at]
  if (!moved || !other) return plan
  return { ...plan, columns: plan.columns.with(at, other).with(at + step, moved) }
}

/** Moves a column to the place of another. */
export function placeColumn(plan: LayoutPlan, name: string, other: string): LayoutPlan {
  const moved = plan.columns.find(({ field }) => field.Name === name)
  const to = plan.columns.findIndex(({ field }) => field.Name === other)
  if (!moved || to < 0) return plan
  const left = plan.columns.filter((column) => column !== moved)
  return { ...plan, columns: [...left.slice(0, to), moved, ...left.slice(to)] }
}

/** True where the columns are those of the view, as it has them. */
function isStandard({ columns }: LayoutPlan, metadata: Metadata): boolean {
  const names = listGridFields(metadata).map(({ Name }) => Name)
  return columns.every(
    ({ field, isShown, width, pin }, at) =>
      field.Name === names[at] && isShown && width === undefined && pin === undefined,
  )
}

/** Shows a layout: it is one step for Back. */
export function applyLayout(plan: LayoutPlan, metadata: Metadata): void {
  const shown = plan.columns.filter(({ isShown }) => isShown)
  const totals = plan.columns.flatMap(({ field, total, isShown }) =>
    isShown && total !== '' ? [{ field: field.Name, function: total as 'sum' }] : [],
  )
  setQuery({
    columns: isStandard(plan, metadata) ? undefined : writeColumns(shown),
    totals: writeTotals(totals),
    group: plan.groups.join(',') || undefined,
    row: undefined,
  })
}

/** A pin as a choice has it. */
export const readPin = (text: string): Pin | undefined =>
  text === 'start' || text === 'end' ? text : undefined
