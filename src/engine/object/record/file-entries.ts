/** The content of a File column: a list of files as JSON text. */
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Upload } from '../../files/uploads.ts'

/** One file of a record, as forms and grids show it. */
export interface FileEntry {
  /** `/files/{Path}` serves it. */
  Path: string
  FileName: string
  ContentType: string
  /** Bytes. */
  Size: number
}

/** The file that an upload becomes. */
export const toEntry = ({ Key, FileName, ContentType, Size }: Upload): FileEntry => ({
  Path: Key,
  FileName,
  ContentType,
  Size,
})

/**
 * Reads the entries of a column's text: files, or keys of uploads if a statement of the model
 * stored the list that a request brought. Empty for a text that is not such a list.
 */
export function readEntries(value: SqlValue | undefined): (FileEntry | string)[] {
  if (typeof value !== 'string') return []
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is FileEntry | string {
  if (typeof entry === 'string') return true
  return (
    typeof entry === 'object' && entry !== null && typeof Reflect.get(entry, 'Path') === 'string'
  )
}

/** Tells whether an entry is the key of an upload, rather than a file. */
export const isKey = (entry: FileEntry | string): entry is string => typeof entry === 'string'

/** The Path of an entry, or the key that it is. */
export const pathOf = (entry: FileEntry | string): string =>
  typeof entry === 'string' ? entry : entry.Path

/** The same message for another user's key, an expired key and a key that never existed. */
export const missingFile = (): Message =>
  say`A file does not exist or has expired. Please upload it again.`
