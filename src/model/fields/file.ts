import { say } from '../../kernel/messages.ts'
import { compareText, FieldFault, type FieldKind, isBlank, jsonToJsonSql } from './field-kind.ts'

const KEY_LENGTH_MAX = 200

/**
 * A list of files, stored as JSON text. `parse` gives the list of what the caller names: upload
 * keys, and the Paths of stored files to keep. The writer of the record must replace both by the
 * files themselves and refuse a Path that the record does not hold.
 */
export const file: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.String',
  number: undefined,
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: false,
  structure: 'files',
  key: undefined,
  takesBounds: false,
  isOrdered: false,
  matchesParts: false,
  isServedAsStored: false,
  characters: 0,
  parse(value, field) {
    if (isBlank(value)) return null
    const names = (Array.isArray(value) ? value : [value]).map(toName)
    if (!names.every((name) => name !== undefined)) {
      return new FieldFault(say`Must be a list of upload keys`)
    }
    if (field.maxCount !== undefined && names.length > field.maxCount) {
      return new FieldFault(say`At most ${field.maxCount} files are allowed`)
    }
    return names.length === 0 ? null : JSON.stringify(names)
  },
  toJsonSql: jsonToJsonSql,
  fromText: undefined,
  compare: compareText,
}

/** An upload key, or the Path of a stored file as it was served. */
function toName(entry: unknown): string | undefined {
  if (typeof entry === 'object' && entry !== null && 'Path' in entry) return toName(entry.Path)
  const isName = typeof entry === 'string' && entry.length <= KEY_LENGTH_MAX
  return isName && /^[\w][\w./-]*$/.test(entry) ? entry : undefined
}
