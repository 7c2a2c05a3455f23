/** Several values of a condition: chosen from a list, or typed line by line. */
import '@vaadin/multi-select-combo-box/vaadin-multi-select-combo-box.js'
import '@vaadin/text-area/vaadin-text-area.js'
import { useSignal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { FilterScalar } from '../../state/filter-tree.ts'
import { findValueLabel, keepValueLabel } from '../../state/value-labels.ts'
import { useChoices } from '../../fields/choice-editor.tsx'
import type { Choice } from '../../fields/choice-list.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { isValueOf, valueKindsOf } from '../../fields/filter-kinds.ts'
import { fromText } from '../../fields/kinds.ts'
import { parseText, typeText } from '../../fields/typed-text.ts'
import type { ValueProps } from './builder.ts'

interface ManyProps extends ValueProps {
  /** Values of other fields that hold beside it. */
  given: Readonly<Record<string, FilterScalar>>
}

const setValues = ({ builder, condition: { id } }: ManyProps, values: readonly FilterScalar[]) =>
  builder.set(id, (before) => ({ ...before, values }))

/** Draws the choice of several options or records. */
export function ChosenValues(props: ManyProps) {
  const { builder, condition, field, fault, given } = props
  const { Slug } = builder.metadata
  const labelled = (value: FilterScalar) => ({ object: Slug, field: field.Name, value })
  const { shared } = useChoices({
    field: { ...field, Label: say('value') },
    value: null,
    text: undefined,
    isReadOnly: false,
    isRequired: false,
    fault,
    isCell: true,
    form: { name: Slug, values: given },
    onChange: () => undefined,
  })
  const values = condition.values.filter((each) => each !== null)
  const selected = values.map((value): Choice => ({
    Value: String(value),
    Label:
      field.Options.find(({ Value }) => Value === String(value))?.Label ??
      findValueLabel(labelled(value)) ??
      (value === '' ? say('filterValueEmpty') : String(value)),
  }))
  return (
    <vaadin-multi-select-combo-box
      {...shared}
      selectedItems={selected}
      onselected-items-changed={({ detail }) => {
        const chosen = detail.value as Choice[]
        const texts = chosen.map(({ Value }) => Value)
        if (texts.join('\n') === values.map(String).join('\n')) return
        const kept = chosen.map(({ Value }) => (Value === '' ? '' : fromText(field, Value)))
        for (const [at, value] of kept.entries())
          keepValueLabel(labelled(value), chosen[at]?.Label ?? String(value))
        setValues(props, kept)
      }}
    />
  )
}

/** The value of a line; a day stays the whole day where instants are compared. */
function parseLine(field: MetadataField, line: string): FilterScalar {
  const isKept = valueKindsOf(field).includes('day') && isValueOf(field, line)
  return isKept ? line : (parseText(field, line) as FilterScalar)
}

/** Draws a box with a value on each line, as a column of a sheet is pasted. */
export function TypedValues(props: ManyProps) {
  const { condition, field, fault } = props
  // While it is typed in, the text is the user's: a line that is begun stays.
  const typed = useSignal(condition.values.map(typeText).join('\n'))
  return (
    <vaadin-text-area
      accessibleName={say('value')}
      theme="small"
      placeholder={say('valueLines')}
      minRows={2}
      maxRows={8}
      invalid={fault !== undefined}
      manualValidation
      value={typed.value}
      onvalue-changed={({ detail }) => {
        const text = detail.value ?? ''
        if (text === typed.value) return
        typed.value = text
        const lines = text.split('\n').filter((line) => line.trim() !== '')
        setValues(
          props,
          lines.map((line) => parseLine(field, line.trim())),
        )
      }}
    />
  )
}
