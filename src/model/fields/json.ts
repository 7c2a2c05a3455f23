import type { SqlValue } from '../../store/sql.ts'
import { holdsMoreValues } from '../../kernel/json-values.ts'
import { JSON_VALUES_MAX } from '../../kernel/limits.ts'
import { compareText, FieldFault, isBlank, jsonToJsonSql, type FieldKind } from './field-kind.ts'
import { say } from '../../kernel/messages.ts'

/** Deepest nesting of a Json value; SQLite itself stops at 1,000. */
export const JSON_DEPTH_MAX = 100

/**
 * A JSON value, stored as compact text. A string from the wire or a file is taken as JSON text, so
 * that what was served and what was exported come back unchanged.
 */
export const json: FieldKind = {
  sqlType: 'TEXT',
  parse(value) {
    if (isBlank(value)) return null
    if (typeof value !== 'string') return toText(value)
    if (holdsMoreValues(value, JSON_VALUES_MAX))
      return new FieldFault(say`The JSON holds more than ${JSON_VALUES_MAX} values`)
    try {
      return toText(JSON.parse(value))
    } catch {
      return new FieldFault(say`This is no valid JSON`)
    }
  },
  toJsonSql: jsonToJsonSql,
  compare: compareText,
}

function toText(value: unknown): SqlValue | FieldFault {
  if (isDeeper(value, JSON_DEPTH_MAX)) return new FieldFault(say`The JSON is nested too deeply`)
  if (hasLoneSurrogate(value))
    return new FieldFault(say`The JSON holds text that is no valid Unicode`)
  return JSON.stringify(value) ?? new FieldFault(say`This is no valid JSON`)
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}

/** SQL that takes such a text out of the JSON would get bytes that are no UTF-8. */
function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, member]) => !name.isWellFormed() || hasLoneSurrogate(member),
  )
}
