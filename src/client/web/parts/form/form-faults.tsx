/** The faults of a record as a list; each leads to its field, or to its cell in a detail. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { setQuery } from '../../state/address.ts'
import { setFolded } from '../../state/folded.ts'
import type { RecordForm, RecordPart, RowFault } from '../../state/record-form.ts'
import { STACKED_MAX } from '../details/detail-sections.tsx'
import { openTabOf } from '../tab-list.tsx'

/** Puts the focus into a field, in the form that stands in the same place, on whichever tab. */
function jumpTo(from: Element, name: string): void {
  const place = from.closest('dialog, .place-body')
  const field = place?.querySelector(`[data-field="${CSS.escape(name)}"]`)
  if (!field) return
  openTabOf(field)
  requestAnimationFrame(() => {
    field.scrollIntoView({ block: 'center' })
    field.querySelector<HTMLElement>('input, textarea, select, button')?.focus()
  })
}

/** Opens the section or the tab of a detail, whose table then shows the cell. */
function jumpToCell({ metadata, parts }: RecordForm, part: RecordPart, fault: RowFault): void {
  if (parts.length > STACKED_MAX) setQuery({ detail: part.detail.Name }, { replace: true })
  else setFolded(metadata.Slug, part.detail.Label, false)
  part.seek(fault.row, fault.field)
}

interface FaultLineProps {
  field: Schemas['MetadataField'] | undefined
  fault: string
}

function FaultLine({ field, fault }: FaultLineProps) {
  if (!field) return <li>{fault}</li>
  return (
    <li>
      <button
        type="button"
        class="link-button"
        onClick={({ currentTarget }) => jumpTo(currentTarget, field.Name)}
      >
        {labelled(field, fault)}
      </button>
    </li>
  )
}

/** A fault with the label of its field, unless it names that itself. */
const labelled = (field: Schemas['MetadataField'] | undefined, fault: string): string =>
  field === undefined || fault.includes(field.Label) ? fault : `${field.Label}: ${fault}`

interface RowLineProps {
  form: RecordForm
  part: RecordPart
  told: RowFault
}

function RowLine({ form, part, told }: RowLineProps) {
  const field = part.fields.value.find(({ Name }) => Name === told.field)
  const { Label: detail } = part.detail
  const fault = labelled(field, told.fault)
  return (
    <li>
      <button type="button" class="link-button" onClick={() => jumpToCell(form, part, told)}>
        {say('faultOfDetail', { detail, row: told.row + 1, fault })}
      </button>
    </li>
  )
}

/** Draws them as one alert, those of details below; nothing without any. */
export function FormFaults({ form }: { form: RecordForm }) {
  const rows = form.parts.flatMap((part) => part.faults.value.map((told) => ({ part, told })))
  const faults = Object.entries(form.faults.value)
  if (faults.length + rows.length === 0) return null
  return <FaultList form={form} faults={faults} rows={rows} />
}

interface ListProps {
  form: RecordForm
  faults: readonly (readonly [string, string])[]
  rows: readonly Pick<RowLineProps, 'part' | 'told'>[]
}

/** The list comes into sight with each save that met faults: the field may be far below it. */
function FaultList({ form, faults, rows }: ListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const isSaving = form.isSaving.value
  useLayoutEffect(() => {
    if (!isSaving) frame.current?.scrollIntoView({ block: 'nearest' })
  }, [isSaving])
  const shown = form.fields.filter((field) => form.isVisible(field))
  return (
    <div class="fault" role="alert" ref={frame}>
      <ul class="form-faults">
        {faults.map(([name, fault]) => (
          <FaultLine key={name} field={shown.find(({ Name }) => Name === name)} fault={fault} />
        ))}
        {rows.map(({ part, told }) => (
          <RowLine
            key={`${part.detail.Name} ${told.row} ${told.field}`}
            form={form}
            part={part}
            told={told}
          />
        ))}
      </ul>
    </div>
  )
}
