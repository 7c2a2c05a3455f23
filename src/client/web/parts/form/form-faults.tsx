/** The faults of a record as a list; each that stands at a field leads there. */
import type { Schemas } from '../../api/wire.ts'
import type { RecordForm } from '../../state/record-form.ts'

/** Puts the focus into a field, in the form that stands in the same place. */
function jumpTo(from: Element, name: string): void {
  const place = from.closest('dialog, .place-body')
  const field = place?.querySelector(`[data-field="${CSS.escape(name)}"]`)
  field?.scrollIntoView({ block: 'center' })
  field?.querySelector<HTMLElement>('input, textarea, select, button')?.focus()
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
        {fault.includes(field.Label) ? fault : `${field.Label}: ${fault}`}
      </button>
    </li>
  )
}

/** Draws them as one alert; nothing without any. */
export function FormFaults({ form }: { form: RecordForm }) {
  const faults = Object.entries(form.faults.value)
  if (faults.length === 0) return null
  const shown = form.fields.filter((field) => form.isVisible(field))
  return (
    <div class="fault" role="alert">
      <ul class="form-faults">
        {faults.map(([name, fault]) => (
          <FaultLine key={name} field={shown.find(({ Name }) => Name === name)} fault={fault} />
        ))}
      </ul>
    </div>
  )
}
