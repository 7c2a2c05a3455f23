/** Imports in the background: jobs, which tell their user by a notification. */
import { type Static, Type } from '@sinclair/typebox'
import { Failure, notFound, unavailable } from '../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import { named, orNull } from '../../kernel/schema.ts'
import { HOUR } from '../../kernel/setting.ts'
import { renderStored } from '../../kernel/stored-messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { enqueueJob } from '../../engine/jobs/enqueue.ts'
import {
  type JobKind,
  type JobRow,
  type JobRun,
  ownerOf,
  type OwnResult,
} from '../../engine/jobs/job.ts'
import { planRun } from '../../engine/jobs/plan-run.ts'
import type { NoticeKind } from '../../engine/notifications/notice-kinds.ts'
import { planFailureNotice } from '../../engine/notifications/notify-failure.ts'
import { notifyUser } from '../../engine/notifications/notify-user.ts'
import { ImportResult } from '../../engine/object/import-schema.ts'
import { importData } from '../../engine/object/import/import-data.ts'
import { type ImportRequest, readImportRequest } from '../../engine/object/import/import-request.ts'
import { planWork } from '../../engine/object/import/import-work.ts'
import { IMPORT_JOB, type KeptFile } from '../../engine/object/import/kept-imports.ts'
import { OVERTAKEN } from '../../engine/object/import/row-by-row.ts'
import { type Mutation, newMutation, writeMutation } from '../../engine/object/mutation.ts'
import type { ObjectActionResult } from '../../engine/object/schema.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { answerIdempotent } from '../../server/idempotent-response.ts'
import type { ReceivedFile } from '../../server/multipart.ts'
import { planMutation } from '../../server/mutation.ts'
import { followRun } from './follow-run.ts'
import { findLimits, planParts } from './import-limits.ts'
import { fitFaults, saveDone } from './job-done.ts'
import { labelOf } from './job-label.ts'
import { describeView, findJobView, requireOwnJob } from './own-job.ts'

/** Kind by which users choose the channel of its notifications. */
const KIND: NoticeKind = 'Import'

const TRIES = 3

/** Milliseconds of a run, with its wait for a turn among all imports. */
const TIMEOUT_MS = 6 * HOUR

/** Most characters of a client's file name, cut at the start: its end has the format. */
const FILE_NAME_CHARACTERS_MAX = 255

/** Arguments of an import job. */
interface ImportOrder extends KeptFile {
  /** The text fields of the form, by lower-case name. */
  Fields: Record<string, string>
  FileName: string
  TimeZone: string
  Locale: string
}

/** A form that has been received. */
interface ReceivedImport {
  requested: ImportRequest
  fields: ReadonlyMap<string, string>
  file: ReceivedFile
}

/**
 * Keeps the file and has it imported later; the job is committed with the answer that a repeat
 * under the same key gets. @throws what `planWork` throws, tooMany, tooLarge
 */
export function answerLater(
  call: RequestCall,
  { requested, fields, file }: ReceivedImport,
): Promise<Response> {
  const { app, caller, language, locale } = call
  const { kept } = findLimits(app)
  const { format } = requested
  const order = {
    // The path of the request may have named the format.
    Fields: { ...Object.fromEntries(fields), ...(format !== undefined && { format }) },
    FileName: file.fileName.slice(-FILE_NAME_CHARACTERS_MAX),
    Size: file.size,
    TimeZone: caller.timeZone,
    Locale: locale,
  }
  const { formats, progress } = app
  const parts = planParts(app, { formats, progress, language, locale })
  return kept.keep(file.path, caller.userId, (File) =>
    answerIdempotent(call, (recordResponse) => {
      const mutation = planMutation(call, recordResponse)
      const asked = { path: file.path, fileName: order.FileName }
      const { view } = planWork(mutation, parts, requested, asked)
      const source = `import-data/${view.name}`
      return enqueueImport(app, mutation, { File, ...order }, { source, language })
    }),
  )
}

