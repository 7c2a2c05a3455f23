/** Whole numbers and decimals, as people of the language read them. */
import { formatNumber } from '../texts/texts.ts'
import type { FilterScalar } from '../state/filter-tree.ts'
import type { FieldKind } from './field-kind.ts'
import { NUMBER_OPERATORS } from './operators.ts'
import { sameText } from './text-field.ts'

const isNumber = (value: FilterScalar): boolean =>
  String(value).trim() !== '' && Number.isFinite(Number(value))

export const INTEGER: FieldKind = {
  align: 'end',
  fitsCell: true,
  isCopied: true,
  format: (value, { Format }) =>
    Format === null ? String(value) : formatNumber(Number(value), { maximumFractionDigits: 0 }),
  operators: NUMBER_OPERATORS,
  valueKinds: ['value'],
  isValue: (value) => isNumber(value) && /^[+-]?\d+$/.test(String(value)),
  alike: 'number',
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
  operators: NUMBER_OPERATORS,
  valueKinds: ['value'],
  isValue: isNumber,
  alike: 'number',
  fromText: sameText,
}
