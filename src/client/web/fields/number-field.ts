/** Whole numbers and decimals, as people of the language read them. */
import { formatNumber } from '../texts/texts.ts'
import type { FieldKind } from './field-kind.ts'
import { sameText } from './text-field.ts'

export const INTEGER: FieldKind = {
  align: 'end',
  fitsCell: true,
  isCopied: true,
  format: (value, { Format }) =>
    Format === null ? String(value) : formatNumber(Number(value), { maximumFractionDigits: 0 }),
  fromText: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
}

export const DECIMAL: FieldKind = {
  align: 'end',
  fitsCell: true,
  isCopied: true,
  format: (value, { Scale }) =>
    formatNumber(Number(value), {
      minimumFractionDigits: Scale ?? 0,
      maximumFractionDigits: Scale ?? 20,
    }),
  fromText: sameText,
}
