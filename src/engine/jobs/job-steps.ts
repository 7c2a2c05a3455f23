/** Steps in the life of a job as it is stored, each within a transaction. */
import { say } from '../../kernel/messages.ts'
import { storeMessage } from '../../kernel/stored-messages.ts'
import { allRows } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { jobs } from '../../store/tables/jobs.ts'
import { addHistory } from './job-history.ts'
import type { FailedJob, JobRow } from './job.ts'

/** The part of a failure that the user of a job may know. */
export type FailureReason = Pick<FailedJob, 'reason' | 'fieldErrors'>

/** The end of a run of a job. */
export type JobOutcome =
  | { kind: 'succeeded'; result: string | null }
  /** Tried again at an instant; a dead letter without one. */
  | ({ kind: 'failed'; error: string; againAt: Date | undefined } & FailureReason)
  /** The server stops: it is not the job's fault, and no try of it. */
  | { kind: 'interrupted' }

/** A run that has ended. */
export interface JobEnd {
  job: JobRow
  outcome: JobOutcome
  /** JSON, as the run left them. */
  progress: string | null
  log: string | null
  at: Date
}

const FREED = `CASE WHEN Attempts >= AttemptsMax THEN 'Failed' ELSE 'Enqueued' END`

const CRASHED = storeMessage(say`The server stopped while the job was running`)

const FREE = `UPDATE svc_jobs SET State = ${FREED}, Error = @reason, FinishedAt = @at,
    History = ${addHistory(FREED, '@reason')}
  WHERE State = 'Processing'`

const TRIED = `WHERE State = 'Processing' AND Attempts >= AttemptsMax`

/** True when jobs run, or seem to: jobs of a process that has ended count. */
export async function hasRunning(reader: Reader): Promise<boolean> {
  const sql = "SELECT 1 AS Found FROM svc_jobs WHERE State = 'Processing' LIMIT 1"
  return (await reader.get({ sql, args: {}, runs: 'inline' })) !== undefined
}

/**
 * Makes the jobs of a process that has ended wait again. Resolves to the ones that do not: their
 * tries are used up.
 */
export async function freeJobs(tx: Tx, now: Date): Promise<JobRow[]> {
  const failed = await allRows(tx, jobs, TRIED)
  await tx.run(FREE, { at: now.toISOString(), reason: CRASHED })
  return failed
}

/** Left to itself, SQLite reads all that are scheduled, each time. */
const BY_DUE = 'svc_jobs INDEXED BY svc_jobs_due'

const PROMOTE = `UPDATE svc_jobs SET State = 'Enqueued', History = ${addHistory(`'Enqueued'`)}
  WHERE Id IN (SELECT Id FROM ${BY_DUE} WHERE State = 'Scheduled' AND DueAt <= @at
    ORDER BY DueAt LIMIT 1000)`

/** Scheduled jobs whose instant has come wait for a worker. Writes nothing where none is due. */
export async function promoteDue(tx: Tx, now: Date): Promise<void> {
  const next = await findNextDue(tx)
  if (next !== undefined && next <= now) await tx.run(PROMOTE, { at: now.toISOString() })
}

const NEXT_DUE = `SELECT min(DueAt) AS DueAt FROM ${BY_DUE} WHERE State = 'Scheduled'`

/** The instant when the next scheduled job is due; undefined when none is scheduled. */
export async function findNextDue(tx: Tx): Promise<Date | undefined> {
  const row = await tx.get<{ DueAt: string | null }>(NEXT_DUE)
  return row?.DueAt ? new Date(row.DueAt) : undefined
}

/** The first of a key alone, and none whose key runs. */
const CLAIMABLE = `
  AND (ExclusiveKey IS NULL OR (
    ExclusiveKey NOT IN (SELECT ExclusiveKey FROM svc_jobs
      WHERE State = 'Processing' AND ExclusiveKey IS NOT NULL)
    AND Id = (SELECT min(other.Id) FROM svc_jobs AS other
      WHERE other.State = 'Enqueued' AND other.ExclusiveKey = svc_jobs.ExclusiveKey)))`

const findSql = (where: string) => `SELECT Id FROM svc_jobs
  WHERE State = 'Enqueued' AND ${where} ${CLAIMABLE}
  ORDER BY Priority DESC, Id LIMIT @room`

const FIND = findSql('Queue = @queue')

