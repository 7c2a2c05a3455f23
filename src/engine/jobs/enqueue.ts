/** Asks for a job, in the transaction that it follows from. */
import { tooLarge } from '../../kernel/failure.ts'
import { MB } from '../../kernel/setting.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { JobState } from '../../store/tables/jobs.ts'
import type { NewJob } from './job.ts'

const INSERT = `INSERT INTO svc_jobs
  (Name, State, Queue, Priority, CompanyId, UserId, ImpersonatorId, ApiKeyId, Language, Source,
   Arguments, ExclusiveKey, CreatedAt, DueAt, Attempts, AttemptsMax, History, AfterId, BatchId,
   AfterBatch, Recurring)
  VALUES (@name, @state, @queue, @priority, @company, @user, @impersonator, @apiKey, @language,
   @source, @arguments, @key, @at, @due, 0, @attempts, @history, @after, @batch, @afterBatch,
   @recurring)
  RETURNING Id`

/** Where jobs wait that do not say where. */
export const DEFAULT_QUEUE = 'default'

/** Tries of a job before it is a dead letter: the first one, and ten more. */
export const ATTEMPTS_MAX = 11

const ARGUMENTS_BYTES_MAX = MB

/** Writes the job down; it begins after the commit. Resolves to its Id. */
export async function enqueueJob(tx: Tx, job: NewJob): Promise<number> {
  const { owner, now, dueAt } = job
  const given = JSON.stringify(job.arguments ?? {})
  if (Buffer.byteLength(given) > ARGUMENTS_BYTES_MAX)
    throw tooLarge(say`The arguments of a job take at most ${ARGUMENTS_BYTES_MAX} bytes`)
  const state = firstState(job)
  const at = now.toISOString()
  const row = await tx.get<{ Id: number }>(INSERT, {
    name: job.name,
    state,
    queue: job.queue ?? DEFAULT_QUEUE,
    priority: job.priority ?? 0,
    company: owner.companyId,
    user: owner.userId,
    impersonator: owner.impersonatorId ?? null,
    apiKey: owner.apiKeyId ?? null,
    language: owner.language ?? null,
    source: job.source,
    arguments: given,
    key: job.exclusiveKey ?? null,
    at,
    due: dueAt?.toISOString() ?? null,
    attempts: job.attemptsMax ?? ATTEMPTS_MAX,
    history: JSON.stringify([{ State: state, At: at }]),
    after: job.afterId ?? null,
    batch: job.batchId ?? null,
    afterBatch: job.afterBatch ?? null,
    recurring: job.recurring ?? null,
  })
  if (!row) throw new Error('The job that was written down has no Id')
  return row.Id
}

function firstState({ afterId, afterBatch, dueAt, now }: NewJob): JobState {
  if (afterId !== undefined || afterBatch !== undefined) return 'Awaiting'
  return dueAt !== undefined && dueAt > now ? 'Scheduled' : 'Enqueued'
}
