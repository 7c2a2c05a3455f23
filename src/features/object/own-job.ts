/** Jobs of bulk edits and imports, for those who asked for them. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Verb } from '../../model/compiled/role.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { deleteJob } from '../../engine/jobs/job-records.ts'
import type { JobRow } from '../../engine/jobs/job.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'

/** A kind of job that its user may look at. */
interface OwnJobs {
  /** Name of the kind. */
  name: string
  /** The right on its object that its user must have still. */
  verb: Verb
  /** Name of the object of a job. */
  objectOf: (job: JobRow) => string
}

/**
 * The job that the caller asked for, in this company and by rights that they have still.
 * @throws notFound
 */
export async function requireOwnJob(
  { app, caller, model }: Pick<RequestCall, 'app' | 'caller' | 'model'>,
  id: number,
  { name, verb, objectOf }: OwnJobs,
): Promise<JobRow> {
  const sql = `SELECT * FROM svc_jobs WHERE Id = @id AND Name = @name
    AND UserId = @user AND CompanyId = @company`
  const args = { id, name, user: caller.userId, company: caller.companyId }
  const job = await app.store.get<JobRow>({ sql, args, runs: 'inline' })
  if (!job || !isOwn(caller, job)) throw noJob()
  const view = model.viewByKey.get(objectOf(job).toLowerCase())
  if (!view || !Grant.find(caller, model, view.resource, verb)) throw noJob()
  return job
}

/** One who acts for the user, and a key with less than all rights, have jobs of their own. */
const isOwn = ({ impersonatorId, apiKey }: Caller, { ImpersonatorId, ApiKeyId }: JobRow): boolean =>
  ImpersonatorId === (impersonatorId ?? null) && (!apiKey || apiKey.id === ApiKeyId)

const noJob = () => notFound(say`There is no such job`, { code: 'JOB_NOT_FOUND' })

/**
 * Ends the job: what it has done so far is undone, and `release` lets go what it held. Does nothing
 * to one that is over.
 */
export async function cancelOwnJob(
  app: AppContext,
  caller: Caller,
  job: JobRow,
  release: (tx: Tx) => Promise<void> | void,
): Promise<void> {
  // At once: its transaction has the writer, which the next one waits for.
  app.jobs.findRun(job.Id)?.end('deleted')
  await app.store.write(async (tx) => {
    const ids = await deleteJob(tx, job, { now: app.clock.now(), by: caller.userName })
    if (ids.includes(job.Id)) await release(tx)
    tx.afterCommit(() => app.jobs.findRun(job.Id)?.end('deleted'))
  }, scopeOf(caller))
}
