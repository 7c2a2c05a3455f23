/** Imports as their choices: what columns become, which fields are missed, the fields of a form. */
import type { Schemas } from '../../api/wire.ts'

type Preview = Schemas['ImportPreview']
type Field = Schemas['ImportField']

/** Ways in which the rows of a file become records. */
export type ImportMode = 'insert' | 'update' | 'upsert'

/** The choices of a user for an import. */
export interface ImportChoice {
  mode: ImportMode
  /** The field of each column; null leaves it out. */
  names: readonly (string | null)[]
  /** Fields that stored records are found by; none for the key of the object. */
  keyFields: readonly string[]
  /** Leaves out rows with errors, rather than to import nothing. */
  skips: boolean
  /** How the file writes numbers and dates; empty for the language of the user. */
  culture: string
}

/** Mended cells by line, then by column. */
export type MendedCells = ReadonlyMap<number, ReadonlyMap<number, string>>

/** Fields that columns may become: a key that the server gives only finds stored records. */
export const listFields = ({ Fields }: Preview, mode: ImportMode): Field[] =>
  Fields.filter(({ Key }) => !Key || mode !== 'insert')

/** Gives a column another field, which no other column has then. */
export const mapColumn = (
  names: readonly (string | null)[],
  column: number,
  name: string | null,
): (string | null)[] =>
  names.map((each, at) => (at === column ? name : each === name ? null : each))

/** Columns as their heads say them, without those that the mode does not take. */
export const proposeNames = (preview: Preview, mode: ImportMode): (string | null)[] => {
  const offered = new Set(listFields(preview, mode).map(({ Name }) => Name))
  return preview.Columns.map(({ Name }) => (Name !== null && offered.has(Name) ? Name : null))
}

/** Fields that new records need and no column brings. */
export function listMissing(preview: Preview, { mode, names }: ImportChoice): Field[] {
  if (mode === 'update') return []
  const fields = listFields(preview, mode)
  const brought = new Set(
    fields.filter(({ Name }) => names.includes(Name)).map(({ Field: field }) => field),
  )
  return fields.filter(
    ({ Required, Field: field }, at) =>
      Required && !brought.has(field) && fields.findIndex((each) => each.Field === field) === at,
  )
}

/** Fields of columns by which stored records could be found. */
export const listKeyFields = (preview: Preview, { names }: ImportChoice): Field[] =>
  preview.Fields.filter(({ Name }) => names.includes(Name))

/** True where stored records can be found: by the object's key, or by fields that are chosen. */
export function findsRecords(
  preview: Preview,
  choice: ImportChoice,
  keys: readonly string[],
): boolean {
  if (choice.mode === 'insert') return true
  const brought = new Set(listKeyFields(preview, choice).map(({ Field: field }) => field))
  return choice.keyFields.length > 0
    ? choice.keyFields.every((key) => brought.has(key))
    : keys.every((key) => brought.has(key))
}

/** The fields of the form, the file left out. */
export function planForm(
  object: string,
  { Columns, Sheets }: Preview,
  choice: ImportChoice & { sheet: string | null; cells: MendedCells },
): Record<string, string> {
  const { mode, names, keyFields, culture, sheet, cells } = choice
  const headed = Columns.flatMap(({ Head }, at) =>
    Head.trim() === '' ? [] : [[Head, names[at] ?? null] as const],
  )
  // Of two columns with one head the one counts that has a field.
  const mapping = Object.fromEntries([
    ...headed.filter(([, name]) => name === null),
    ...headed.filter(([, name]) => name !== null),
  ])
  return {
    objectName: object,
    mode,
    mapping: JSON.stringify(mapping),
    ...(keyFields.length > 0 && mode !== 'insert' && { keyFields: JSON.stringify(keyFields) }),
    ...(culture !== '' && { culture }),
    ...(sheet !== null && Sheets.length > 1 && { sheet }),
    ...(cells.size > 0 && { cells: JSON.stringify(toWire(cells, Columns)) }),
  }
}

const toWire = (
  cells: MendedCells,
  columns: Preview['Columns'],
): Record<string, Record<string, string>> =>
  Object.fromEntries(
    [...cells].map(([line, row]) => [
      String(line),
      Object.fromEntries([...row].map(([at, text]) => [columns[at]?.Head ?? '', text])),
    ]),
  )

/** Bytes of the beginning of a text that its preview needs. */
const HEAD_BYTES = 512 * 1024

/** First bytes of files that are read as a whole: archives, compound files, XML. */
const WHOLE = ['504b', 'd0cf', '3c3f', '3c57', 'efbbbf3c']

/** The beginning of a text up to the end of a line; another file as a whole. */
export async function cutHead(file: File): Promise<Blob> {
  if (file.size <= HEAD_BYTES) return file
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const first = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (WHOLE.some((each) => first.startsWith(each))) return file
  const isWide = bytes.subarray(0, 400).includes(0)
  const end = isWide ? HEAD_BYTES : bytes.lastIndexOf(10) + 1
  return new Blob([bytes.subarray(0, end > 0 ? end : HEAD_BYTES)])
}

/** Columns of a row that hold its faults; all that are mapped where the row itself is at fault. */
export function findFaultCells(
  { Fields, Columns }: Preview,
  names: readonly (string | null)[],
  faults: Readonly<Record<string, string>>,
): ReadonlySet<number> {
  const fieldOf = new Map(Fields.map(({ Name, Field: field }) => [Name, field]))
  const own = names.flatMap((name, at) =>
    name !== null && (fieldOf.get(name) ?? name) in faults ? [at] : [],
  )
  if (own.length > 0) return new Set(own)
  return new Set(Columns.flatMap((_, at) => ((names[at] ?? null) === null ? [] : [at])))
}
