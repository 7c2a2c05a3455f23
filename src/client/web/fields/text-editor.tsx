/** The editor of text: one line, or several where it may be long. */
import '@vaadin/text-area/vaadin-text-area.js'
import '@vaadin/text-field/vaadin-text-field.js'
import { controlProps } from './editor-props.ts'
import type { EditorProps } from './field-kind.ts'

/** Characters from which on a text has several lines. */
const LONG = 400

/** Draws one line, or several for a long text without a pattern. */
export function TextEditor(props: EditorProps) {
  const { field, value, onChange } = props
  const shown = value === null || value === undefined ? '' : String(value)
  const given = {
    ...controlProps(props),
    value: shown,
    ...(field.MaxLength !== null && { maxlength: field.MaxLength }),
    'onvalue-changed': ({ detail }: CustomEvent<{ value: string }>) => {
      if (detail.value !== shown) onChange(detail.value === '' ? null : detail.value)
    },
  }
  return (field.MaxLength ?? 0) > LONG && field.Pattern === null ? (
    <vaadin-text-area {...given} minRows={2} maxRows={12} />
  ) : (
    <vaadin-text-field {...given} />
  )
}
