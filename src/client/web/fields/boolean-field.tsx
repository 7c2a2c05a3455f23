/** Yes and no. */
import '@vaadin/checkbox/vaadin-checkbox.js'
import { say } from '../texts/texts.ts'
import { controlProps } from './editor-props.ts'
import { CHOICE_OPERATORS } from './operators.ts'
import type { EditorProps, FieldKind } from './field-kind.ts'

function BooleanEditor(props: EditorProps) {
  const { value, isReadOnly, onChange } = props
  const { label, helperText, invalid, errorMessage, name } = controlProps(props)
  return (
    <vaadin-checkbox
      {...{ label, helperText, invalid, errorMessage, name }}
      manualValidation
      readonly={isReadOnly}
      checked={value === true}
      onchecked-changed={({ detail }) => {
        if (detail.value !== (value === true)) onChange(detail.value)
      }}
    />
  )
}

export const BOOLEAN: FieldKind = {
  align: 'start',
  format: (value) => (value === true ? say('yes') : say('no')),
  operators: CHOICE_OPERATORS,
  fromText: (text) => text === 'true',
  Editor: BooleanEditor,
}
