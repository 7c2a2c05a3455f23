/** Requests of an import: the beginning of its file, its check, its job, its template. */
import { say } from '../../texts/texts.ts'
import { ToldError } from '../../api/told-error.ts'
import { uploadForm } from '../../api/upload.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { followJob } from '../../state/follow-job.ts'
import { drawKey, Intent } from '../../state/intent.ts'
import { followOperation, type OperationProgress } from '../../state/operation.ts'
import { cutHead } from './plan-import.ts'

type Result = Schemas['ImportResult']

const ADDRESS = '/api/v1/svc/object/import-data'

/** How far a request is: bytes that are sent, rows that are read, or rows of all. */
export interface ImportProgress {
  stage: 'sending' | 'waiting' | 'reading' | 'writing'
  done: number
  total: number | undefined
}

/** A request that is followed, until its signal. */
export interface Followed {
  signal: AbortSignal
  onProgress(progress: ImportProgress): void
}

/** The fields of a form, and the file that goes behind them. */
function makeForm(fields: Readonly<Record<string, string>>, file: Blob, name: string): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', file, name)
  return form
}

const followBytes =
  ({ onProgress }: Followed) =>
  (done: number, total: number): void =>
    onProgress({ stage: done < total ? 'sending' : 'waiting', done, total })

/** The head and the first rows of a file. @throws ServerError for one that cannot be read */
export async function previewFile(
  objectName: string,
  file: File,
  sheet: string | undefined,
  followed: Followed,
): Promise<Schemas['ImportPreview']> {
  const head = await cutHead(file)
  const form = makeForm({ objectName, ...(sheet !== undefined && { sheet }) }, head, file.name)
  const options = { signal: followed.signal, onProgress: followBytes(followed) }
  const preview = await uploadForm('/api/v1/svc/object/import-preview', form, options)
  return preview as Schemas['ImportPreview']
}

/** A check of a larger file is a job: no proxy on the way gives it up, and it can be stopped. */
const CHECKED_AT_ONCE_BYTES = 4 * 1024 * 1024

/**
 * Counts what an import would do, with the rows that it would leave out; ends with the signal.
 * @throws ServerError
 */
export function checkFile(
  fields: Readonly<Record<string, string>>,
  file: File,
  followed: Followed,
): Promise<Result> {
  const asked = { ...fields, dryRun: 'true', onError: 'skip' }
  return file.size > CHECKED_AT_ONCE_BYTES
    ? checkLater(asked, file, followed)
    : checkNow(asked, file, followed)
}

async function checkNow(
  fields: Readonly<Record<string, string>>,
  file: File,
  followed: Followed,
): Promise<Result> {
  const operation = followOperation((told) => followed.onProgress(toProgress(told)))
  const form = makeForm({ ...fields, operationId: operation.id }, file, file.name)
  const { signal } = followed
  try {
    const options = { key: drawKey(), signal, onProgress: followBytes(followed) }
    const { Import: result } = (await uploadForm(ADDRESS, form, options)) as Done
    if (!result) throw new ToldError(say('answerNoResult'))
    return result
  } finally {
    operation.end()
  }
}

async function checkLater(
  fields: Readonly<Record<string, string>>,
  file: File,
  followed: Followed,
): Promise<Result> {
  const jobId = await beginImport(fields, file, new Intent(), followed)
  try {
    const result = await followImport(jobId, followed)
    if (!result) throw new ToldError(say('importCheckStopped'))
    return result
  } catch (thrown) {
    if (followed.signal.aborted) await stopImport(jobId)
    throw thrown
  }
}

type Done = Schemas['ObjectActionResult']

/** Rows are read before it is known how many there are to be written. */
const toProgress = ({ done, total }: OperationProgress): ImportProgress => ({
  stage: total === undefined ? 'reading' : 'writing',
  done,
  total,
})

/** Sends an import for its job, under one key until it is known to be there. @throws ServerError */
export async function beginImport(
  fields: Readonly<Record<string, string>>,
  file: File,
  intent: Intent,
  followed: Followed,
): Promise<number> {
  const asked = { ...fields, background: 'true' }
  const { name, size, lastModified } = file
  const key = intent.keyOf({ ...asked, name, size, lastModified })
  const form = makeForm(asked, file, name)
  const options = { key, signal: followed.signal, onProgress: followBytes(followed) }
  try {
    const { JobId } = (await uploadForm(ADDRESS, form, options)) as Done
    intent.end()
    if (JobId === undefined) throw new ToldError(say('answerNoResult'))
    return JobId
  } catch (thrown) {
    intent.end(thrown)
    throw thrown
  }
}

/** The result of an import's job; undefined for one that was stopped. @throws ServerError */
export function followImport(
  jobId: number,
  { signal, onProgress }: Followed,
): Promise<Result | undefined> {
  const params = { path: { jobId } }
  return followJob(
    jobId,
    () => take(wire.GET('/api/v1/svc/object/import-data/{jobId}', { params, signal })),
    ({ Import: result }) => result,
    {
      signal,
      onProgress: (job) =>
        onProgress(
          job.Done === 0 && job.Total === null
            ? { stage: 'waiting', done: 0, total: undefined }
            : toProgress({ done: job.Done, total: job.Total ?? undefined }),
        ),
    },
  )
}

/** Stops an import's job: nothing of it is written. @throws ServerError */
export async function stopImport(jobId: number): Promise<void> {
  const params = { path: { jobId } }
  await take(wire.DELETE('/api/v1/svc/object/import-data/{jobId}', { params }))
}

/** Formats of files to fill in. */
export const TEMPLATES = ['xlsx', 'csv'] as const

/** Has an empty file made. @throws ServerError */
export async function makeTemplate(
  name: string,
  format: (typeof TEMPLATES)[number],
): Promise<Schemas['MadeFile']> {
  const params = { path: { name }, query: { format } }
  const address = '/api/v1/svc/object/{name}/import-template'
  const { File: made } = await take(wire.GET(address, { params }))
  if (!made) throw new ToldError(say('answerNoFile'))
  return made
}
