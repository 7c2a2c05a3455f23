/** One field of a form: it is drawn again only where it is another. */
import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schemas } from '../../api/wire.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { stable } from '../../state/stable.ts'
import { FieldEditor } from '../../fields/editors.tsx'

interface FieldProps {
  form: RecordForm
  field: Schemas['MetadataField']
}

/** The parts of a form that its field goes by: what is typed elsewhere does not draw it again. */
function watchField({ form, field }: FieldProps) {
  const { Name, LabelField, Lookup, DataSet } = field
  const depends = [...(Lookup?.DependsOn ?? []), ...(DataSet?.DependsOn ?? [])]
  return {
    value: computed(() => form.values.value[Name]),
    text: computed(() => (LabelField === null ? undefined : form.values.value[LabelField])),
    isReadOnly: computed(() => form.isReadOnly(field)),
    isRequired: computed(() => form.isRequired(field)),
    fault: computed(() => form.faults.value[Name]),
    depends: stable(() => depends.map((name) => form.values.value[name])),
    // Choices are asked for by the values that stand in the form when its list is opened.
    shared: {
      name: form.metadata.Slug,
      get values() {
        return form.values.peek()
      },
    },
  }
}

/** Draws the editor of a field with its label and fault. */
export function FormField({ form, field }: FieldProps) {
  const watched = useMemo(() => watchField({ form, field }), [form, field])
  const text = watched.text.value
  void watched.depends.value
  return (
    <FieldEditor
      field={field}
      value={watched.value.value}
      text={typeof text === 'string' ? text : undefined}
      isReadOnly={watched.isReadOnly.value}
      isRequired={watched.isRequired.value}
      fault={watched.fault.value}
      form={watched.shared}
      onPending={(work) => form.awaitValue(work)}
      onChange={(value, choice) => form.set(field, value, choice)}
    />
  )
}
