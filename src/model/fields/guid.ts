import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A GUID in its canonical spelling: lower case with hyphens, no braces. */
export const guid: FieldKind = {
  sqlType: 'TEXT',
  parse(value) {
    if (isBlank(value)) return null
    const wanted = typeof value === 'string' ? trimBlanks(value).toLowerCase() : ''
    return GUID.test(wanted) ? wanted : new FieldFault(say`A GUID is needed here`)
  },
  toJsonSql: textToJsonSql,
  compare: compareText,
}
