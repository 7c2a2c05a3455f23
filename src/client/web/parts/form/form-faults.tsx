/** Faults of a record that stand at none of its fields in sight. */
import type { RecordForm } from '../../state/record-form.ts'

/** Draws them as one alert; nothing without any. */
export function FormFaults({ form }: { form: RecordForm }) {
  const names = new Set(
    form.fields.filter((field) => form.isVisible(field)).map(({ Name }) => Name),
  )
  const others = Object.entries(form.faults.value).filter(([name]) => !names.has(name))
  if (others.length === 0) return null
  return (
    <div class="fault" role="alert">
      {others.map(([name, fault]) => (
        <div key={name}>{fault}</div>
      ))}
    </div>
  )
}
