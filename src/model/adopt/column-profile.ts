/** The profile of a column's values, how they are read, and how a report shows them. */
import {
  BrokenText,
  LargeCell,
  SourceBytes,
  type SourceCell,
} from '../../store/file/source-file.ts'
import type { SourceReading } from './readings.ts'
import type { SourceColumn, SourceTable } from './source-schema.ts'
import { quote } from '../sql/quote.ts'

/** The values of a column, and how they are read. */
export interface ColumnProfile {
  column: SourceColumn
  reading: SourceReading
  scale: number | undefined
  nulls: number
  /** Rows with a value that the declared type does not promise, and the first one. */
  misfits: { name: string; rows: number; example: string } | undefined
  /** Texts without a character that is seen: for other types than Text no value. */
  blank: number
  /** Texts without a character. */
  empty: number
  /** Longest value in characters. */
  longest: number
  /** True when some value is stored otherwise than it is, so that two may become one. */
  isRewritten: boolean
  /** The reason why it is a Text: another type would make different values the same. */
  apart: string | undefined
  blobs: number
  blobBytes: number
}

/** Plans how these columns of a table are read. */
export const planRead = (
  table: SourceTable,
  keys: readonly string[],
  columns: readonly SourceColumn[],
) => ({
  // An index of a hostile file, or of a collation that is not known, is not read.
  table: `main.${quote(table.name)} NOT INDEXED`,
  keys,
  columns: columns.map((column) => ({
    name: quote(column.name),
    isSized: false,
  })),
})

/** A number with its noun. */
export const tellCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

const SHOWN = 40

/** A value as a report shows it. */
export function describeCell(cell: SourceCell): string {
  if (cell === null) return 'NULL'
  if (cell instanceof SourceBytes || cell instanceof LargeCell) return `${cell.size} bytes`
  if (cell instanceof BrokenText) return describeCell(cell.text)
  if (cell instanceof Uint8Array) return `${cell.length} bytes`
  if (typeof cell !== 'string') return String(cell)
  const text = JSON.stringify(cell.slice(0, SHOWN))
  return cell.length > SHOWN ? `${text.slice(0, -1)}…"` : text
}
