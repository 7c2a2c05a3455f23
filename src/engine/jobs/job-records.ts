/** Jobs as their operators see them: found, listed, counted, sent again, deleted. */
import { conflict, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { storeMessage } from '../../kernel/stored-messages.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  composeStates,
  JOB_STATE_NAMES,
  JOB_STATES,
  type JobState,
} from '../../store/tables/jobs.ts'
import { addHistory } from './job-history.ts'
import type { JobArguments, JobRow } from './job.ts'

/** The companies whose jobs are in reach; undefined: all, the engine's own included. */
export type JobReach = ReadonlySet<number> | undefined

/** The filter of a list of jobs. */
interface JobFilter {
  state?: JobState | undefined
  queue?: string | undefined
  name?: string | undefined
  page: number
}

/** Jobs of a page. */
const JOBS_PER_PAGE = 50

/** Counting ends here: a figure as high as this says "or more". */
const COUNT_MAX = 100_000

const reachOf = (reach: JobReach): { where: string; args: SqlArgs } =>
  reach === undefined
    ? { where: '1', args: {} }
    : {
        where: 'CompanyId IN (SELECT value FROM json_each(@reach))',
        args: { reach: JSON.stringify([...reach]) },
      }

/** The number of jobs in each state; a state with more than 100,000 shows that number. */
export async function countJobs(
  reader: Reader,
  reach: JobReach,
): Promise<Record<JobState, number>> {
  const { where, args } = reachOf(reach)
  const counts = JOB_STATE_NAMES.map(
    (state) =>
      `(SELECT count(*) FROM (SELECT 1 FROM svc_jobs WHERE State = '${state}' AND ${where}
        LIMIT ${COUNT_MAX})) AS ${state}`,
  )
  const row = await reader.get({ sql: `SELECT ${counts.join(', ')}`, args, runs: 'lane' })
  return Object.fromEntries(
    JOB_STATE_NAMES.map((state) => [state, Number(row?.[state] ?? 0)]),
  ) as Record<JobState, number>
}

/** A page of jobs, the newest first, and whether more follow. */
export async function listJobs(
  reader: Reader,
  reach: JobReach,
  filter: JobFilter,
): Promise<{ jobs: JobRow[]; hasNext: boolean }> {
  const { where, args } = reachOf(reach)
  const conditions = [
    where,
    // A literal: the index of states covers only some of them.
    ...(filter.state === undefined ? [] : [`State = '${filter.state}'`]),
    ...(filter.queue === undefined ? [] : ['Queue = @queue']),
    ...(filter.name === undefined ? [] : ['Name = @name COLLATE NOCASE']),
  ]
  const { queue, name, page } = filter
  const sql = `SELECT * FROM svc_jobs WHERE ${conditions.join(' AND ')}
    ORDER BY Id DESC LIMIT @limit OFFSET @offset`
  const rows = await reader.all<JobRow>({
    sql,
    args: {
      ...args,
      ...(queue !== undefined && { queue }),
      ...(name !== undefined && { name }),
      limit: JOBS_PER_PAGE + 1,
      offset: (page - 1) * JOBS_PER_PAGE,
    },
    runs: 'lane',
  })
  return { jobs: rows.slice(0, JOBS_PER_PAGE), hasNext: rows.length > JOBS_PER_PAGE }
}

/** @throws notFound for a job that is not there or out of reach */
export async function requireJob(reader: Reader, reach: JobReach, id: number): Promise<JobRow> {
  const { where, args } = reachOf(reach)
  const sql = `SELECT * FROM svc_jobs WHERE Id = @id AND ${where}`
  const row = await reader.get<JobRow>({ sql, args: { ...args, id }, runs: 'inline' })
  if (!row) throw notFound(say`There is no such job`, { code: 'JOB_NOT_FOUND' })
  return row
}

const REQUEUE = `UPDATE svc_jobs SET State = 'Enqueued', DueAt = NULL, FinishedAt = NULL,
    Attempts = 0, Arguments = coalesce(@arguments, Arguments),
    History = ${addHistory(`'Enqueued'`, '@reason')}
  WHERE Id = @id`

/**
 * Restarts a job at once, with all of its tries; with other arguments where given.
 * @throws conflict for one that runs or waits for a worker already
 */
export async function requeueJob(
  tx: Tx,
  job: JobRow,
  { now, by, mended }: { now: Date; by: string; mended: JobArguments | undefined },
): Promise<void> {
  if (JOB_STATES[job.State].isActive)
    throw conflict(say`The job is already running or waiting for a worker`, { code: 'JOB_ACTIVE' })
  if (JOB_STATES[job.State].isHeld)
    throw conflict(
      say`The job is held after a restore. Resume lets all go; delete what must not be sent.`,
      { code: 'JOB_HELD' },
    )
  await tx.run(REQUEUE, {
    id: job.Id,
    at: now.toISOString(),
    arguments: mended === undefined ? null : JSON.stringify(mended),
    reason: storeMessage(
      mended === undefined ? say`Restarted by ${by}` : say`Restarted with changes by ${by}`,
    ),
  })
}

const DELETE = `UPDATE svc_jobs SET State = 'Deleted', FinishedAt = @at, DueAt = NULL,
    History = ${addHistory(`'Deleted'`, '@reason')}
  WHERE Id = @id AND ${composeStates(({ end }) => end !== 'closed')}`

/**
 * Ends a job for good, with the jobs that await it. Resolves to the ids of the deleted jobs, so
 * that the running ones can be told to end.
 */
export async function deleteJob(
  tx: Tx,
  job: JobRow,
  { now, by }: { now: Date; by: string },
): Promise<number[]> {
  const deleted: number[] = []
  const args = { at: now.toISOString(), reason: storeMessage(say`Deleted by ${by}`) }
  for (let ids = [job.Id]; ids.length > 0;) {
    const next: number[] = []
    for (const id of ids) {
      if ((await tx.run(DELETE, { ...args, id })) > 0) deleted.push(id)
      const waiting = await tx.all<{ Id: number }>(
        `SELECT Id FROM svc_jobs WHERE State = 'Awaiting' AND AfterId = @id`,
        { id },
      )
      next.push(...waiting.map(({ Id }) => Id))
    }
    ids = next
  }
  return deleted
}

const OLD = `DELETE FROM svc_jobs WHERE Id IN (SELECT Id FROM svc_jobs
  WHERE State = @state AND FinishedAt < @before ORDER BY FinishedAt LIMIT 500)`

const HAS_OLD = `SELECT 1 AS Found FROM svc_jobs
  WHERE State = @state AND FinishedAt < @before LIMIT 1`

/** Removes some of the jobs that ended before an instant; resolves to true when more are left. */
export async function forgetJobs(tx: Tx, state: JobState, before: Date): Promise<boolean> {
  const args = { state, before: before.toISOString() }
  if (!(await tx.get(HAS_OLD, args))) return false
  return (await tx.run(OLD, args)) > 0
}

/** States of jobs by Id, without jobs that no longer exist. */
export async function findStates(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, JobState>> {
  const sql = `SELECT Id, State FROM svc_jobs WHERE Id IN (SELECT value FROM json_each(@ids))`
  const rows = await reader.all<Pick<JobRow, 'Id' | 'State'>>({
    sql,
    args: { ids: JSON.stringify(ids) },
    runs: 'inline',
  })
  return new Map(rows.map(({ Id, State }) => [Id, State]))
}
