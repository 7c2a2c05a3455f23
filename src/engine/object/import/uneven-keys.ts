/**
 * Stored keys that are not as texts are stored now, of a database that was taken over: a row of a
 * file with `K2` is about the record that has `K2` with a blank behind it.
 */
import { BLANKS, normalizeText } from '../../../kernel/blanks.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quote } from '../../../model/sql/quote.ts'
import { keyText } from '../record/written-row.ts'

/** Rows that are looked through at a time. */
const PAGE = 5000

/** Whatever has no character behind U+02FF is composed. */
const MAYBE_UNCOMPOSED = '*[^\u0001-\u02ff]*'

/** Keys of stored records as they are, by the text of the keys that a file has for them. */
export type UnevenKeys = ReadonlyMap<string, readonly SqlValue[][]>

interface KeySource {
  reader: Reader
  entity: Entity
  /** Fields that tell records apart. */
  keys: readonly Field[]
}

/** A key as a file has it, once it is read. */
export const toEvenKey = (
  fields: readonly Field[],
  values: readonly SqlValue[],
): readonly SqlValue[] =>
  values.map((value, at) => {
    const field = fields[at]
    return field && typeof value === 'string' && isEven(field) ? normalizeText(value) : value
  })

/** True when texts of a field are stored without blanks at their ends. */
const isEven = ({ type, references, keepsBlanks }: Field): boolean =>
  FIELD_KINDS[type].isText && references === undefined && !keepsBlanks

/** Reads every key of the table once; nothing is read where no key is a text. */
export async function loadUnevenKeys({ reader, entity, keys }: KeySource): Promise<UnevenKeys> {
  const found = new Map<string, SqlValue[][]>()
  const names = keys.map(({ column, name }) => column?.name ?? name)
  const texts = names.filter((_, at) => keys[at] && isEven(keys[at])).map(quote)
  if (texts.length === 0) return found
  const isUneven = texts.map((name) => `${name} <> trim(${name}, @blanks) OR ${name} GLOB @glob`)
  for (let last = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await reader.all(
      `SELECT rowid AS _row, ${names.map(quote).join(', ')} FROM main.${quote(entity.table)} ` +
        `WHERE rowid > @last AND (${isUneven.join(' OR ')}) ORDER BY rowid LIMIT ${PAGE}`,
      { last, blanks: BLANKS, glob: MAYBE_UNCOMPOSED },
    )
    for (const row of rows) {
      const stored = names.map((name) => row[name] ?? null)
      const even = keyText(toEvenKey(keys, stored))
      if (even !== keyText(stored)) found.set(even, [...(found.get(even) ?? []), stored])
    }
    if (rows.length < PAGE) return found
    last = Number(rows.at(-1)?._row)
  }
}
