/** Exports: their requests, and their files as they are fetched. */
import { timeFormat } from '../../texts/formats.ts'
import { say, zone } from '../../texts/texts.ts'
import { ToldError } from '../../api/told-error.ts'
import { fetchFile, type Schemas, take, wire } from '../../api/wire.ts'
import { type GridQuery, queryBody } from '../../state/grid-query.ts'
import { followOperation, type OperationProgress } from '../../state/operation.ts'

type Metadata = Schemas['MetadataResult']
type Row = Schemas['FieldValues']

/** The choices of a user for an export. */
interface ExportChoice {
  format: string
  query: GridQuery
  /** Exactly these rows of the query; undefined for all of it. */
  rows: readonly Row[] | undefined
  /** Columns in their order; undefined for those of the grid. */
  fields: readonly string[] | undefined
}

/** True where selected rows can be named by a condition: their key is one field that is served. */
export const canExportSelected = ({ Keys }: Metadata): boolean => Keys.length === 1

/** The request of an export: what the grid shows now, or the selected rows of it. */
export function planExport(
  metadata: Metadata,
  choice: ExportChoice,
): Schemas['ExportTableRequest'] {
  const { format, query, rows, fields } = choice
  const body = queryBody(query)
  const [key = ''] = metadata.Keys
  const isSelected: Schemas['Filter'] | undefined = rows && {
    Field: key,
    Operator: 'in',
    Value: rows.map((row) => row[key] as string),
  }
  return {
    ObjectName: metadata.Slug,
    Format: format,
    ...body,
    ...(isSelected && { Filters: [...(body.Filters ?? []), isSelected] }),
    ...(fields && { Fields: [...fields] }),
  }
}

/** The name under which a user keeps the file, by their day: `Orders 2026-11-29.csv`. */
export function nameExport({ Label }: Metadata, { FileName }: Schemas['MadeFile']): string {
  const ending = FileName.slice(FileName.lastIndexOf('.'))
  // Swedish days are written as ISO 8601 has them.
  const day = timeFormat('sv', { dateStyle: 'short', timeZone: zone.value }).format(new Date())
  return `${Label} ${day}${ending}`
}

/**
 * Has the file made; `onRows` has the rows so far, as the hub tells them.
 * @throws ServerError; the signal's reason once it is aborted
 */
export async function makeExport(
  request: Schemas['ExportTableRequest'],
  signal: AbortSignal,
  onRows: (progress: OperationProgress) => void,
): Promise<Schemas['MadeFile']> {
  const { id: OperationId, end } = followOperation(onRows)
  const body = { ...request, OperationId }
  try {
    const { File: made } = await take(wire.POST('/api/v1/svc/object/export-data', { body, signal }))
    if (!made) throw new ToldError(say('answerNoFile'))
    return made
  } finally {
    end()
  }
}

/** Has a job make the file; a notification brings it. @throws ServerError */
export async function makeExportLater(request: Schemas['ExportTableRequest']): Promise<void> {
  const body = { ...request, Background: true }
  await take(wire.POST('/api/v1/svc/object/export-data', { body }))
}

/** Fetches a file piece by piece; `onProgress` has the bytes so far. @throws as `makeExport` */
export async function fetchPieces(
  { Url, ContentType }: Schemas['MadeFile'],
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const { body } = await fetchFile(Url, { signal })
  const pieces: BlobPart[] = []
  let bytes = 0
  for (const reader = body?.getReader(); reader;) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    onProgress((bytes += value.byteLength))
  }
  return new Blob(pieces, { type: ContentType })
}
