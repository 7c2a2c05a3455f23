/** The fields of a form in their tabs, sections and columns. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { place, setQuery } from '../../state/address.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { STACKED_MAX } from '../details/detail-sections.tsx'
import { FoldSection } from './fold-section.tsx'
import { FormField } from './form-field.tsx'
import { JumpList, type JumpTarget } from './jump-list.tsx'
import { type FormSection, type FormTab, isNamedByTab, planTabs } from './tab-plan.ts'
import { tabIds, TabList } from '../tab-list.tsx'

/** The sections of the model; fields that none of them names follow in one without a heading. */
function listSections({ metadata, fields }: RecordForm): FormSection[] {
  const named = new Set(metadata.Sections.flatMap(({ Fields }) => Fields))
  const rest = fields.map(({ Name }) => Name).filter((name) => !named.has(name))
  const others = rest.length > 0 ? [{ Label: '', Tab: null, Columns: 2, Fields: rest }] : []
  return [...metadata.Sections, ...others]
}

interface SectionsProps {
  form: RecordForm
  /** True where the form is the place: then the address names its open tab. */
  isPlace?: boolean
  /** Sections that follow those of the fields. */
  children?: ComponentChildren
}

/** The fields of a section that are shown now. */
const listShown = (form: RecordForm, { Fields }: FormSection): Schemas['MetadataField'][] =>
  Fields.flatMap((name) => form.fields.filter(({ Name }) => Name === name)).filter((field) =>
    form.isVisible(field),
  )

/** Details that the list names each; more are one line of it, behind which their tabs are. */
const NAMED_DETAILS_MAX = 8

/** The sections with a heading, then the details: of many, each opens its tab. */
function listTargets(form: RecordForm, tabs: readonly FormTab[]): JumpTarget[] {
  const { parts } = form
  const labels = tabs.flatMap(({ sections }) => sections.map(({ Label }) => Label))
  const named = labels.filter((label) => label !== '').map((label) => ({ label }))
  if (parts.length > NAMED_DETAILS_MAX) return [...named, { label: say('details'), detail: '' }]
  const hasTabs = parts.length > STACKED_MAX
  const details = parts.map(({ detail: { Name, Label } }) =>
    hasTabs ? { label: Label, detail: Name } : { label: Label },
  )
  return [...named, ...details]
}

/** Draws all sections that have something to show. */
export function FormSections({ form, isPlace = false, children }: SectionsProps) {
  const own = useSignal(0)
  const tabs = planTabs(listSections(form), (section) => listShown(form, section).length > 0)
  const [sole, ...others] = tabs
  return (
    <div class="form">
      <JumpList object={form.metadata.Slug} targets={listTargets(form, tabs)} />
      {others.length > 0 ? (
        <FormTabs form={form} tabs={tabs} own={isPlace ? undefined : own} />
      ) : (
        sole?.sections.map((section) => (
          <SectionFields key={section.Label} form={form} section={section} />
        ))
      )}
      {children}
    </div>
  )
}

interface TabsProps {
  form: RecordForm
  tabs: readonly FormTab[]
  /** The number of the open tab; undefined where the address has it. */
  own: Signal<number> | undefined
}

/** Opens a tab by its number: `?tab=2`; the address of the first one names none. */
const openInPlace = (number: number, [first]: readonly FormTab[]): void =>
  setQuery({ tab: number === first?.number ? undefined : String(number) }, { replace: true })

/** All tabs are drawn and one is shown, so that what is typed and uploaded in others goes on. */
function FormTabs({ form, tabs, own }: TabsProps) {
  const name = useId()
  const asked = own?.value ?? Number(place.value.query.get('tab') ?? 0)
  const open = tabs.find(({ number }) => number === asked) ?? tabs[0]
  const choose = (number: number): void => {
    if (own) own.value = number
    else openInPlace(number, tabs)
  }
  return (
    <div class="form-tabs">
      <TabList
        name={name}
        label={form.metadata.Label}
        open={String(open?.number)}
        tabs={tabs.map((tab) => ({
          id: String(tab.number),
          label: tab.label ?? say('tabGeneral'),
          ...judgeTab(form, tab),
        }))}
        onOpen={(id) => choose(Number(id))}
      />
      {tabs.map((tab) => {
        const ids = tabIds(name, String(tab.number))
        return (
          <div
            key={tab.number}
            class="form-tab"
            role="tabpanel"
            id={ids.panel}
            aria-labelledby={ids.tab}
            data-label={tab.label ?? say('tabGeneral')}
            hidden={tab !== open}
          >
            {tab.sections.map((section) => (
              <SectionFields
                key={section.Label}
                form={form}
                section={section}
                isNamed={isNamedByTab(tab, section)}
              />
            ))}
          </div>
        )
      })}
    </div>
  )
}

/** Marks of a tab, which it shows while another one is open, too. */
function judgeTab(form: RecordForm, { sections }: FormTab) {
  const names = sections.flatMap((section) => listShown(form, section)).map(({ Name }) => Name)
  const changed = new Set(form.changed.value)
  return {
    isChanged: names.some((name) => changed.has(name)),
    faults: names.filter((name) => form.faults.value[name] !== undefined).length,
  }
}

interface SectionFieldsProps {
  form: RecordForm
  section: FormSection
  /** True where a tab has its name already. */
  isNamed?: boolean
}

function SectionFields({ form, section, isNamed = false }: SectionFieldsProps) {
  const shown = listShown(form, section)
  const hasFault = shown.some(({ Name }) => form.faults.value[Name] !== undefined)
  const fields = (
    <div class="form-fields" data-columns={String(Math.min(section.Columns, 4))}>
      {shown.map((field) => (
        <div key={field.Name} class="form-field" data-field={field.Name}>
          <FormField form={form} field={field} />
        </div>
      ))}
    </div>
  )
  if (isNamed)
    return (
      <section class="form-section" data-section={section.Label}>
        {fields}
      </section>
    )
  return (
    <FoldSection object={form.metadata.Slug} label={section.Label} isShown={hasFault}>
      {fields}
    </FoldSection>
  )
}
