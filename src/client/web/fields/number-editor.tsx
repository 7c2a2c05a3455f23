/**
 * The editors of whole numbers and decimals, typed as people of the language write them:
 * `1.234,50`. Where a double would round a number, it stays the text that it is.
 */
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import { formatNumber, language } from '../texts/texts.ts'
import { parseNumber } from './number-text.ts'
import { controlProps } from './editor-props.ts'
import type { EditorProps, MetadataField } from './field-kind.ts'

const plainText = (value: unknown, field: MetadataField): string =>
  typeof value === 'number'
    ? formatNumber(value, {
        useGrouping: false,
        minimumFractionDigits: field.Scale ?? 0,
        maximumFractionDigits: field.Scale ?? 20,
      })
    : value === null || value === undefined
      ? ''
      : String(value)

/** The keys that a phone shows. */
type NumberKeys = 'numeric' | 'decimal'

function NumberEditor({ keys, ...props }: EditorProps & { keys: NumberKeys }) {
  const { field, value, onChange } = props
  // While it is typed in, the text is the user's: `1,` is not made `1`.
  const typed = useSignal<string | undefined>(undefined)
  const shown = typed.value ?? plainText(value, field)
  return (
    <vaadin-text-field
      {...controlProps(props)}
      theme={props.isCell === true ? 'small align-right' : 'align-right'}
      inputMode={keys}
      value={shown}
      onBlur={() => (typed.value = undefined)}
      onvalue-changed={({ detail }) => {
        const text = detail.value ?? ''
        if (text === shown) return
        typed.value = text
        onChange(parseNumber(text, language.value))
      }}
    >
      {field.Unit !== null && <span slot="suffix">{field.Unit}</span>}
    </vaadin-text-field>
  )
}

/** Draws a whole number. */
export const IntegerEditor = (props: EditorProps) => <NumberEditor {...props} keys="numeric" />

/** Draws a decimal. */
export const DecimalEditor = (props: EditorProps) => <NumberEditor {...props} keys="decimal" />
