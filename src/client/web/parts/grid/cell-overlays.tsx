/** Parts over the cells of a grid: the editor of the one that is edited, the pencil, the menu. */
import { say } from '../../texts/texts.ts'
import { beginCellEdit, editNext, isEditable, loadedEditor } from './cell-edit.ts'
import { loadedMenu } from './cell-menu-target.ts'
import type { GridState } from './grid-state.ts'
import { Icon } from '../icon.tsx'

/** The cell of a line, as it is drawn. */
const findCell = (line: number, column: number): HTMLElement | null =>
  document.querySelector(`.grid-lines [data-line='${line}'] > [data-column='${column}']`)

/** The place of a cell among the lines, in pixels from where they begin. */
function boxOf(cell: HTMLElement) {
  const line = cell.parentElement
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const [width, height] = [cell.offsetWidth, cell.offsetHeight]
  const left = isRightToLeft ? (line?.offsetWidth ?? 0) - cell.offsetLeft - width : cell.offsetLeft
  return { left, top: line?.offsetTop ?? 0, width, height }
}

/** The editor over the cell that is edited. */
export function EditedCell({ state }: { state: GridState }) {
  const edited = state.edited.value
  const Editor = loadedEditor.value
  if (!edited || !Editor) return null
  const column = state.columns.findIndex(({ field }) => field.Name === edited.field)
  const cell = findCell(edited.line, column + 1)
  if (!cell) return null
  return (
    <Editor
      key={`${edited.line} ${edited.field}`}
      state={state}
      edited={edited}
      box={boxOf(cell)}
      onNext={(step) => editNext(state, step)}
    />
  )
}

/** A pencil at the cell under the mouse, where its value can be changed in place. */
export function Pencil({ state }: { state: GridState }) {
  const hovered = state.hovered.value
  const field = hovered && state.columns[hovered.column - 1]?.field
  if (!hovered || !field || !isEditable(field) || state.edited.value) return null
  const cell = findCell(hovered.row, hovered.column)
  if (!cell) return null
  const { left, top, width, height } = boxOf(cell)
  const edit = (event: MouseEvent): void => {
    event.stopPropagation()
    state.place.value = hovered
    void beginCellEdit(state)
  }
  return (
    <button
      type="button"
      class="grid-pencil icon-button"
      tabIndex={-1}
      aria-label={say('cellEdit', { label: field.Label })}
      title={say('cellEdit', { label: field.Label })}
      style={{
        insetInlineStart: `${left + width - 30}px`,
        insetBlockStart: `${top + (height - 28) / 2}px`,
      }}
      onClick={edit}
    >
      <Icon name="pencil" />
    </button>
  )
}

/** The menu of a cell, once it was asked for. */
export function OpenCellMenu({ state }: { state: GridState }) {
  const target = state.menu.value
  const Menu = loadedMenu.value
  return target && Menu ? <Menu state={state} target={target} /> : null
}
