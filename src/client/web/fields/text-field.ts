/** Text. */
import type { FieldKind } from './field-kind.ts'
import { TEXT_OPERATORS } from './operators.ts'

/** A text is what it is. */
export const sameText = (text: string): string => text

export const TEXT: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: String,
  operators: TEXT_OPERATORS,
  valueKinds: ['value'],
  isValue: () => true,
  alike: 'text',
  fromText: sameText,
}

/** Text that names something by its number: a Guid. */
export const GUID: FieldKind = { ...TEXT, alike: 'guid' }
