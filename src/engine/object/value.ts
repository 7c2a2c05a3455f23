/** A value of a request as its field stores it. */
import type { Message } from '../../kernel/messages.ts'
import { FieldFault, type FieldShape } from '../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { SqlReal, type SqlArg, type SqlValue } from '../../store/sql.ts'

/** A record as it would be stored, by lower-case column or field name. */
export interface Draft {
  get(name: string): SqlValue | undefined
}

export type ParsedValue = { value: SqlValue; fault?: undefined } | { fault: Message }

/** Never throws; the fault is a sentence for `fieldErrors`. A blank text is no value. */
export function parseValue(field: FieldShape, value: unknown): ParsedValue {
  const parsed = FIELD_KINDS[field.type].parse(value, field)
  if (parsed instanceof FieldFault) return { fault: parsed.message }
  return { value: parsed === '' ? null : parsed }
}

/** A value as an authored statement gets it: a Decimal divides as one, also when it is whole. */
export function toArg(field: Pick<FieldShape, 'type'> | undefined, value: SqlArg): SqlArg {
  return field?.type === 'Decimal' && typeof value === 'number' ? new SqlReal(value) : value
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
