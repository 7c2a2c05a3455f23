/** Yes and no. */
import { say } from '../texts/texts.ts'
import type { FieldKind } from './field-kind.ts'
import { FLAG_OPERATORS } from './operators.ts'

export const BOOLEAN: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: (value) => (String(value) === 'true' ? say('yes') : say('no')),
  operators: FLAG_OPERATORS,
  valueKinds: ['value'],
  isValue: (value) => ['true', 'false'].includes(String(value)),
  listChoices: () => [
    { Value: 'true', Label: say('yes') },
    { Value: 'false', Label: say('no') },
  ],
  alike: 'flag',
  fromText: (text) => text === 'true',
}
