/** The keys of a grid: arrows move, Enter opens, Space selects, F2 edits, heads sort and move. */
import { go } from '../../state/address.ts'
import { afterFrame } from '../../state/after-frame.ts'
import type { GridLine } from '../../state/grid-lines.ts'
import { toggleSort } from '../../state/grid-query.ts'
import { type CellPlace, movePlace } from '../cell-place.ts'
import { openCellMenu } from './cell-menu-target.ts'
import { drawnWidth, moveColumn, resizeColumn } from './column-moves.ts'
import { type GridState, HEAD_ROW } from './grid-state.ts'

/** A step of a width by keys, in pixels. */
const WIDTH_STEP = 16

const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLButtonElement

/** Follows a key in a grid; `edit` begins to edit the cell with the focus. */
export function followGridKey(event: KeyboardEvent, state: GridState, edit: () => void): void {
  if (state.edited.peek() || event.defaultPrevented) return
  // A box and the button of a head take these keys themselves.
  if (isControl(event.target) && (event.key === ' ' || event.key === 'Enter')) return
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    if (openCellMenu(event.target, state)) event.preventDefault()
    return
  }
  const place = state.place.peek() ?? { row: state.sight.first.peek(), column: 0 }
  const isDone =
    place.row === HEAD_ROW
      ? followHeadKey(event, place, state)
      : followLineKey(event, place, state, edit) || followMove(event, place, state)
  if (isDone) event.preventDefault()
}

function followMove(event: KeyboardEvent, place: CellPlace, state: GridState): boolean {
  if (event.altKey) return false
  if (event.key === 'ArrowUp' && place.row === 0 && !state.isNarrow) {
    state.go({ row: HEAD_ROW, column: place.column })
    return true
  }
  const far = state.sight.linesInSight
  const paged = { PageUp: -far, PageDown: far }[event.key]
  const last = Math.max(0, state.source.length - 1)
  if (paged !== undefined) {
    state.go({ ...place, row: Math.max(0, Math.min(last, place.row + paged)) })
    return true
  }
  const moved = movePlace(place, event, {
    rows: state.source.length,
    columns: state.columnCount,
    isRightToLeft: isRightToLeft(),
  })
  if (!moved) return false
  if (event.shiftKey && moved.row !== place.row) state.toggle(moved.row, true)
  state.go(moved)
  return true
}

function followLineKey(
  { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  place: CellPlace,
  state: GridState,
  edit: () => void,
): boolean {
  const line = state.source.at(place.row)
  if (!line) return false
  if (ctrlKey || metaKey) return false
  if (key === ' ') {
    if (line.group) line.group.toggle()
    else state.toggle(place.row, shiftKey)
    return true
  }
  if (key === 'Enter') {
    openLine(line, state, place.row)
    return true
  }
  if (key === 'F2' && line.row) {
    edit()
    return true
  }
  const opens = isRightToLeft() ? 'ArrowLeft' : 'ArrowRight'
  const closes = isRightToLeft() ? 'ArrowRight' : 'ArrowLeft'
  const turns = line.group ?? (place.column <= 1 ? line.branch : undefined)
  if (!turns || (turns.isOpen ? key !== closes : key !== opens)) return false
  turns.toggle()
  return true
}

/** Opens a record, or the rows of a group. */
export function openLine(line: GridLine, state: GridState, at: number): void {
  if (line.group) line.group.toggle()
  if (!line.row) return
  state.leave(at)
  const address = state.addressOf(line.row, at)
  afterFrame(() => go(address))
}

function followHeadKey(event: KeyboardEvent, place: CellPlace, state: GridState): boolean {
  const { key, altKey, shiftKey } = event
  const at = place.column - 1
  const column = state.columns[at]
  const ahead = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
  const step = isRightToLeft() ? -ahead : ahead
  if (altKey && step !== 0 && column) {
    if (shiftKey) resizeColumn(state, at, drawnWidth(at) + step * WIDTH_STEP)
    else if (moveColumn(state, at, at + step)) state.go({ ...place, column: place.column + step })
    return true
  }
  if (step !== 0) {
    const last = state.columns.length
    state.go({ ...place, column: Math.max(0, Math.min(last, place.column + step)) })
    return true
  }
  if (key === 'ArrowDown') {
    state.go({ row: state.sight.first.peek(), column: place.column })
    return true
  }
  if (key === 'Enter' && column) {
    afterFrame(() => toggleSort(column.field.Name, shiftKey))
    return true
  }
  return false
}
