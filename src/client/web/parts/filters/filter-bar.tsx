/** Filters of a grid: a chip for each, and a dialog that adds one. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { type GridFilter, gridQuery, setFilters } from '../../state/grid-query.ts'
import { FieldEditor, formatField, operatorsOf } from '../../fields/kinds.tsx'
import { takesNoValue } from '../../fields/operators.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'

type Field = Schemas['MetadataField']

interface FilterBarProps {
  metadata: Schemas['MetadataResult']
}

/** Draws the chips and the button that adds a filter. */
export function FilterBar({ metadata }: FilterBarProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { filters } = gridQuery.value
  return (
    <div class="filters">
      {filters.map((filter, at) => (
        <span class="chip" key={JSON.stringify(filter)}>
          {describe(metadata, filter)}
          <button
            class="chip-end"
            type="button"
            aria-label={say('removeFilter', { filter: describe(metadata, filter) })}
            onClick={() => setFilters(filters.filter((_, other) => other !== at))}
          >
            ×
          </button>
        </span>
      ))}
      <Button kind="quiet" onClick={() => dialog.current?.showModal()}>
        <Icon name="filter" />
        {say('addFilter')}
      </Button>
      <dialog class="dialog" ref={dialog} aria-label={say('addFilter')}>
        <FilterForm metadata={metadata} onClose={() => dialog.current?.close()} />
      </dialog>
    </div>
  )
}

/** A filter in words: `Status is New`. */
function describe(
  { Fields }: Schemas['MetadataResult'],
  { Field, Operator, Value }: GridFilter,
): string {
  const field = Fields.find(({ Name }) => Name === Field)
  if (!field) return Field
  const operator = say(`operator_${Operator}`)
  if (takesNoValue(Operator)) return `${field.Label} ${operator}`
  const value = formatField({ ...field, LabelField: null }, { [Field]: Value as string })
  return `${field.Label} ${operator} ${value}`
}

/** The dialog: a field, how it is compared, with what. */
function FilterForm({ metadata, onClose }: FilterBarProps & { onClose(): void }) {
  const field = useSignal<Field | undefined>(undefined)
  const operator = useSignal<Schemas['FilterOperator'] | undefined>(undefined)
  const value = useSignal<unknown>(null)
  const choose = (name: string | undefined): void => {
    field.value = fields.find(({ Name }) => Name === name)
    operator.value = field.value && operatorsOf(field.value)[0]
    value.value = null
  }
  const fields = metadata.Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden)
  const close = (): void => {
    choose(undefined)
    onClose()
  }
  const isWhole =
    operator.value !== undefined && (takesNoValue(operator.value) || value.value !== null)
  const add = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!field.value || !operator.value || !isWhole) return
    const Value = takesNoValue(operator.value) ? null : String(value.value)
    const added = { Field: field.value.Name, Operator: operator.value, Value }
    setFilters([...gridQuery.value.filters, added])
    close()
  }
  return (
    <form class="dialog-form" onSubmit={add}>
      <h2>{say('addFilter')}</h2>
      <FieldChoice fields={fields} value={field.value} onChange={choose} />
      {field.value && (
        <OperatorChoice
          field={field.value}
          value={operator.value}
          onChange={(name) => (operator.value = name)}
        />
      )}
      {field.value && operator.value && !takesNoValue(operator.value) && (
        <FieldEditor
          field={{ ...field.value, Label: say('value'), Help: null }}
          value={value.value}
          text={undefined}
          isReadOnly={false}
          isRequired
          fault={undefined}
          form={{ name: metadata.Slug, values: {} }}
          onChange={(given) => (value.value = given)}
        />
      )}
      <div class="buttons">
        <Button kind="primary" isSubmit disabled={!isWhole}>
          {say('addFilter')}
        </Button>
        <Button onClick={close}>{say('cancel')}</Button>
      </div>
    </form>
  )
}

interface FieldChoiceProps {
  fields: readonly Field[]
  value: Field | undefined
  onChange(name: string | undefined): void
}

function FieldChoice({ fields, value, onChange }: FieldChoiceProps) {
  return (
    <vaadin-combo-box
      label={say('field')}
      items={[...fields]}
      itemLabelPath="Label"
      itemValuePath="Name"
      value={value?.Name ?? ''}
      onvalue-changed={({ detail }) => {
        if ((detail.value ?? '') !== (value?.Name ?? '')) onChange(detail.value ?? undefined)
      }}
    />
  )
}

interface OperatorChoiceProps {
  field: Field
  value: Schemas['FilterOperator'] | undefined
  onChange(operator: Schemas['FilterOperator']): void
}

function OperatorChoice({ field, value, onChange }: OperatorChoiceProps) {
  return (
    <vaadin-combo-box
      label={say('comparison')}
      items={operatorsOf(field).map((name) => ({ name, label: say(`operator_${name}`) }))}
      itemLabelPath="label"
      itemValuePath="name"
      value={value ?? ''}
      onvalue-changed={({ detail }) => {
        if (detail.value) onChange(detail.value as Schemas['FilterOperator'])
      }}
    />
  )
}
