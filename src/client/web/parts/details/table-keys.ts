/** The keys of a table that is typed in. */
import type { DetailRows } from '../../state/detail-rows.ts'
import { type CellPlace, movePlace, nextPlace } from '../cell-place.ts'
import { beginEdit, listWritable, type TableState } from './table-state.ts'
import { isListOpen } from '../open-list.ts'

/** The table that keys are pressed in. */
interface KeyContext {
  rows: DetailRows
  state: TableState
  onAdd: (() => void) | undefined
}

/** Follows a key in the table: it moves, begins an edit, or belongs to the open one. */
export function followKey(event: KeyboardEvent, context: KeyContext): void {
  const { state } = context
  const place = state.place.value
  if (!place) return followFirstKey(event, context)
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') return
  if (state.isEditing.value) followKeyOfEdit(event, place, context)
  else followKeyOfCell(event, place, context)
}

/** The first key in a table that has no place yet: it was reached by Tab. */
function followFirstKey(event: KeyboardEvent, context: KeyContext): void {
  if (!(event.target instanceof HTMLTableCellElement)) return
  context.state.place.value = { row: 0, column: 0 }
  followKey(event, context)
}

const sizeOf = ({ rows }: KeyContext) => ({
  rows: rows.rows.value.length,
  columns: rows.fields.value.length,
})

function followKeyOfCell(event: KeyboardEvent, place: CellPlace, context: KeyContext): void {
  const { rows, state } = context
  if (!(event.target instanceof HTMLTableCellElement)) return
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const moved = movePlace(place, event, { ...sizeOf(context), isRightToLeft })
  if (moved) {
    event.preventDefault()
    state.go(moved)
    return
  }
  if (rows.isShut.value) return
  const row = rows.rows.value[place.row]
  if (event.key === 'Delete' && (event.ctrlKey || event.metaKey)) {
    if (row && (row.isNew || rows.permissions.value?.Delete === true)) rows.remove(row)
    event.preventDefault()
    return
  }
  if (event.key === 'Insert' && context.onAdd) {
    event.preventDefault()
    context.onAdd()
    return
  }
  if (!listWritable(rows, place.row).includes(place.column)) return
  const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
  if (event.key === 'Enter' || event.key === 'F2' || isLetter) {
    event.preventDefault()
    beginEdit(rows, state, isLetter ? event.key : undefined)
  } else if (event.key === 'Delete' || event.key === 'Backspace') {
    const field = rows.fields.value[place.column]
    event.preventDefault()
    if (row && field) rows.edit(row).set(field, null)
    rows.rows.value = [...rows.rows.value]
  }
}

function followKeyOfEdit(event: KeyboardEvent, place: CellPlace, context: KeyContext): void {
  const { rows, state } = context
  const isNext = event.key === 'Enter' || event.key === 'Tab'
  if (event.key === 'Escape' && !isListOpen(event)) {
    const row = rows.rows.value[place.row]
    const field = rows.fields.value[place.column]
    if (row && field) rows.edit(row).set(field, state.before)
    event.preventDefault()
    event.stopPropagation()
    state.go({ ...place })
    return
  }
  if (!isNext || (event.key === 'Enter' && (isListOpen(event) || isLongText(event)))) return
  event.preventDefault()
  // A control takes what was typed into it when it loses the focus.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  const next =
    event.key === 'Enter'
      ? place.row + 1 < sizeOf(context).rows
        ? { row: place.row + 1, column: place.column }
        : undefined
      : nextPlace(place, event.shiftKey ? -1 : 1, sizeOf(context), (each) =>
          listWritable(rows, each.row).includes(each.column),
        )
  if (next) {
    state.go(next)
    if (listWritable(rows, next.row).includes(next.column)) beginEdit(rows, state)
  } else if (context.onAdd && !event.shiftKey) context.onAdd()
  else state.go({ ...place })
}

/** Enter in a text of several lines is a line. */
const isLongText = (event: KeyboardEvent): boolean =>
  event.composedPath()[0] instanceof HTMLTextAreaElement
