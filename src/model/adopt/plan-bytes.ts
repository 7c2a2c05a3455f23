/** Columns of bytes: files, or short values that are written as text. */
import type { SourceFile } from '../../store/file/source-file.ts'
import { READINGS } from './readings.ts'
import type { SourceColumn, SourceTable } from './source-schema.ts'
import { quote } from '../sql/quote.ts'

/** Bytes of digests, identifiers and the like; a longer value is a file. */
const SHORT_BYTES_MAX = 64

/** Names of columns that hold files, however short the values are. */
const FILE_NAME = new RegExp(
  '(?:image|img|picture|pic|photo|foto|bild|logo|avatar|icon|thumb(?:nail)?|cover|scan|pdf|' +
    'document|dokument|attachment|anhang|file|datei|signature|unterschrift)s?$',
  'i',
)

/** The first bytes of files of people, in hexadecimal. */
const MAGIC = [
  ...['89504E47', 'FFD8FF', '47494638', '52494646', '49492A00', '4D4D002A', '3C737667'],
  ...['25504446', '504B0304', 'D0CF11E0', '7B5C7274', '1F8B08', '377ABCAF', '494433'],
  // A picture or document in the wrapper of an Access form.
  '151C2F00',
]

/** The values of a column: how many are bytes, and the longest in hexadecimal digits. */
interface BytesProfile {
  column: SourceColumn
  blobs: number
  longest: number
}

/**
 * Finds how a column that holds nothing but bytes is read: as files, or in hexadecimal where all
 * values are short, no name says that they are files, and few of them begin as one.
 * @throws SourceError
 */
export async function planBytes(
  source: SourceFile,
  table: SourceTable,
  { column, blobs, longest }: BytesProfile,
) {
  const isShort = blobs > 0 && longest <= SHORT_BYTES_MAX * 2
  if (!isShort || FILE_NAME.test(column.name)) return READINGS.file
  const name = quote(column.name)
  const begins = MAGIC.map((bytes) => `hex(${name}) GLOB '${bytes}*'`).join(' OR ')
  const [row] = await source.all(
    `SELECT count(*) AS n FROM main.${quote(table.name)} NOT INDEXED WHERE ${begins}`,
  )
  return Number(row?.n) * 2 >= blobs ? READINGS.file : READINGS.hex
}
