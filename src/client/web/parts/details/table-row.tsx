/** A row of a table that is typed in: texts, and the editor in the one cell that is edited. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { DetailRow, DetailRows } from '../../state/detail-rows.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import { alignOf, formatField } from '../../fields/kinds.ts'
import { beginEdit, listWritable, type TableState } from './table-state.ts'
import { Icon } from '../icon.tsx'

type Field = Schemas['MetadataField']

interface RowProps {
  rows: DetailRows
  row: DetailRow
  at: number
  state: TableState
}

/** Draws a row, marked where it is not stored as it is shown. */
export function TableRow({ rows, row, at, state }: RowProps) {
  const place = state.place.value
  const values = row.form?.values.value ?? row.stored
  const faults = row.form?.faults.value ?? {}
  const isRemovable = row.isNew || rows.permissions.value?.Delete === true
  const isChanged = row.isNew || (row.form?.changed.value.length ?? 0) > 0
  const mark = row.isRemoved ? 'removed' : isChanged ? 'changed' : undefined
  return (
    <tr aria-rowindex={at + 2} data-state={mark}>
      {rows.fields.value.map((field, column) => {
        const isHere = place?.row === at && place.column === column
        // A fault of the whole row stands at its first cell.
        const fault = faults[field.Name] ?? (column === 0 ? faults[''] : undefined)
        return (
          <Cell
            key={field.Name}
            rows={rows}
            row={row}
            field={field}
            text={formatField(field, values)}
            fault={fault}
            isHere={isHere}
            isReachable={isHere || (place === undefined && at === 0 && column === 0)}
            isEditing={isHere && state.isEditing.value}
            state={state}
            onEnter={() => {
              if (isHere && state.isEditing.value) return
              state.go({ row: at, column })
              if (listWritable(rows, at).includes(column)) beginEdit(rows, state)
            }}
          />
        )
      })}
      {!rows.isShut.value && (
        <td class="detail-end">
          {isRemovable && (
            <button
              type="button"
              class="icon-button"
              title={say(row.isRemoved ? 'restoreRow' : 'removeRow')}
              aria-label={say(row.isRemoved ? 'restoreRow' : 'removeRow')}
              onClick={() => rows.remove(row)}
            >
              <Icon name={row.isRemoved ? 'undo' : 'x'} />
            </button>
          )}
        </td>
      )}
    </tr>
  )
}

interface CellProps {
  rows: DetailRows
  row: DetailRow
  field: Field
  text: string
  fault: string | undefined
  isHere: boolean
  isReachable: boolean
  isEditing: boolean
  state: TableState
  onEnter(): void
}

function Cell(props: CellProps) {
  const { field, text, fault, isHere, isReachable, isEditing, state, onEnter } = props
  const cell = useRef<HTMLTableCellElement>(null)
  useLayoutEffect(() => {
    if (isHere && !isEditing && state.isFollowed) cell.current?.focus()
  }, [isHere, isEditing])
  return (
    <td
      ref={cell}
      role="gridcell"
      data-align={alignOf(field)}
      data-fault={fault !== undefined || undefined}
      aria-invalid={fault !== undefined || undefined}
      title={fault ?? (text.length > 24 ? text : undefined)}
      tabIndex={isReachable && !isEditing ? 0 : -1}
      onClick={onEnter}
    >
      {isEditing ? <CellEditor {...props} /> : text}
    </td>
  )
}

/** The editor in its cell takes the focus, with the letter that began the edit. */
function CellEditor({ rows, row, field, fault, state }: CellProps) {
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const control = frame.current?.firstElementChild
    if (control instanceof HTMLElement) control.focus()
    const input = frame.current?.querySelector('input, textarea')
    if (!(input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement)) return
    if (input.type === 'checkbox') return
    input.select()
    if (state.typed === undefined) return
    input.setRangeText(state.typed, 0, input.value.length, 'end')
    input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
    state.typed = undefined
  }, [])
  const form = rows.edit(row)
  const values = form.values.value
  const label = field.LabelField === null ? undefined : values[field.LabelField]
  return (
    <div class="detail-editor" ref={frame}>
      <FieldEditor
        isCell
        field={field}
        value={values[field.Name]}
        text={typeof label === 'string' ? label : undefined}
        isReadOnly={false}
        isRequired={form.isRequired(field)}
        fault={fault}
        form={{ name: form.metadata.Slug, values }}
        onPending={(work) => form.awaitValue(work)}
        onChange={(value, choice) => form.set(field, value, choice)}
      />
    </div>
  )
}
