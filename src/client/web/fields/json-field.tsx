/** JSON as text. */
import '@vaadin/text-area/vaadin-text-area.js'
import { controlProps } from './editor-props.ts'
import { PRESENCE_OPERATORS } from './operators.ts'
import type { EditorProps, FieldKind } from './field-kind.ts'
import { sameText } from './text-field.tsx'

const jsonText = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, undefined, 2)

/** A text that is no JSON yet goes as it is: the server says what is wrong with it. */
function parseJson(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function JsonEditor(props: EditorProps) {
  const { value, onChange } = props
  const shown = typeof value === 'string' ? value : jsonText(value)
  return (
    <vaadin-text-area
      {...controlProps(props)}
      class="code"
      minRows={3}
      maxRows={20}
      value={shown}
      onChange={(event) => onChange(parseJson(event.currentTarget.value))}
    />
  )
}

export const JSON_VALUE: FieldKind = {
  align: 'start',
  format: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  operators: PRESENCE_OPERATORS,
  fromText: sameText,
  Editor: JsonEditor,
}
