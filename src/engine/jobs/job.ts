/** Jobs, and the kinds that run them. */
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { jobs } from '../../store/tables/jobs.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'

/** A job as it is stored. */
export type JobRow = typeof jobs.$inferSelect

/** Values by name, as JSON has them. */
export type JobArguments = Readonly<Record<string, unknown>>

/** The owner whose rights a job has: a user's in a company, as at its run, or the engine's. */
export interface JobOwner {
  userId: number | null
  companyId: number | null
  /** The user who acted as this one: the job ends with their right to. */
  impersonatorId?: number | undefined
  /** The API key that asked for it: the job ends with the key, and has its rights alone. */
  apiKeyId?: number | undefined
  language?: string | undefined
}

/** A caller as the owner of a job: with it go who acts as them, and the API key that limits it. */
export const ownerOf = (
  { userId, companyId, impersonatorId, apiKey }: Caller,
  language: string | undefined,
): JobOwner => ({ userId, companyId, impersonatorId, apiKeyId: apiKey?.id, language })

/** The owner of a job: the engine or a caller, in a company that may differ from the caller's. */
export const ownerIn = (caller: Caller | undefined, companyId: number | null): JobOwner =>
  caller ? { ...ownerOf(caller, caller.language), companyId } : { userId: null, companyId }

/** A job to enqueue, and how to run it. */
export interface NewJob {
  /** The name of a `JobKind`. */
  name: string
  arguments?: JobArguments
  owner: JobOwner
  /** The view, or the reason, that caused it. */
  source: string
  now: Date
  /** The queue; that of its kind by default. */
  queue?: string | undefined
  /** The priority within its queue: higher ones go first. */
  priority?: number
  /** The earliest instant to begin. */
  dueAt?: Date | undefined
  /** Jobs with one key run one at a time. */
  exclusiveKey?: string | undefined
  attemptsMax?: number | undefined
  /** The job that has to succeed before this one begins. */
  afterId?: number
  /** The batch of jobs that it belongs to. */
  batchId?: string
  /** The batch whose jobs all have to succeed before this one begins. */
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
   * The caller whose rights it has: the user's rights now. Rejects with the 401 of a user who is
   * locked or has left, which ends the job for good.
   */
  requireCaller(): Promise<Caller>
  /** Reports progress, in any unit. */
  progress(done: number, total: number | null, message?: string): void
  /** Adds a line to its log. */
  log(line: string | Message): void
}

/** A job that failed for good: a dead letter. */
export interface FailedJob {
  job: JobRow
  /** The reason that its user may see; undefined where only the log has it. */
  reason: Message | undefined
  /** The fault of each field, where faults were the reason. */
  fieldErrors: FieldErrors | undefined
  now: Date
}

/** Words for the work that users have done in the background. */
export const OWN_KINDS = ['import', 'importCheck', 'export', 'bulkEdit', 'report'] as const

type OwnKind = (typeof OWN_KINDS)[number]

/** A job as the user who asked for it sees it. */
export interface OwnWork {
  kind: OwnKind
  /** Label of its view or its report. */
  label: ModelText
  /** The slug of its view; null for a report. */
  object: string | null
  /** Rows that it will have done, where that is known before it runs. */
  total: number | null
  result: OwnResult | null
}

/** The result of a job; counts that a kind does not have are null. */
export interface OwnResult {
  /** Name of the file that it made (`MadeFiles`): what was asked for, or the rows with errors. */
  file: string | null
  rows: number | null
  written: number | null
  failed: number | null
  /** By which it can be undone. */
  importId: string | null
}

/** Finds the kind for jobs of a name; undefined for an unknown name. */
export type FindJobKind = (name: string) => JobKind | undefined

/** The code that runs jobs of one name. */
export interface JobKind {
  readonly name: string
  /** The queue of its jobs unless they name one; `default` if not given. */
  readonly queue?: string
  /** Tries of its jobs unless they say more. */
  readonly attemptsMax?: number
  /** Most milliseconds of a run; `Svc:Jobs:Timeout` by default. */
  readonly timeoutMs?: number
  /**
   * Sends nothing out of the house by itself: it runs in a restored folder, too, before what that
   * holds is let go.
   */
  readonly staysInside?: true
  /**
   * Throws the refusal of a caller who may not have it done with arguments of their own. Without
   * it System alone may: its arguments are the engine's.
   */
  readonly requireMayAsk?: (caller: Caller) => void
  /**
   * Runs the job; may run again after it was cut off. The value returned is the job's Result. An
   * error thrown is retried later, except a `Failure` that no later try would fix.
   */
  run(run: JobRun): Promise<unknown>
  /** Called in the transaction that writes down that one of its jobs failed for good. */
  readonly onFailure?: (tx: Tx, failed: FailedJob) => Promise<void>
  /**
   * Describes a job for the user who asked for it, in the list of their own; undefined for a user
   * who has lost the right to it. Without it users see no jobs of the kind.
   */
  readonly describeOwn?: (job: JobRow, by: { caller: Caller; model: Model }) => OwnWork | undefined
  /** Called in the transaction that deletes one of its jobs before it has ended. */
  readonly onDeleted?: (tx: Tx, job: JobRow) => void | Promise<void>
}
