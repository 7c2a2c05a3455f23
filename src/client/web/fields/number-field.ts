/** Whole numbers and decimals. Their text is that of the wire where a double would round it. */
import { formatNumber } from '../texts/texts.ts'
import type { FieldKind } from './field-kind.ts'

export const INTEGER: FieldKind = {
  align: 'end',
  format: (value, { Format }) =>
    Format === null ? String(value) : formatNumber(Number(value), { maximumFractionDigits: 0 }),
}

export const DECIMAL: FieldKind = {
  align: 'end',
  format: (value, { Scale }) =>
    formatNumber(Number(value), {
      minimumFractionDigits: Scale ?? 0,
      maximumFractionDigits: Scale ?? 20,
    }),
}
