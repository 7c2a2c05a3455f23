/** A job while it runs: as its kind sees it, and as it is written down at the end. */
import { Failure, type FailureKind, invalid } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { storeMessage } from '../../kernel/stored-messages.ts'
import { isModelChanged } from '../../model/current.ts'
import { RIGHTS_CHANGED, shareValidity } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { JobArguments, JobRow, JobRun } from './job.ts'

/** Most characters kept of the log that a job's runs wrote: the latest. */
const LOG_CHARACTERS_MAX = 64 * 1024

const RESULT_CHARACTERS_MAX = 64 * 1024

const ERROR_CHARACTERS_MAX = 4000

/** Progress of a run. */
export interface JobProgress {
  Done: number
  Total: number | null
  Message: string | null
}

/** The reason why a run is ended. */
type AbortReason = 'timeout' | 'deleted' | 'stopping'

/** The parts of the server that a run needs. */
interface RunHost {
  callers: Callers
  now: () => Date
  /** Called at each progress. */
  onProgress: (run: ActiveRun) => void
}

/** The `JobRun` of a job in this process. */
export class ActiveRun implements JobRun {
  readonly job: JobRow
  readonly #host: RunHost
  readonly #abort = new AbortController()
  readonly #lines: string[]
  #logCharacters: number
  latest: JobProgress | undefined
  abortReason: AbortReason | undefined

  constructor(job: JobRow, host: RunHost) {
    this.job = job
    this.#host = host
    this.#lines = job.Log === null ? [] : [job.Log]
    this.#logCharacters = job.Log?.length ?? 0
  }

  get arguments(): JobArguments {
    return JSON.parse(this.job.Arguments) as JobArguments
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The lines so far, the oldest first; null without any. */
  get logText(): string | null {
    return this.#lines.length > 0 ? this.#lines.join('\n') : null
  }

  async requireCaller(): Promise<Caller> {
    const { UserId: userId, CompanyId: companyId, Language: language } = this.job
    if (userId === null || companyId === null)
      throw invalid(say`This job belongs to the engine and has no user`)
    const impersonatorId = this.job.ImpersonatorId ?? undefined
    const apiKeyId = this.job.ApiKeyId ?? undefined
    const owner = { userId, companyId, impersonatorId, apiKeyId }
    const caller = await this.#host.callers.loadWithoutSession(owner)
    if (language === null) return caller
    const spoken = { ...caller, language }
    shareValidity(caller, spoken)
    return spoken
  }

  progress(done: number, total: number | null, message?: string): void {
    this.latest = { Done: done, Total: total, Message: message ?? null }
    this.#host.onProgress(this)
  }

  log(line: string | Message): void {
    const stored = storeMessage(line, LOG_CHARACTERS_MAX / 4)
    const text = `${this.#host.now().toISOString()} ${stored}`
    this.#lines.push(text)
    this.#logCharacters += text.length + 1
    while (this.#logCharacters > LOG_CHARACTERS_MAX && this.#lines.length > 1)
      this.#logCharacters -= (this.#lines.shift()?.length ?? 0) + 1
  }

  /** Aborts the run; the first reason counts. */
  end(reason: AbortReason): void {
    this.abortReason ??= reason
    this.#abort.abort()
  }
}

/** The result of a run as JSON; one that is too long is left out, and the log says so. */
export function toResultText(run: ActiveRun, result: unknown): string | null {
  const text = result === undefined ? null : (JSON.stringify(result) ?? null)
  if (text === null || text.length <= RESULT_CHARACTERS_MAX) return text
  run.log(say`The result is over ${RESULT_CHARACTERS_MAX} characters and was not kept`)
  return null
}

/** The text of an error as the job's row keeps it, for users who may look at jobs. */
export function toErrorText(error: unknown): string {
  if (error instanceof Failure) return storeMessage(error.text, ERROR_CHARACTERS_MAX)
  return storeMessage(error instanceof Error ? error.message : String(error), ERROR_CHARACTERS_MAX)
}

/** Failures that may pass by themselves; any other refusal is final. */
const PASSING: ReadonlySet<FailureKind> = new Set(['unavailable', 'internal', 'tooMany'])

/** True when a transaction was refused because model or rights differ from those planned by. */
export const isPlannedOtherwise = (error: unknown): boolean =>
  isModelChanged(error) || (error instanceof Failure && error.code === RIGHTS_CHANGED)

/** True when no later try would succeed. */
export const isFinalFailure = (error: unknown): boolean =>
  error instanceof Failure && !PASSING.has(error.kind) && error.code !== RIGHTS_CHANGED
