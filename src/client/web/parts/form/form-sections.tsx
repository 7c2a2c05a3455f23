/** The fields of a form in their sections and columns. */
import type { ComponentChildren } from 'preact'
import type { Schemas } from '../../api/wire.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { FieldEditor } from '../../fields/editors.tsx'

type Section = Pick<Schemas['MetadataSection'], 'Label' | 'Columns' | 'Fields'>

/** The sections of the model; fields that none of them names follow in one without a heading. */
function planSections({ metadata, fields }: RecordForm): Section[] {
  const named = new Set(metadata.Sections.flatMap(({ Fields }) => Fields))
  const rest = fields.map(({ Name }) => Name).filter((name) => !named.has(name))
  const others = rest.length > 0 ? [{ Label: '', Columns: 2, Fields: rest }] : []
  return [...metadata.Sections, ...others]
}

interface SectionsProps {
  form: RecordForm
  /** Sections that follow those of the fields. */
  children?: ComponentChildren
}

/** Draws all sections that have something to show. */
export function FormSections({ form, children }: SectionsProps) {
  return (
    <div class="form">
      {planSections(form).map((section) => (
        <FormSection key={section.Label} form={form} section={section} />
      ))}
      {children}
    </div>
  )
}

function FormSection({ form, section }: { form: RecordForm; section: Section }) {
  const fields = section.Fields.flatMap((name) => form.fields.filter(({ Name }) => Name === name))
  const shown = fields.filter((field) => form.isVisible(field))
  if (shown.length === 0) return null
  return (
    <section class="form-section">
      {section.Label !== '' && <h2>{section.Label}</h2>}
      <div class="form-fields" data-columns={String(Math.min(section.Columns, 4))}>
        {shown.map((field) => (
          <FormField key={field.Name} form={form} field={field} />
        ))}
      </div>
    </section>
  )
}

function FormField({ form, field }: { form: RecordForm; field: Schemas['MetadataField'] }) {
  const values = form.values.value
  const text = field.LabelField === null ? undefined : values[field.LabelField]
  return (
    <FieldEditor
      field={field}
      value={values[field.Name]}
      text={typeof text === 'string' ? text : undefined}
      isReadOnly={form.isReadOnly(field)}
      isRequired={form.isRequired(field)}
      fault={form.faults.value[field.Name]}
      form={{ name: form.metadata.Slug, values }}
      onPending={(work) => form.awaitValue(work)}
      onChange={(value, choice) => form.set(field, value, choice)}
    />
  )
}
