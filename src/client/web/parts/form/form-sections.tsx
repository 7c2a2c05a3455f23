/** The fields of a form in their sections and columns. */
import type { ComponentChildren } from 'preact'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { STACKED_MAX } from '../details/detail-sections.tsx'
import { FoldSection } from './fold-section.tsx'
import { FormField } from './form-field.tsx'
import { JumpList, type JumpTarget } from './jump-list.tsx'

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

/** The fields of a section that are shown now. */
const listShown = (form: RecordForm, { Fields }: Section): Schemas['MetadataField'][] =>
  Fields.flatMap((name) => form.fields.filter(({ Name }) => Name === name)).filter((field) =>
    form.isVisible(field),
  )

/** Details that the list names each; more are one line of it, behind which their tabs are. */
const NAMED_DETAILS_MAX = 8

/** The sections with a heading, then the details: of many, each opens its tab. */
function listTargets(form: RecordForm, sections: readonly Section[]): JumpTarget[] {
  const { parts } = form
  const named = sections.filter(({ Label }) => Label !== '').map(({ Label }) => ({ label: Label }))
  if (parts.length > NAMED_DETAILS_MAX) return [...named, { label: say('details'), detail: '' }]
  const hasTabs = parts.length > STACKED_MAX
  const details = parts.map(({ detail: { Name, Label } }) =>
    hasTabs ? { label: Label, detail: Name } : { label: Label },
  )
  return [...named, ...details]
}

/** Draws all sections that have something to show. */
export function FormSections({ form, children }: SectionsProps) {
  const sections = planSections(form).filter((section) => listShown(form, section).length > 0)
  return (
    <div class="form">
      <JumpList object={form.metadata.Slug} targets={listTargets(form, sections)} />
      {sections.map((section) => (
        <FormSection key={section.Label} form={form} section={section} />
      ))}
      {children}
    </div>
  )
}

function FormSection({ form, section }: { form: RecordForm; section: Section }) {
  const shown = listShown(form, section)
  const hasFault = shown.some(({ Name }) => form.faults.value[Name] !== undefined)
  return (
    <FoldSection object={form.metadata.Slug} label={section.Label} isShown={hasFault}>
      <div class="form-fields" data-columns={String(Math.min(section.Columns, 4))}>
        {shown.map((field) => (
          <div key={field.Name} class="form-field" data-field={field.Name}>
            <FormField form={form} field={field} />
          </div>
        ))}
      </div>
    </FoldSection>
  )
}
