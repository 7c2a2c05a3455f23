/** Kinds of fields: how each is stored, read from the wire or a file, served and compared. */
import { isBlankText } from '../../kernel/blanks.ts'
import type { Message } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import { compareExact, numberOf } from './exact-number.ts'

/** The reason for refusing a value: a sentence for `fieldErrors` that never repeats the value. */
export class FieldFault {
  readonly message: Message

  constructor(message: Message) {
    this.message = message
  }
}

/** The features of a field that its kind reads. */
interface KindRules {
  /** Decimal places; 2 where left out. */
  readonly scale?: number | undefined
  /** Most files of a list. */
  readonly maxCount?: number | undefined
  /** The entity whose keys the values are. */
  readonly references?: string | undefined
  /** True when a text keeps the blanks at its ends. */
  readonly keepsBlanks?: boolean | undefined
}

/** A stored text read as a value of a kind, in SQL. */
interface TextReading {
  /** SQL of the value. */
  value: string
  /** SQL that tests whether the text is spelled as the kind spells it; undefined: each is. */
  isLossless: string | undefined
}

/** A scaled number has the decimal places of its field's Scale. */
export type NumberForm = 'whole' | 'scaled'

/** Days lie on the calendar, times on the clock, and instants on both. */
export type Moment = 'day' | 'instant' | 'time'

/**
 * Keys are `numbered` by the database where they are an Identity, `generated` by the engine, or
 * `given` by the creator of the record.
 */
export type KeyForm = 'numbered' | 'generated' | 'given'

/**
 * One kind of field; `kinds.ts` lists them all. Its members are all that the engine asks of a kind:
 * no code outside of its file compares the names of kinds.
 */
export interface FieldKind {
  /** Declared type of the column. */
  readonly sqlType: 'TEXT' | 'INTEGER' | 'REAL'
  /** The type of a result column as clients of .NET name it (src/server/README.md, Objects). */
  readonly clrType: string
  /** Whole numbers, or numbers with a Scale; undefined where values are not reckoned with. */
  readonly number: NumberForm | undefined
  /** The part of time that a value is; undefined for none. */
  readonly moment: Moment | undefined
  /** Lies on the calendar: has weeks and months, and is filtered by periods. */
  readonly isDated: boolean
  /** Words that people write: with a MaxLength, a Pattern, a search, an order by language. */
  readonly isText: boolean
  /** True or false: stored as 1 and 0, served as JSON has them. */
  readonly isFlag: boolean
  /** Many values in one, stored as JSON text: neither grouped nor sorted; undefined for one. */
  readonly structure: 'document' | 'files' | undefined
  /** The way of a new record to a key of the kind; undefined where no key may be such. */
  readonly key: KeyForm | undefined
  /** Takes Min and Max. */
  readonly takesBounds: boolean
  /** Has an order that means something to people, so that the first and last are asked for. */
  readonly isOrdered: boolean
  /** Takes the operators that look into a text, and is found by its stored spelling. */
  readonly matchesParts: boolean
  /** A stored value of a column is, as it is, the JSON that the wire wants. */
  readonly isServedAsStored: boolean
  /** Least width of a sheet's column in characters; 0: as its values need. */
  readonly characters: number
  /**
   * The stored value of a JSON value from the wire or of a string from a file. Null, undefined and
   * a text of nothing but blanks are null; only a Text that keeps blanks may hold them.
   */
  parse(value: unknown, field: KindRules): SqlValue | FieldFault
  /**
   * SQL whose value `json_object` prints as the wire wants it. The expression is repeated: it must
   * be a column name. The SQL never fails, and gives valid JSON for any stored value.
   */
  toJsonSql(expression: string, field: Pick<KindRules, 'scale'>): string
  /**
   * True when a value of the wire is what a stored one is served as. Left out: where the kind makes
   * the same of both. A stored 1.005 is served as 1.01 by a Decimal of two places.
   */
  isServedAs?(given: unknown, stored: SqlValue): boolean
  /**
   * Reads SQL of a trimmed stored text that is not empty, when a column becomes one of this kind;
   * undefined where no text becomes a value.
   */
  readonly fromText: ((text: string) => TextReading) | undefined
  /** Order of two stored values that are not null: negative, zero or positive. */
  compare(a: SqlValue, b: SqlValue): number
}

/** True when it counts as no value: null, undefined, or a text of only blanks. */
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
