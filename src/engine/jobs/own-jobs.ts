/** Jobs for the users who asked for them: found, listed, cancelled. */
import type { Clock } from '../../kernel/clock.ts'
import { DAY } from '../../kernel/setting.ts'
import type { SqlArgs } from '../../store/sql.ts'
import type { Reader, Store } from '../../store/store.ts'
import { ASKED_JOBS, JOB_STATES, RUN_JOBS } from '../../store/tables/jobs.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { deleteJob } from './job-records.ts'
import type { JobServer } from './job-server.ts'
import type { JobRow } from './job.ts'

/** Most jobs of a list. */
export const OWN_JOBS_MAX = 50

/** Milliseconds for which jobs that have ended are listed. */
const LISTED_MS = DAY

/** A caller who acts for the user, and a key with less than all rights, have jobs of their own. */
const OWN = `UserId = @user AND CompanyId = @company AND ImpersonatorId IS @impersonator
  AND (@key IS NULL OR ApiKeyId = @key)`

const argsOf = ({ userId, companyId, impersonatorId, apiKey }: Caller): SqlArgs => ({
  user: userId,
  company: companyId,
  impersonator: impersonatorId ?? null,
  key: apiKey?.id ?? null,
})

/** The job of a number that the caller asked for in this company; undefined for any other. */
export const findOwnJob = (
  reader: Reader,
  caller: Caller,
  id: number,
): Promise<JobRow | undefined> =>
  reader.get<JobRow>({
    sql: `SELECT * FROM svc_jobs WHERE Id = @id AND ${OWN}`,
    args: { ...argsOf(caller), id },
    runs: 'inline',
  })

const NAMED = 'UserId = @user AND Name IN (SELECT value FROM json_each(@names))'

const LIST = `SELECT * FROM svc_jobs WHERE Id IN (
    SELECT Id FROM svc_jobs WHERE ${NAMED} AND ${ASKED_JOBS}
    UNION
    SELECT Id FROM svc_jobs WHERE ${NAMED} AND ${RUN_JOBS} AND FinishedAt >= @since)
  AND ${OWN} ORDER BY Id DESC LIMIT ${OWN_JOBS_MAX}`

/**
 * Lists jobs of some kinds that the caller asked for in this company, the newest first: those that
 * are not over, and those that ended within a day.
 */
export const listOwnJobs = (
  reader: Reader,
  caller: Caller,
  { names, now }: { names: readonly string[]; now: Date },
): Promise<JobRow[]> =>
  reader.all<JobRow>({
    sql: LIST,
    args: {
      ...argsOf(caller),
      names: JSON.stringify(names),
      since: new Date(now.getTime() - LISTED_MS).toISOString(),
    },
    runs: 'lane',
  })

/** The parts of the server that cancel a job. */
interface CancelParts {
  store: Store
  clock: Clock
  jobs: JobServer
}

/** Ends the job: what it has done so far is undone. Does nothing to one that is over. */
export async function cancelOwnJob(
  { store, clock, jobs }: CancelParts,
  caller: Caller,
  job: JobRow,
): Promise<void> {
  if (JOB_STATES[job.State].end !== undefined) return
  // At once: its transaction has the writer, which the next one waits for.
  jobs.findRun(job.Id)?.end('deleted')
  await store.write(async (tx) => {
    const ids = await deleteJob(tx, job, { now: clock.now(), by: caller.userName })
    if (ids.includes(job.Id)) await jobs.findKind(job.Name)?.onDeleted?.(tx, job)
    tx.afterCommit(() => jobs.findRun(job.Id)?.end('deleted'))
  }, scopeOf(caller))
}
