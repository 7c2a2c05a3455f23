/** The value of a condition: one value, two, several, another field. */
import { say } from '../../texts/texts.ts'
import { type FilterScalar, OPERATORS } from '../../state/filter-tree.ts'
import { isChosen } from '../../fields/chosen.ts'
import { isComparable } from '../../fields/filter-kinds.ts'
import type { ValueProps } from './builder.ts'
import { listGiven } from './filter-draft.ts'
import { ChosenValues, TypedValues } from './many-values.tsx'
import { OneValue } from './one-value.tsx'

/** Draws the editor that the operator asks for. */
export function ValueEditor(props: ValueProps) {
  const { builder, condition, field } = props
  const { takes, comparesFields } = OPERATORS[condition.operator]
  const { id, value, values, valueField } = condition
  const shared = { ...props, given: listGiven(builder.root.value, id) }
  if (takes === 'nothing') return null
  if (takes === 'list') {
    const Values = isChosen(field) ? ChosenValues : TypedValues
    return <Values key={field.Name} {...shared} />
  }
  if (takes === 'pair') {
    const [from = null, to = null] = values
    const setOne = (at: 0 | 1, given: FilterScalar | null): void =>
      builder.set(id, (before) => {
        const [first = null, last = null] = before.values
        return { ...before, values: at === 0 ? [given, last] : [first, given] }
      })
    return (
      <>
        <OneValue
          key={field.Name}
          {...shared}
          label={say('valueFrom')}
          value={from}
          onChange={(given) => setOne(0, given)}
        />
        <OneValue
          key={`${field.Name} to`}
          {...shared}
          label={say('valueTo')}
          value={to}
          onChange={(given) => setOne(1, given)}
        />
      </>
    )
  }
  const isOfView = builder.metadata.Fields.includes(field)
  const others =
    comparesFields && isOfView ? builder.fields.filter((other) => isComparable(field, other)) : []
  return (
    <OneValue
      key={field.Name}
      {...shared}
      label={say('value')}
      value={value}
      onChange={(given) =>
        builder.set(id, (before) => ({ ...before, value: given, valueField: undefined }))
      }
      valueField={valueField}
      fields={others}
      onField={(name) => builder.set(id, (before) => ({ ...before, valueField: name }))}
    />
  )
}
