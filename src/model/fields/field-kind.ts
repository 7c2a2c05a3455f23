/** Kinds of fields: how each is stored, read from the wire or a file, served and compared. */
import { isBlankText } from '../../kernel/blanks.ts'
import type { Message } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import { compareExact, numberOf } from './exact-number.ts'

/** The reason for refusing a value: a sentence for `fieldErrors` that never repeats the value. */
export class FieldFault {
  readonly message: Message

  constructor(message: Message) {
    this.message = message
  }
}

/** The features of a field that its kind reads. */
export type FieldShape = Pick<
  FieldFeatures,
  | 'label'
  | 'type'
  | 'required'
  | 'maxLength'
  | 'scale'
  | 'min'
  | 'max'
  | 'pattern'
  | 'options'
  | 'maxCount'
  | 'references'
  | 'keepsBlanks'
>

/** The features of a field that a condition on it reads. */
export type ConditionField = FieldShape & Pick<FieldFeatures, 'name'>

/** The shape of a value that carries no rule but its type. */
export const plainShape = (label: string, type: FieldShape['type']): FieldShape => ({
  label,
  type,
  required: false,
  maxLength: undefined,
  scale: undefined,
  min: undefined,
  max: undefined,
  pattern: undefined,
  options: [],
  maxCount: undefined,
  references: undefined,
})

/** One kind of field; `kinds.ts` lists them all. */
export interface FieldKind {
  /** Declared type of the column. */
  readonly sqlType: 'TEXT' | 'INTEGER' | 'REAL'
  /**
   * The stored value of a JSON value from the wire or of a string from a file. Null, undefined and
   * a text of nothing but blanks are null; only a Text that keeps blanks may hold them.
   */
  parse(value: unknown, field: FieldShape): SqlValue | FieldFault
  /**
   * SQL whose value `json_object` prints as the wire wants it. The expression is repeated: it must
   * be a column name. The SQL never fails, and gives valid JSON for any stored value.
   */
  toJsonSql(expression: string, field: Pick<FieldShape, 'scale'>): string
  /**
   * Whether a value of the wire is what a stored one is served as. Left out: where the kind makes
   * the same of both. A stored 1.005 is served as 1.01 by a Decimal of two places.
   */
  isServedAs?(given: unknown, stored: SqlValue): boolean
  /** Order of two stored values that are not null: negative, zero or positive. */
  compare(a: SqlValue, b: SqlValue): number
}

/** Whether it counts as no value: null, undefined, or a text of only blanks. */
export function isBlank(value: unknown): value is null | undefined | '' {
  return value === null || value === undefined || (typeof value === 'string' && isBlankText(value))
}

/** Order of two texts as SQLite's BINARY collation has it: by the bytes of their UTF-8. */
export function compareText(a: SqlValue, b: SqlValue): number {
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

/**
 * Compares two numbers, exactly for whatever holds them: a double, a large integer or a numeral.
 * NaN if either is not a number: it is neither before nor after anything, nor the same.
 */
export function compareNumbers(a: SqlValue, b: SqlValue): number {
  if (isBinary(a) && isBinary(b)) return a < b ? -1 : a > b ? 1 : 0
  const [left, right] = [numberOf(a), numberOf(b)]
  return left && right ? compareExact(left, right) : Number.NaN
}

const isBinary = (value: SqlValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** Text as JSON text; a blob that got into the column is served in hexadecimal. */
export function textToJsonSql(expression: string): string {
  const plain = `CAST(${expression} AS TEXT)`
  return `CASE typeof(${expression}) WHEN 'blob' THEN hex(${expression}) ELSE ${plain} END`
}

/** Returns SQL for JSON as it is stored; null where the column holds anything else. */
export function jsonToJsonSql(expression: string): string {
  return `json(CASE WHEN json_valid(${expression}) THEN ${expression} END)`
}
