/** Yes and no. */
import { say } from '../texts/texts.ts'
import type { FieldKind } from './field-kind.ts'

export const BOOLEAN: FieldKind = {
  align: 'start',
  fitsCell: true,
  isCopied: true,
  format: (value) => (value === true ? say('yes') : say('no')),
  fromText: (text) => text === 'true',
}
