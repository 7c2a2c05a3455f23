/** The dialog that adds a filter: a field, how it is compared, with what. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import { FieldEditor } from '../../fields/editors.tsx'
import { operatorsOf } from '../../fields/kinds.ts'
import { takesNoValue } from '../../fields/operators.ts'
import { Button } from '../button.tsx'

type Field = Schemas['MetadataField']

interface FilterFormProps {
  metadata: Schemas['MetadataResult']
  onClose(): void
}

/** Draws the form; what it adds stands in the address. */
export function FilterForm({ metadata, onClose }: FilterFormProps) {
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
