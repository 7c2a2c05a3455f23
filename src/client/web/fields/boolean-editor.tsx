/** The editor of yes and no. */
import '@vaadin/checkbox/vaadin-checkbox.js'
import { controlProps } from './editor-props.ts'
import type { EditorProps } from './field-kind.ts'

/** Draws a box to check. */
export function BooleanEditor(props: EditorProps) {
  const { value, onChange } = props
  // A box that must be checked is a rule of the model, not a value that is missing.
  const { required: _, ...control } = controlProps(props)
  return (
    <vaadin-checkbox
      {...control}
      checked={value === true}
      onchecked-changed={({ detail }) => {
        if (detail.value !== (value === true)) onChange(detail.value)
      }}
    />
  )
}
