/** Bulk edits of selected rows: their requests and their jobs. */
import { say } from '../../texts/texts.ts'
import { ToldError } from '../../api/told-error.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { followJob } from '../../state/follow-job.ts'
import type { Intent } from '../../state/intent.ts'
import { keyOfRow } from '../../state/selection.ts'
import { fitsCell } from '../../fields/kinds.ts'

type Metadata = Schemas['MetadataResult']
type Many = Schemas['ManyResult']

/** Fields that can be given one value in many records, as far as the caller may write them. */
export const listBulkFields = (
  { Fields }: Metadata,
  permissions: Schemas['Permissions'] | undefined,
): Schemas['MetadataField'][] =>
  Fields.filter((field) => {
    const { In, Hidden, ReadOnly, Key, Stamp, Name } = field
    const isWritable = In.includes('Form') && !(Hidden || ReadOnly || Key || Stamp)
    return isWritable && fitsCell(field) && permissions?.Fields[Name] === undefined
  })

/** The request of a bulk edit; each row with the RowVersion that the user saw. */
export const planBulk = (
  metadata: Metadata,
  rows: readonly Schemas['FieldValues'][],
  values: Schemas['FieldValues'],
): Schemas['SubmitManyRequest'] => ({
  FormName: metadata.Slug,
  Keys: rows.map((row) => keyOfRow(metadata, row)),
  Parameters: values,
})

/** Makes a bulk edit, or counts it; a job is followed to its end. @throws ServerError */
export async function submitBulk(
  body: Schemas['SubmitManyRequest'],
  intent: Intent,
  onProgress: (done: number, total: number) => void,
): Promise<Many> {
  const params = { header: { 'Idempotency-Key': intent.keyOf(body) } }
  try {
    const result = await take(wire.POST('/api/v1/svc/object/submit-many', { params, body }))
    intent.end()
    const many = result.Many ?? (result.JobId && (await followMany(result.JobId, onProgress)))
    if (!many) throw new ToldError(say('answerNoResult'))
    return many
  } catch (thrown) {
    intent.end(thrown)
    throw thrown
  }
}

/** Follows the job of a bulk edit. @throws ServerError as the job tells it */
function followMany(
  jobId: number,
  onProgress: (done: number, total: number) => void,
): Promise<Many | undefined> {
  const params = { path: { jobId } }
  return followJob(
    jobId,
    () => take(wire.GET('/api/v1/svc/object/submit-many/{jobId}', { params })),
    ({ Many: many }) => many,
    { onProgress: ({ Done, Total }) => onProgress(Done, Total ?? Done) },
  )
}