const FIND_OTHERS = findSql('Queue NOT IN (SELECT value FROM json_each(@queue))')

const CLAIM = `UPDATE svc_jobs SET State = 'Processing', Attempts = Attempts + 1, StartedAt = @at,
    FinishedAt = NULL, Server = @server, Progress = NULL, History = ${addHistory(`'Processing'`)}
  WHERE Id IN (SELECT value FROM json_each(@ids))
  RETURNING *`

/** A request for jobs: by which server, and when. */
interface Claiming {
  server: string
  now: Date
}

/**
 * Takes `room` jobs of a queue at most, in the order of their priority; with a list of queues, jobs
 * of all queues that it does not name. Writes nothing where there is none.
 */
export async function claimJobs(
  tx: Tx,
  { server, now }: Claiming,
  queue: string | readonly string[],
  room: number,
): Promise<JobRow[]> {
  const found = await (typeof queue === 'string'
    ? tx.all<{ Id: number }>(FIND, { queue, room })
    : tx.all<{ Id: number }>(FIND_OTHERS, { queue: JSON.stringify(queue), room }))
  if (found.length === 0) return []
  const ids = found.map(({ Id }) => Id)
  const rows = await tx.all<JobRow>(CLAIM, {
    ids: JSON.stringify(ids),
    server,
    at: now.toISOString(),
  })
  return rows.sort((a, b) => ids.indexOf(a.Id) - ids.indexOf(b.Id))
}

const SUCCEED = `UPDATE svc_jobs SET State = 'Succeeded', FinishedAt = @at, Result = @result,
    Error = NULL, Progress = @progress, Log = @log, History = ${addHistory(`'Succeeded'`)}
  WHERE Id = @id AND State = 'Processing'`

const FAIL = `UPDATE svc_jobs SET State = @state, FinishedAt = @at, DueAt = @due, Error = @error,
    Progress = @progress, Log = @log, History = ${addHistory('@state', '@error')}
  WHERE Id = @id AND State = 'Processing'`

const STOPPED = storeMessage(say`The server stopped`)

const INTERRUPT = `UPDATE svc_jobs SET State = 'Enqueued', Attempts = Attempts - 1,
    Progress = @progress, Log = @log, History = ${addHistory(`'Enqueued'`, '@reason')}
  WHERE Id = @id AND State = 'Processing'`

/**
 * Writes down the end of a run; a job deleted before that stays deleted. Resolves to true when the
 * job has failed for good.
 */
export async function settleJob(
  tx: Tx,
  { job, outcome, progress, log, at }: JobEnd,
): Promise<boolean> {
  const base = { id: job.Id, at: at.toISOString(), progress, log }
  if (outcome.kind === 'interrupted') await tx.run(INTERRUPT, { ...base, reason: STOPPED })
  else if (outcome.kind === 'succeeded') {
    const changed = await tx.run(SUCCEED, { ...base, result: outcome.result })
    if (changed > 0) await releaseFollowers(tx, job, at)
  } else {
    const { error, againAt } = outcome
    const state = againAt ? 'Scheduled' : 'Failed'
    const due = againAt?.toISOString() ?? null
    const changed = await tx.run(FAIL, { ...base, error, state, due })
    return changed > 0 && !againAt
  }
  return false
}

const RELEASED = `CASE WHEN DueAt > @at THEN 'Scheduled' ELSE 'Enqueued' END`

const AFTER_JOB = `UPDATE svc_jobs SET State = ${RELEASED}, History = ${addHistory(RELEASED)}
  WHERE State = 'Awaiting' AND AfterId = @id`

const AFTER_BATCH = `UPDATE svc_jobs SET State = ${RELEASED}, History = ${addHistory(RELEASED)}
  WHERE State = 'Awaiting' AND AfterBatch = @batch AND NOT EXISTS (
    SELECT 1 FROM svc_jobs AS other WHERE other.BatchId = @batch AND other.State <> 'Succeeded')`

/** Lets the jobs begin that await this job, or the batch whose last one it was. */
async function releaseFollowers(tx: Tx, job: JobRow, now: Date): Promise<void> {
  const at = now.toISOString()
  await tx.run(AFTER_JOB, { at, id: job.Id })
  if (job.BatchId !== null) await tx.run(AFTER_BATCH, { at, batch: job.BatchId })
}
