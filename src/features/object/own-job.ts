/** Jobs of exports, imports and bulk edits, for those who asked for them. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Verb } from '../../model/compiled/role.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { JobRow, OwnWork } from '../../engine/jobs/job.ts'
import { findOwnJob } from '../../engine/jobs/own-jobs.ts'
import type { RequestCall } from '../../server/call.ts'
import { viewNameOf } from './job-label.ts'

/** A kind of job that its user may look at. */
interface OwnJobs {
  /** Name of the kind. */
  name: string
  /** The right on its object that its user must have still. */
  verb: Verb
}

/**
 * The job that the caller asked for, in this company and by rights that they have still.
 * @throws notFound
 */
export async function requireOwnJob(
  { app, caller, model }: Pick<RequestCall, 'app' | 'caller' | 'model'>,
  id: number,
  { name, verb }: OwnJobs,
): Promise<JobRow> {
  const job = await findOwnJob(app.store, caller, id)
  if (job?.Name !== name || !findJobView(job, { caller, model }, verb))
    throw notFound(say`There is no such job`, { code: 'JOB_NOT_FOUND' })
  return job
}

/** The view of a job's object; undefined for a caller who has lost the right on it. */
export function findJobView(
  job: JobRow,
  { caller, model }: { caller: Caller; model: Model },
  verb: Verb,
): View | undefined {
  const view = model.viewByKey.get(viewNameOf(job).toLowerCase())
  return view && Grant.find(caller, model, view.resource, verb) ? view : undefined
}

/** A view as the list of a user's own jobs names it. */
export const describeView = ({ label, slug }: View): Pick<OwnWork, 'label' | 'object'> => ({
  label,
  object: slug,
})
