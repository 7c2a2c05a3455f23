/** A condition that is built: a field, how it is compared, with what. */
import { say } from '../../texts/texts.ts'
import type { FilterOperator } from '../../state/filter-tree.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { findBaseField, findFilterField, toLabelField } from '../../fields/filter-fields.ts'
import { operatorsOf, sayOperator } from '../../fields/filter-kinds.ts'
import { PART_OPERATORS, takesNoValue } from '../../fields/operators.ts'
import type { Builder } from './builder.ts'
import { type DraftCondition, listConditions, withOperator } from './filter-draft.ts'
import { ValueEditor } from './value-editor.tsx'
import { Icon } from '../icon.tsx'

interface RowProps {
  builder: Builder
  condition: DraftCondition
}

/** Draws the row, with what is wrong with it below. */
export function ConditionRow({ builder, condition }: RowProps) {
  const { id } = condition
  const field = findFilterField(builder.metadata, condition.field)
  const fault = builder.faults.value.get(id)
  const number = listConditions(builder.root.value).findIndex((each) => each.id === id) + 1
  return (
    <div
      class="filter-row"
      role="group"
      aria-label={say('conditionNumber', { number })}
      data-node={id}
    >
      <FieldChoice builder={builder} condition={condition} />
      {field && <OperatorChoice builder={builder} condition={condition} field={field} />}
      {field && (
        <div class="filter-value" data-part="value">
          <ValueEditor builder={builder} condition={condition} field={field} fault={fault} />
        </div>
      )}
      {!field && condition.field !== '' && (
        <span class="filter-unknown quiet">{say('filterUnknown')}</span>
      )}
      <button
        class="icon-button"
        type="button"
        title={say('removeCondition')}
        aria-label={say('removeCondition')}
        onClick={() => builder.remove(id)}
      >
        <Icon name="x" />
      </button>
      {fault !== undefined && (
        <div class="filter-fault" role="alert">
          {fault}
        </div>
      )}
    </div>
  )
}

/** The choice of a field; a part of a date, or one that the view has not, is named as it is. */
function FieldChoice({ builder, condition }: RowProps) {
  const { metadata, fields } = builder
  const base = findBaseField(metadata, condition.field)
  const own = findFilterField(metadata, condition.field)
  const named = base ?? own ?? { Name: condition.field, Label: condition.field }
  const isListed = named.Name === '' || fields.some(({ Name }) => Name === named.Name)
  const items = (isListed ? fields : [named, ...fields]).map(({ Name, Label }) => ({ Name, Label }))
  const shown = named.Name
  return (
    <vaadin-combo-box
      accessibleName={say('field')}
      placeholder={say('field')}
      items={items}
      itemLabelPath="Label"
      itemValuePath="Name"
      itemIdPath="Name"
      value={shown}
      onvalue-changed={({ detail }) => {
        const name = detail.value ?? ''
        if (name === shown) return
        const chosen = findFilterField(metadata, name)
        builder.set(condition.id, (before) => begin(before, chosen))
      }}
    />
  )
}

/** The condition over another field, by its first operator. */
function begin(condition: DraftCondition, field: MetadataField | undefined): DraftCondition {
  const cleared = { ...condition, value: null, values: [], valueField: undefined }
  if (!field) return { ...cleared, field: '' }
  const [first] = listOperators(field)
  return first ? { ...withOperator(cleared, first.operator), field: first.name } : cleared
}

/** An operator over a field, or over the label of one. */
interface NamedOperator {
  name: string
  operator: FilterOperator
  text: string
}

const writeOperator = (name: string, operator: FilterOperator): string => `${name} ${operator}`

/** Operators over a field and its label; of dependent choices those of the label come first. */
function listOperators(field: MetadataField): NamedOperator[] {
  const label = toLabelField(field)
  const own = operatorsOf(field).map((operator) => toNamed(field, operator))
  if (!label) return own
  const parts = PART_OPERATORS.map((operator) => toNamed(label, operator))
  const isDependent = (field.DataSet?.DependsOn ?? field.Lookup?.DependsOn ?? []).length > 0
  if (isDependent) return [...parts, ...own]
  const [presence, others] = [true, false].map((isOf) =>
    own.filter(({ operator }) => takesNoValue(operator) === isOf),
  )
  return [...(others ?? []), ...parts, ...(presence ?? [])]
}

const toNamed = (field: MetadataField, operator: FilterOperator): NamedOperator => ({
  name: field.Name,
  operator,
  text: sayOperator(field, operator),
})

/** The choice of an operator; one that is not offered stays where an address has it. */
function OperatorChoice({ builder, condition, field }: RowProps & { field: MetadataField }) {
  const base = findBaseField(builder.metadata, condition.field) ?? field
  const offered = listOperators(base)
  const own = toNamed(field, condition.operator)
  const isOwn = ({ name, operator }: NamedOperator): boolean =>
    name === own.name && operator === own.operator
  const all = offered.some(isOwn) ? offered : [own, ...offered]
  return (
    <select
      class="select"
      aria-label={say('comparison')}
      value={writeOperator(own.name, own.operator)}
      onChange={({ currentTarget: { value } }) => {
        const chosen = all.find(({ name, operator }) => writeOperator(name, operator) === value)
        if (!chosen) return
        builder.set(condition.id, (before) => {
          const changed = { ...withOperator(before, chosen.operator), field: chosen.name }
          // A key is no text to search for, and a text no key.
          return chosen.name === before.field ? changed : { ...changed, value: null, values: [] }
        })
      }}
    >
      {all.map(({ name, operator, text }) => (
        <option key={writeOperator(name, operator)} value={writeOperator(name, operator)}>
          {text}
        </option>
      ))}
    </select>
  )
}
