/** What a job is, and what does it. */
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { jobs } from '../../store/tables/jobs.ts'
import type { Caller } from '../../access/callers/caller.ts'

/** A job as it is stored. */
export type JobRow = typeof jobs.$inferSelect

/** Values by name, as JSON has them. */
export type JobArguments = Readonly<Record<string, unknown>>

/** Whose rights a job has: a user's in a company as they are when it runs, or the engine's. */
export interface JobOwner {
  userId: number | null
  companyId: number | null
  /** Who acted as the user: it ends with their right to. */
  impersonatorId?: number | undefined
  /** The API key by which the user asked for it: it ends with the key, and has its rights alone. */
  apiKeyId?: number | undefined
  language?: string | undefined
}

/** A caller as the owner of a job: with it go who acts as them, and the API key that limits it. */
export const ownerOf = (
  { userId, companyId, impersonatorId, apiKey }: Caller,
  language: string | undefined,
): JobOwner => ({ userId, companyId, impersonatorId, apiKeyId: apiKey?.id, language })

/** What is the engine's own, or somebody's, in a company that may be another than theirs. */
export const ownerIn = (caller: Caller | undefined, companyId: number | null): JobOwner =>
  caller ? { ...ownerOf(caller, caller.language), companyId } : { userId: null, companyId }

/** What to do, and how. */
export interface NewJob {
  /** The name of a `JobKind`. */
  name: string
  arguments?: JobArguments
  owner: JobOwner
  /** The view or the reason through which it is asked for. */
  source: string
  now: Date
  /** That of its kind unless told. */
  queue?: string | undefined
  /** Within its queue: higher ones go first. */
  priority?: number
  /** Not before this instant. */
  dueAt?: Date | undefined
  /** Of several jobs with one key, one runs at a time. */
  exclusiveKey?: string | undefined
  attemptsMax?: number | undefined
  /** It begins when this job has succeeded. */
  afterId?: number
  /** It belongs to a batch of jobs. */
  batchId?: string
  /** It begins when all jobs of this batch have succeeded. */
  afterBatch?: string
  recurring?: string
}

/** One run of a job. */
export interface JobRun {
  readonly job: JobRow
  readonly arguments: JobArguments
  /** Aborts when its time is up, when it is deleted, and when the server stops. */
  readonly signal: AbortSignal
  /**
   * Whose rights it has: those that the user has now. Rejects with the 401 of one who is locked or
   * has left, which ends the job for good.
   */
  requireCaller(): Promise<Caller>
  /** Tells how far it is, in whatever it counts. */
  progress(done: number, total: number | null, message?: string): void
  /** Adds a line to its log. */
  log(line: string): void
}

/** A job that failed for good: a dead letter. */
export interface FailedJob {
  job: JobRow
  /** What may be said of it to its user; undefined where only the log has the reason. */
  reason: Message | undefined
  /** What was wrong with each field, where that was the reason. */
  fieldErrors: FieldErrors | undefined
  now: Date
}

/** Finds what is done for jobs of a name; undefined for a name of others. */
export type FindJobKind = (name: string) => JobKind | undefined

/** What is done for jobs of one name. */
export interface JobKind {
  readonly name: string
  /** Where its jobs wait unless they say more; `default` unless told. */
  readonly queue?: string
  /** Tries of its jobs unless they say more. */
  readonly attemptsMax?: number
  /** How long a run may take, in milliseconds; `Svc:Jobs:Timeout` unless told. */
  readonly timeoutMs?: number
  /**
   * Throws the refusal of a caller who may not have it done with arguments of their own. Without
   * it System alone may: its arguments are the engine's.
   */
  readonly requireAsker?: (caller: Caller) => void
  /**
   * Does it; may run again after it was cut off. What it gives is the job's Result. What it throws
   * is tried again later, but for a `Failure` that no later try would mend.
   */
  run(run: JobRun): Promise<unknown>
  /** Called in the transaction that writes down that one of its jobs failed for good. */
  readonly onFailure?: (tx: Tx, failed: FailedJob) => Promise<void>
  /** Called in the transaction that deletes one of its jobs before it has ended. */
  readonly onDeleted?: (tx: Tx, job: JobRow) => void
}
