/** Edits of single cells; the editor loads with the first of them. */
import { signal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { notify } from '../../state/notices.ts'
import type { CellEditor } from './cell-editor.tsx'
import { type GridState, HEAD_ROW } from './grid-state.ts'

/** The editor, once it was needed. */
export const loadedEditor = signal<typeof CellEditor | undefined>(undefined)

/** True where the field of a column may be changed in its cell; the record itself may say no. */
export const isEditable = ({ In, ReadOnly }: Schemas['MetadataField']): boolean =>
  In.includes('Form') && !ReadOnly && gridPermissions.value?.Update === true

/** Begins to edit the cell with the focus; says why where that cannot be. */
export async function beginCellEdit(state: GridState): Promise<void> {
  const place = state.place.peek()
  const field = place && state.columns[place.column - 1]?.field
  if (!place || !field || place.row === HEAD_ROW || !state.source.at(place.row)?.row) return
  if (!isEditable(field)) {
    notify(say('cellFixed', { label: field.Label }), 'info')
    return
  }
  loadedEditor.value ??= (await import('./cell-editor.tsx')).CellEditor
  state.edited.value = { line: place.row, field: field.Name }
}

/** Goes on to the next cell of the line that may be edited, or back; false where there is none. */
export function editNext(state: GridState, step: 1 | -1): boolean {
  const { line, field: name } = state.edited.peek() ?? {}
  if (line === undefined) return false
  const from = state.columns.findIndex(({ field }) => field.Name === name) + step
  for (let at = from; at >= 0 && at < state.columns.length; at += step) {
    const field = state.columns[at]?.field
    if (!field || !isEditable(field)) continue
    state.edited.value = undefined
    state.go({ row: line, column: at + 1 })
    state.edited.value = { line, field: field.Name }
    return true
  }
  return false
}