function enqueueImport(
  app: AppContext,
  mutation: Mutation,
  order: ImportOrder,
  { source, language }: { source: string; language: string },
): Promise<ObjectActionResult> {
  const { caller } = mutation
  const { userId } = caller
  return writeMutation(mutation, source, async (tx) => {
    await findLimits(app).kept.requireRoom(tx, userId, order.Size)
    const JobId = await enqueueJob(tx, {
      name: IMPORT_JOB,
      arguments: { ...order },
      source,
      queue: 'imports',
      owner: ownerOf(caller, language),
      attemptsMax: TRIES,
      now: app.clock.now(),
      // In the order in which they were sent: one may build upon another.
      exclusiveKey: `${IMPORT_JOB}:${userId}`,
    })
    return { Action: 'import', Keys: null, Ignored: [], Dispatch: [], JobId }
  })
}

/** See `JobKind`. It runs by the rights that its user has then. */
export function importJob(app: AppContext): JobKind {
  const title = (job: JobRow): Message => say`Import of ${labelOf(app, job)} failed`
  const tellFailure = planFailureNotice({ kind: KIND, title })
  return {
    name: IMPORT_JOB,
    staysInside: true,
    timeoutMs: TIMEOUT_MS,
    run: (run) => importLater(app, run),
    onFailure: async (tx, failed) => {
      releaseFile(app, tx, failed.job)
      // One whose process ended after the commit was done all the same, and its user knows.
      if (failed.job.Result === null) await tellFailure(tx, failed)
    },
    onDeleted: (tx, job) => releaseFile(app, tx, job),
    describeOwn: describeOwnImport,
  }
}

const describeOwnImport: JobKind['describeOwn'] = (job, by) => {
  const view = findJobView(job, by, 'Import')
  if (!view) return undefined
  const { Fields } = JSON.parse(job.Arguments) as Partial<ImportOrder>
  const isCheck = Fields?.dryrun?.trim().toLowerCase() === 'true'
  return {
    ...describeView(view),
    kind: isCheck ? 'importCheck' : 'import',
    total: null,
    result: toOwnResult(job),
  }
}

function toOwnResult({ Result }: JobRow): OwnResult | null {
  if (Result === null) return null
  const { ErrorFile, Rows, Inserted, Updated, Failed, ImportId } = JSON.parse(Result) as ImportDone
  return {
    file: ErrorFile?.FileName ?? null,
    rows: Rows,
    written: Inserted + Updated,
    failed: Failed,
    importId: ImportId,
  }
}

function releaseFile(app: AppContext, tx: Tx, { Arguments, UserId }: JobRow): void {
  const { File } = JSON.parse(Arguments) as Partial<ImportOrder>
  findLimits(app).kept.releaseAfter(tx, File, UserId)
}

/** Result of an import job. */
type ImportDone = ImportResult & Pick<ObjectActionResult, 'Ignored'>

async function importLater(app: AppContext, run: JobRun): Promise<unknown> {
  // Committed by a run that was cut off before the job was marked as done.
  if (run.job.Result !== null) return JSON.parse(run.job.Result)
  const order = run.arguments as unknown as ImportOrder
  const { semaphore, kept } = findLimits(app)
  return semaphore.run(async () => {
    run.signal.throwIfAborted()
    const loaded = await run.requireCaller()
    const caller: Caller = { ...loaded, timeZone: order.TimeZone }
    shareValidity(loaded, caller)
    const path = await kept.find(order.File, caller.userId)
    if (path === undefined) throw notFound(say`The file of the import no longer exists`)
    return planRun(app, run, (model) => importKept(app, run, { caller, model, order, path }))
  }, String(run.job.UserId))
}

/** An import with its caller, model and file. */
interface KeptImport {
  caller: Caller
  model: Model
  order: ImportOrder
  path: string
}

