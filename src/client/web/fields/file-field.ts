/** Files, by their names. */
import type { FieldKind } from './field-kind.ts'
import { sameText } from './text-field.ts'

/** A stored file; one that is only uploaded has a key in place of a path. */
export interface ListedFile {
  Path?: string
  UploadKey?: string
  FileName: string
  ContentType: string
  Size: number
}

/** The files of a value; none where it holds none. */
export const listFiles = (value: unknown): ListedFile[] =>
  Array.isArray(value) ? (value as ListedFile[]) : []

export const FILE: FieldKind = {
  align: 'start',
  fitsCell: false,
  isCopied: false,
  format: (value) =>
    listFiles(value)
      .map(({ FileName }) => FileName)
      .join(', '),
  fromText: sameText,
}
