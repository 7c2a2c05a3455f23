/** The state of a table that is typed in, and which of its cells take what is typed. */
import { signal } from '@preact/signals'
import type { Schemas } from '../../api/wire.ts'
import type { DetailRows } from '../../state/detail-rows.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { fitsCell } from '../../fields/kinds.ts'
import type { CellPlace } from '../cell-place.ts'

type Field = Schemas['MetadataField']

/** The state of one table: its cell with the focus, and whether that is edited. */
export class TableState {
  readonly place = signal<CellPlace | undefined>(undefined)
  readonly isEditing = signal(false)
  /** A letter that began the edit. */
  typed: string | undefined
  /** The value before the edit, for Esc. */
  before: unknown
  /** True while the focus is to follow the place. */
  isFollowed = false

  go(place: CellPlace | undefined): void {
    this.isEditing.value = false
    this.typed = undefined
    this.isFollowed = true
    this.place.value = place
  }
}

/** Numbers of the columns of a row that can be typed in. */
export function listWritable(rows: DetailRows, at: number): number[] {
  const row = rows.rows.value[at]
  if (!row || row.isRemoved || rows.isShut.value) return []
  const form = rows.edit(row)
  return rows.fields.value.flatMap((field, column) => (canType(form, field) ? [column] : []))
}

/** True where the caller can type in the field of a row, as the row is now. */
export const canType = (form: RecordForm, field: Field): boolean =>
  fitsCell(field) &&
  form.fields.some(({ Name }) => Name === field.Name) &&
  !form.isReadOnly(field) &&
  form.isVisible(field)

/** Begins to edit the cell that has the focus, with a letter where one began it. */
export function beginEdit(rows: DetailRows, state: TableState, typed?: string): void {
  const place = state.place.value
  const row = place && rows.rows.value[place.row]
  const field = place && rows.fields.value[place.column]
  if (!row || !field) return
  const form = rows.edit(row)
  // The row has a form now: what is drawn of it follows that.
  rows.rows.value = [...rows.rows.value]
  state.before = form.values.value[field.Name]
  state.typed = typed
  state.isEditing.value = true
}
