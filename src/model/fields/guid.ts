import { trimBlanks } from '../../kernel/blanks.ts'
import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, isBlank, textToJsonSql } from './field-kind.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** LIKE pattern of a GUID, as SQL. */
const GUID_LIKE = `'________-____-____-____-____________'`

/** A GUID without hyphens, as some databases write it. */
const BARE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/**
 * A GUID in its canonical spelling: lower case with hyphens, no braces. It is read in capitals, in
 * braces and without hyphens, too.
 */
export const guid: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.Guid',
  number: undefined,
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: false,
  structure: undefined,
  key: 'generated',
  takesBounds: false,
  isOrdered: false,
  matchesParts: true,
  isServedAsStored: true,
  characters: 36,
  parse(value) {
    if (isBlank(value)) return null
    const given = typeof value === 'string' ? trimBlanks(value).toLowerCase() : ''
    const wanted = given.replace(/^\{(.*)\}$/, '$1').replace(BARE, '$1-$2-$3-$4-$5')
    return GUID.test(wanted) ? wanted : new FieldFault(say`Must be a GUID`)
  },
  toJsonSql: textToJsonSql,
  fromText: (text) => ({
    value: `lower(${text})`,
    isLossless: `${text} LIKE ${GUID_LIKE} AND replace(${text}, '-', '') NOT GLOB '*[^0-9a-fA-F]*'`,
  }),
  compare: compareText,
}
