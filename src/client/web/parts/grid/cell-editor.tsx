/** The editor over a cell of a grid: Enter and Tab save, Esc leaves it as it was. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { describeFault, ToldError } from '../../api/told-error.ts'
import type { Schemas } from '../../api/wire.ts'
import { notify } from '../../state/notices.ts'
import { RecordForm } from '../../state/record-form.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import { canType } from '../details/table-state.ts'
import type { EditedCell, GridState } from './grid-state.ts'
import { isListOpen } from '../open-list.ts'

type Row = Schemas['FieldValues']

interface EditorProps {
  state: GridState
  edited: EditedCell
  /** The cell's place among the lines, in pixels. */
  box: { left: number; top: number; width: number; height: number }
  /** Goes on to the next cell that can be edited, or back; false where there is none. */
  onNext(step: 1 | -1): boolean
}

/** The form of the record, of which one field is edited. */
const openForm = ({ metadata, source }: GridState, line: number): RecordForm => {
  const row = source.at(line)?.row ?? {}
  return new RecordForm(
    metadata,
    Object.fromEntries(metadata.Keys.map((key) => [key, row[key]])) as Row,
  )
}

/** Stores the one value; the row shows it at once, and what it was where it is refused. */
async function store(state: GridState, line: number, form: RecordForm): Promise<void> {
  const found = state.source.at(line)
  const { row, place } = found ?? {}
  if (!row || !place) return
  const names = Object.keys(row)
  const shown = Object.fromEntries(
    names.map((name) => [name, form.values.peek()[name] ?? row[name] ?? null]),
  )
  for (const name of form.changed.peek()) shown[name] = form.values.peek()[name] ?? null
  place.pages.replace(place.at, { ...row, ...shown })
  state.markPending(line, true)
  try {
    const result = await form.submit()
    if (result) {
      const stored = Object.fromEntries(
        names.flatMap((name) =>
          name in (result.Values ?? {}) ? [[name, form.values.peek()[name] ?? null]] : [],
        ),
      )
      place.pages.replace(place.at, { ...row, ...shown, ...stored })
      return
    }
    const { conflict } = form
    throw new ToldError(
      conflict.value
        ? say('cellConflict', { who: conflict.value.ChangedBy ?? '?' })
        : Object.values(form.faults.value).join(' '),
    )
  } catch (thrown) {
    place.pages.replace(place.at, row)
    // Rows may have moved meanwhile.
    state.source.renew()
    notify(describeFault(thrown), 'error')
  } finally {
    state.markPending(line, false)
  }
}

/** The form of the cell's record, once it has said that the value may be changed. */
function useCellForm({ state, edited }: EditorProps, leave: () => void) {
  const form = useMemo(() => openForm(state, edited.line), [state.source, edited.line])
  const isReady = useSignal(false)
  const field = form.fields.find(({ Name }) => Name === edited.field)
  useEffect(() => {
    const refuse = (text: string, level: 'info' | 'error'): void => {
      notify(text, level)
      leave()
    }
    form.load().then(
      () => {
        if (field && canType(form, field)) isReady.value = true
        else refuse(say('cellFixed', { label: field?.Label ?? edited.field }), 'info')
      },
      (thrown: unknown) => refuse(describeFault(thrown), 'error'),
    )
  }, [form])
  return { form, field: isReady.value ? field : undefined }
}

/** Draws the editor over the cell. */
export function CellEditor(props: EditorProps) {
  const { state, edited, box, onNext } = props
  const frame = useRef<HTMLDivElement>(null)
  const column = state.columns.findIndex((each) => each.field.Name === edited.field) + 1
  const leave = (to = { row: edited.line, column }): void => {
    state.edited.value = undefined
    state.go(to)
  }
  const { form, field } = useCellForm(props, leave)
  useLayoutEffect(() => {
    const control = frame.current?.firstElementChild
    if (field && control instanceof HTMLElement) control.focus()
    const input = frame.current?.querySelector('input')
    if (input && input.type !== 'checkbox') input.select()
  }, [field])
  const save = (): void => {
    if (form.isTouched.peek()) void store(state, edited.line, form)
  }
  return (
    <div
      ref={frame}
      class="grid-editor detail-editor"
      style={{
        insetInlineStart: `${box.left}px`,
        insetBlockStart: `${box.top}px`,
        minInlineSize: `${box.width}px`,
        blockSize: `${box.height}px`,
      }}
      onKeyDownCapture={(event) => followEditKey(event, { state, column, save, leave, onNext })}
      onFocusOut={({ relatedTarget }) => {
        const inside = relatedTarget instanceof Node && frame.current?.contains(relatedTarget)
        // A list or a calendar over the cell is a part of it.
        if (!field || inside === true || relatedTarget === null) return
        save()
        if (state.edited.peek() === edited) state.edited.value = undefined
      }}
    >
      {field ? (
        <CellControl form={form} field={field} />
      ) : (
        <span class="quiet">{say('loading')}</span>
      )}
    </div>
  )
}

function CellControl({ form, field }: { form: RecordForm; field: Schemas['MetadataField'] }) {
  const values = form.values.value
  return (
    <FieldEditor
      isCell
      field={field}
      value={values[field.Name]}
      text={textOf(values, field)}
      isReadOnly={false}
      isRequired={form.isRequired(field)}
      fault={undefined}
      form={{ name: form.metadata.Slug, values }}
      onPending={(work) => form.awaitValue(work)}
      onChange={(value, choice) => form.set(field, value, choice)}
    />
  )
}

function textOf(values: Row, { LabelField }: Schemas['MetadataField']): string | undefined {
  const label = LabelField === null ? undefined : values[LabelField]
  return typeof label === 'string' ? label : undefined
}

interface EditKeys {
  state: GridState
  column: number
  save(): void
  leave(to?: { row: number; column: number }): void
  onNext(step: 1 | -1): boolean
}

function followEditKey(event: KeyboardEvent, keys: EditKeys): void {
  const { state, column, save, leave, onNext } = keys
  const line = state.edited.peek()?.line ?? 0
  const { key, shiftKey } = event
  const isEnter = key === 'Enter' && !isListOpen(event)
  const isEscape = key === 'Escape' && !isListOpen(event)
  if (!isEnter && !isEscape && key !== 'Tab') return
  event.preventDefault()
  event.stopPropagation()
  if (isEscape) {
    leave()
    return
  }
  // A control takes what was typed into it when it loses the focus.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  save()
  const step = shiftKey ? -1 : 1
  if (!isEnter && onNext(step)) return
  const below = isEnter ? Math.min(state.source.length - 1, line + step) : line
  leave({ row: Math.max(0, below), column })
}
