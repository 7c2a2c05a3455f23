/** The text that is searched: rows by their key, each with its texts, as SQL. */
import type { SqlArgs } from '../../store/sql.ts'

/** The key of a row: a text, or a whole number that JavaScript holds exactly. */
export type RowKey = string | number

/** A row as it is read: its key, then the texts that are searched. */
export type TextRow = readonly [key: RowKey, ...texts: string[]]

/** The texts of one company's rows; no part of it may depend on who asks. */
export interface SearchedText {
  /** Equal ids are the same text. */
  id: string
  args: SqlArgs
  /**
   * Statements that give one JSON array of up to `@_rows` `TextRow`s by their key: the first ones,
   * those after `@_after`, and those whose keys are in the JSON array `@_keys`.
   */
  first: string
  next: string
  some: string
  /** Tables of which any change makes the text old; names in lower case. */
  tables: readonly string[]
  /**
   * Tables of which a change is of the rows that refer to its records: up to `@_rows` keys of those
   * that refer to the records of the keys in the JSON array `@_changed`, as one JSON array.
   */
  referred: ReadonlyMap<string, string>
  /** A table whose records are the rows of the same key, so that a change is of one row. */
  own: string | undefined
}
