/** The editor of JSON, as text. */
import '@vaadin/text-area/vaadin-text-area.js'
import { controlProps } from './editor-props.ts'
import type { EditorProps } from './field-kind.ts'

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

/** Draws the JSON over several lines. */
export function JsonEditor(props: EditorProps) {
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
