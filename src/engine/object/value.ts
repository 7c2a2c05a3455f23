/** A value of a request as its field stores it. */
import { FieldFault, type FieldShape } from '../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { SqlValue } from '../../store/sql.ts'

export type ParsedValue = { value: SqlValue; fault?: undefined } | { fault: string }

/** Never throws; the fault is a sentence for `fieldErrors`. A blank text is no value. */
export function parseValue(field: FieldShape, value: unknown): ParsedValue {
  const parsed = FIELD_KINDS[field.type].parse(value, field)
  if (parsed instanceof FieldFault) return { fault: parsed.message }
  return { value: parsed === '' ? null : parsed }
}

/** A stored value as the wire has it: what `toJsonSql` gives for a row, for one value. */
export function toWire(field: Pick<FieldShape, 'type'>, value: SqlValue): unknown {
  if (value === null) return null
  if (field.type === 'Boolean') return value === 1
  if (field.type === 'Json' || field.type === 'File') return parseJson(String(value))
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
