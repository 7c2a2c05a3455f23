/** JSON as text. */
import type { FieldKind } from './field-kind.ts'
import { sameText } from './text-field.ts'

export const JSON_VALUE: FieldKind = {
  align: 'start',
  fitsCell: false,
  isCopied: true,
  format: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  fromText: sameText,
}
