/** A value of a request as its field stores it. */
import type { Message } from '../../kernel/messages.ts'
import { type SqlArg, SqlReal, type SqlValue } from '../../store/sql.ts'
import { FieldFault } from '../../model/fields/field-kind.ts'
import type { FieldShape } from '../../model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { parseExactText } from '../../model/fields/text.ts'

/** A record as it would be stored, by lower-case column or field name. */
export interface Draft {
  get(name: string): SqlValue | undefined
}

export type ParsedValue = { value: SqlValue; fault?: undefined } | { fault: Message }

/** Never throws; the fault is a sentence for `fieldErrors`. A blank text is not a value. */
export const parseValue = (field: FieldShape, value: unknown): ParsedValue =>
  toParsed(FIELD_KINDS[field.type].parse(value, field))

/**
 * The same of a key that a stored record is looked up by: a text is taken as it came, since a
 * database that was taken over may have stored it with blanks at its ends.
 */
export const parseKey = (field: FieldShape, value: unknown): ParsedValue =>
  FIELD_KINDS[field.type].isText ? toParsed(parseExactText(value)) : parseValue(field, value)

const toParsed = (parsed: SqlValue | FieldFault): ParsedValue =>
  parsed instanceof FieldFault ? { fault: parsed.message } : { value: parsed }

/**
 * Tells whether a request sends a value as it is stored, valid or not: it is not written again, so
 * that saving an unchanged form changes nothing. `parsed` is what its type makes of it.
 */
export function isAsStored(
  field: FieldShape,
  { given, parsed, stored }: { given: unknown; parsed: ParsedValue; stored: SqlValue },
): boolean {
  const isNothing = parsed.fault === undefined && parsed.value === null
  if (stored === null || stored === '') return isNothing
  if (given === stored || (parsed.fault === undefined && parsed.value === stored)) return true
  const kind = FIELD_KINDS[field.type]
  if (kind.isServedAs) return kind.isServedAs(given, stored)
  return parsed.fault === undefined && parsed.value === kind.parse(stored, field)
}

/** A value as an authored statement gets it: a Decimal divides as one, also when it is whole. */
export function toArg(field: Pick<FieldShape, 'type'> | undefined, value: SqlArg): SqlArg {
  if (field === undefined || typeof value !== 'number') return value
  return FIELD_KINDS[field.type].sqlType === 'REAL' ? new SqlReal(value) : value
}

/** A stored value as the wire has it: what `toJsonSql` gives for a row, for one value. */
export function toWire(field: Pick<FieldShape, 'type'>, value: SqlValue): unknown {
  if (value === null) return null
  const { isFlag, structure } = FIELD_KINDS[field.type]
  if (isFlag) return value === 1
  if (structure) return parseJson(String(value))
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