/** Imports in one transaction, all rows or none: a run that is planned again has written none. */
async function importKept(
  app: AppContext,
  run: JobRun,
  { caller, model, order, path }: KeptImport,
): Promise<ImportDone> {
  const operationId = `job:${run.job.Id}`
  const request = { ...readImportRequest(new Map(Object.entries(order.Fields))), operationId }
  const parts = planParts(app, {
    formats: app.formats,
    progress: followRun(app, run),
    locale: order.Locale,
    language: caller.language ?? 'en',
    signal: run.signal,
  })
  const by = { engine: app, caller, model, traceId: `job-${run.job.Id}` }
  let done: ImportDone | undefined
  const mutation = newMutation(by, {
    recordResponse: async (tx, result) => {
      done = toDone(result as ObjectActionResult)
      await saveDone(tx, run, done)
      releaseFile(app, tx, run.job)
      await notifyOwner(app, tx, { job: run.job, caller, order, request, done })
    },
  })
  try {
    await importData(mutation, parts, request, { path, fileName: order.FileName })
  } catch (error) {
    // The overtaking change is committed by then: the rows are matched again.
    if (error instanceof Failure && error.code === OVERTAKEN) throw unavailable(error.text)
    throw error
  }
  if (!done) throw new Error('An import ended without a result')
  return done
}

/** The result as a job keeps it: the first faults of a check; all of them are in the file. */
function toDone({ Import, Ignored }: ObjectActionResult): ImportDone {
  if (!Import) throw new Error('An import has no counts')
  const { Faults, ...counts } = Import
  return { ...counts, ...(Faults && { Faults: fitFaults(Faults) }), Ignored }
}

interface DoneImport {
  job: JobRow
  caller: Caller
  order: ImportOrder
  request: ImportRequest
  done: ImportDone
}

async function notifyOwner(
  app: AppContext,
  tx: Tx,
  { job, caller, order, request, done }: DoneImport,
): Promise<void> {
  const { Inserted, Updated, Skipped, Failed, ErrorFile } = done
  const label = labelOf(app, job)
  const counts = say`inserted ${Inserted}, updated ${Updated}, skipped ${Skipped}, failed ${Failed}`
  const title: Message = request.dryRun
    ? say`Import of ${label} (check only): ${counts}`
    : say`Import of ${label}: ${counts}`
  await notifyUser(tx, caller, {
    kind: KIND,
    title: renderMessage(title, caller.language),
    body: order.FileName,
    level: Failed > 0 ? 'warning' : 'success',
    url: ErrorFile?.Url ?? null,
    now: app.clock.now(),
  })
}

/** The job of an import, for who asked for it. */
export const ImportJob = named(
  'ImportJob',
  Type.Object({
    JobId: Type.Integer(),
    State: Type.String(),
    Done: Type.Integer(),
    Total: orNull(Type.Integer()),
    Error: orNull(Type.String()),
    Import: orNull(ImportResult),
  }),
)

type ImportJob = Static<typeof ImportJob>

/** The job of an import, for who asked for it. @throws notFound */
export const requireImportJob = (
  call: Pick<RequestCall, 'app' | 'caller' | 'model'>,
  id: number,
): Promise<JobRow> =>
  requireOwnJob(call, id, {
    name: IMPORT_JOB,
    verb: 'Import',
  })

/** How far the job is, and what it came to. */
export function describeImportJob(app: AppContext, job: JobRow, language: string): ImportJob {
  const { Id, State, Error: error, Result } = job
  const done = Result === null ? null : (JSON.parse(Result) as ImportDone)
  const { Done = 0, Total = null } = app.jobs.findRun(Id)?.latest ?? {}
  return {
    JobId: Id,
    State,
    Done: done?.Rows ?? Done,
    Total: done?.Rows ?? Total,
    Error: error === null ? null : renderStored(error, language),
    Import: done && toCounts(done),
  }
}

const toCounts = ({ Ignored: _, ...counts }: ImportDone): ImportResult => counts
