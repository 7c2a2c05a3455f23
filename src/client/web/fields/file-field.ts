/** Files, by their names. */
import { formatNumber } from '../texts/texts.ts'
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

/** True for content that browsers draw as a picture. */
export const isPicture = (contentType: string): boolean =>
  /^image\/(?:avif|bmp|gif|jpeg|png|svg\+xml|webp)\b/.test(contentType)

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** The size of a file: `42 kB`. */
export function tellSize(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return formatNumber(bytes / 1000 ** at, {
    style: 'unit',
    unit: UNITS[at]!,
    unitDisplay: 'short',
    maximumFractionDigits: at < 2 ? 0 : 1,
  })
}

/** The kind and size of a file, the kind as its name ends: `PDF · 42 kB`. */
export function tellFile({
  FileName,
  ContentType,
  Size,
}: Pick<ListedFile, 'FileName' | 'ContentType' | 'Size'>): string {
  const [, ending = ContentType.split(';')[0]] = /\.(\w{1,5})$/.exec(FileName) ?? []
  return [ending?.toUpperCase(), tellSize(Size)].filter(Boolean).join(' · ')
}

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
