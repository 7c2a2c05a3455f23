import { composeText, normalizeText } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, textToJsonSql } from './field-kind.ts'

/** Most characters of a Text without MaxLength. */
export const TEXT_LENGTH_DEFAULT = 65_536

/**
 * Unicode text in its composed form (NFC) and without blanks at its ends; `Blanks="Keep"` leaves
 * these. A reference is the key of another record, and is taken as it is.
 */
export const text: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.String',
  number: undefined,
  moment: undefined,
  isDated: false,
  isText: true,
  isFlag: false,
  structure: undefined,
  key: 'given',
  takesBounds: false,
  isOrdered: true,
  matchesParts: true,
  isServedAsStored: true,
  characters: 0,
  parse(value, { references, keepsBlanks }) {
    const given = parseExactText(value)
    if (references !== undefined || typeof given !== 'string') return given
    const stored = keepsBlanks ? composeText(given) : normalizeText(given)
    return stored === '' ? null : stored
  },
  toJsonSql: textToJsonSql,
  // A text whose blanks were removed is another one; bytes are served in hexadecimal.
  isServedAs: (given, stored) =>
    given ===
    (stored instanceof Uint8Array ? Buffer.from(stored).toString('hex').toUpperCase() : stored),
  fromText: undefined,
  compare: compareText,
}

/** A text as it came, which is how the key of a stored record is looked up; null for none. */
export function parseExactText(value: unknown): string | null | FieldFault {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string') return new FieldFault(say`Must be text`)
  if (value.includes('\0')) return new FieldFault(say`Text must not contain the NUL character`)
  if (!value.isWellFormed()) return new FieldFault(say`Must be valid Unicode text`)
  return value
}
