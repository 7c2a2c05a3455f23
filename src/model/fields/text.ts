import { compareText, FieldFault, textToJsonSql, type FieldKind } from './field-kind.ts'
import { say } from '../../kernel/messages.ts'

/** Most characters of a Text that does not say. */
export const TEXT_LENGTH_DEFAULT = 65_536

/** Unicode text, kept as it came: neither trimmed nor normalised. */
export const text: FieldKind = {
  sqlType: 'TEXT',
  parse(value) {
    if (value === null || value === undefined) return null
    if (typeof value !== 'string') return new FieldFault(say`A text is needed here`)
    if (value.includes('\0')) return new FieldFault(say`A text must not hold the character NUL`)
    if (!value.isWellFormed()) return new FieldFault(say`This is no valid Unicode text`)
    return value
  },
  toJsonSql: textToJsonSql,
  compare: compareText,
}
