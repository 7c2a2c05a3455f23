/** The editor of yes and no. */
import '@vaadin/checkbox/vaadin-checkbox.js'
import { controlProps } from './editor-props.ts'
import type { EditorProps } from './field-kind.ts'

/** Draws a box to check. */
export function BooleanEditor(props: EditorProps) {
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
