/** Jobs and scripts of extensions as kinds of jobs. */
import { Failure, invalid } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import { type CallerApi, openCallerApi } from './caller-api.ts'
import { wasAsked } from './enqueue-named.ts'
import { type AnswerCall, SCRIPT_ENDED, SCRIPT_FAILED } from './extension-run.ts'
import type { Extensions } from './extensions.ts'
import { findExecutable, requireExecute } from './find-executable.ts'
import { PART_NAME } from './part-names.ts'
import { readPartParameters } from './part-parameters.ts'
import { type ResultOrder, runOrder } from './run-script.ts'
import type { FindJobKind, JobRun } from '../jobs/job.ts'
import { EVENTS_ENDLESS } from '../object/after-write/event-listeners.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import type { QueryCache } from '../object/read/query-cache.ts'

export interface ExtensionJobParts {
  engine: ObjectEngine
  reader: QueryCache
  extensions: Extensions
  log: Log
  /** `Svc:Jobs:Timeout`. */
  timeoutMs: number
}

/**
 * Finds the job or script of an extension that jobs of a name run. Before extensions are loaded
 * every name may belong to one: its run waits for that.
 */
export const findExtensionJobs =
  (parts: ExtensionJobParts): FindJobKind =>
  (name) => {
    if (!PART_NAME.test(name)) return undefined
    const { loaded } = parts.extensions
    const found = loaded && findExecutable(loaded, name)
    if (loaded && !found) return undefined
    return {
      name: found?.part.Name ?? name,
      ...(found && {
        requireMayAsk: (caller) => requireExecute(caller, parts.engine.models.get(), found),
      }),
      run: (run) => runAsJob(parts, run),
    }
  }

/**
 * Runs a job as its owner. A job that a user asked for by name needs Execute also when it runs; the
 * gate of one that an action or event caused was that of the action or event.
 */
async function runAsJob(parts: ExtensionJobParts, run: JobRun): Promise<unknown> {
  const { extensions } = parts
  const { job } = run
  const found = findExecutable(await extensions.load(), job.Name)
  if (!found) throw new Failure('internal', say`There is no job named ${job.Name}`)
  const { part, file } = found
  const api = await openJobApi(parts, run)
  if (api && wasAsked(job)) requireExecute(api.caller, api.model, found)
  const parameters = readPartParameters(part.Parameters, run.arguments)
  const base = { folder: extensions.folder, file, name: part.Name, parameters }
  return runJobOrder(
    parts,
    run,
    part.Kind === 'job'
      ? { do: 'job', ...base, jobId: job.Id, attempt: job.Attempts }
      : { do: 'run', ...base },
    api,
  )
}

/** Time that a process has beyond that of its job: the job's own end comes first. */
const SPARE_MS = 10_000

/** Runs an order as a job; without an `api` as the engine, which reads and writes nothing. */
export async function runJobOrder(
  { extensions, log, timeoutMs }: ExtensionJobParts,
  run: JobRun,
  order: ResultOrder,
  api: CallerApi | undefined,
): Promise<unknown> {
  const { memoryBytesMax } = extensions.limits
  try {
    const { resultJson } = await runOrder(extensions, order, {
      api: api ?? { log, language: 'en', traceId: traceIdOf(run) },
      answer: api ? openCallerApi(api, order.name) : refuseEngine,
      limits: { deadlineMs: timeoutMs + SPARE_MS, memoryBytesMax },
      ending: run.signal,
      onLog: (text) => run.log(text),
      onProgress: ({ done, total, message }) => run.progress(done, total, message ?? undefined),
    })
    return JSON.parse(resultJson) as unknown
  } catch (error) {
    throw toJobError(error)
  }
}

const traceIdOf = ({ job }: JobRun): string => `job-${job.Id}`

/** The API that answers the calls of a user's job; undefined for one of the engine's own. */
export async function openJobApi(
  { engine, reader, extensions, log }: ExtensionJobParts,
  run: JobRun,
  eventDepth?: number,
): Promise<CallerApi | undefined> {
  if (run.job.UserId === null) return undefined
  const caller = await run.requireCaller()
  return {
    engine,
    reader,
    extensions,
    log,
    caller,
    eventDepth,
    language: run.job.Language ?? 'en',
    traceId: traceIdOf(run),
    get model() {
      return engine.models.get()
    },
  }
}

/** Answers the calls of code that has no user: refuses them. */
export const refuseEngine: AnswerCall = async () => {
  throw invalid(say`Without a user, data cannot be read or changed. Set RunAs.`)
}

/** Code that failed may do better later; a right that is not there, or a circle, ends the job. */
function toJobError(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code !== SCRIPT_FAILED && error.code !== SCRIPT_ENDED) return error
  const { cause } = error
  const isForGood = (each: Failure) => each.kind === 'unauthorized' || each.code === EVENTS_ENDLESS
  if (cause instanceof Failure && isForGood(cause)) return cause
  return new Error(error.message, { cause: error })
}
