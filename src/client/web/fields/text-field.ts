/** Text. */
import type { FieldKind } from './field-kind.ts'

/** A text is what it is. */
export const sameText = (text: string): string => text

export const TEXT: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: String,
  fromText: sameText,
}
